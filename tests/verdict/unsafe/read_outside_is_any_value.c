extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

int a[4], b[4];
int main(void) { int i = __VERIFIER_nondet_int(); __VERIFIER_assume(i == 4); if (a[i] == 99) __VERIFIER_error(); return 0; }
