#include <assert.h>

int next(void) { static int n = 5; return n++; }
int main(void) { next(); next(); assert(next() == 7); return 0; }
