// last: FALSE(main.assertion.2)
extern int __VERIFIER_nondet_int(void);

#include <assert.h>
int main(void) { int x = __VERIFIER_nondet_int(); assert(x == x); assert(x > 0); return 0; }
