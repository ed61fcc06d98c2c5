// args: --check overflow
// last: FALSE(main.overflow.1)
extern int __VERIFIER_nondet_int(void);

int main(void) { int x = __VERIFIER_nondet_int(); return x + 1; }
