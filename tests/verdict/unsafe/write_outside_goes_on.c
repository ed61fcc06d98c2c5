extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int a[4];
int main(void) { int i = __VERIFIER_nondet_int(); a[i] = 7; if (i == 9) __VERIFIER_error(); return 0; }
