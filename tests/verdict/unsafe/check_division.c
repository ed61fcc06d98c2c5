// args: --check div
// last: FALSE(main.division.1)
extern int __VERIFIER_nondet_int(void);

int main(void) { int x = __VERIFIER_nondet_int(); return 7 / x; }
