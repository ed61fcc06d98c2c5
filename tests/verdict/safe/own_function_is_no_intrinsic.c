#include <assert.h>

void abort(void) { }
int main(void) { int x = 0; abort(); x = 1; assert(x == 1); return 0; }
