extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

int main(void) { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n == 32); if ((1 << n) == 4096) __VERIFIER_error(); return 0; }
