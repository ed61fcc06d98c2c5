// last: FALSE(main.assertion.1)
// says: gives 77
extern int __VERIFIER_nondet_int(void);

#include <assert.h>
int main(void) { int x = __VERIFIER_nondet_int(); assert(x != 77); return 0; }
