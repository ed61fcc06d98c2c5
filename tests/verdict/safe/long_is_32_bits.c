// args: --32
#include <assert.h>
int main(void) { assert(sizeof(long) == 4 && sizeof(void *) == 4); long x = 2147483647; assert(x + 1 < 0); return 0; }
