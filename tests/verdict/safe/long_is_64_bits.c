#include <assert.h>
int main(void) { assert(sizeof(long) == 8 && sizeof(void *) == 8); long x = 2147483647; assert(x + 1 > 0); return 0; }
