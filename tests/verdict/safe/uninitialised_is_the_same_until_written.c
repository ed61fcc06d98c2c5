#include <assert.h>
int main(void) { int x; int y = x; assert(x == y); return 0; }
