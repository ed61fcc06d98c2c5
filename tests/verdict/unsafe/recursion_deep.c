extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int down(int n) { return n <= 0 ? 0 : down(n - 1) + 1; }
int main(void) { int n = __VERIFIER_nondet_int(); if (down(n) == 17) __VERIFIER_error(); return 0; }
