extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int main(void) { int n = __VERIFIER_nondet_int(), i = 0; while (i < n) i++; if (i == 100) __VERIFIER_error(); return 0; }
