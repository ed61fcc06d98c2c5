// args: --check shift
// last: FALSE(main.shift.1)
extern int __VERIFIER_nondet_int(void);

int main(void) { int x = __VERIFIER_nondet_int(); return 1 << x; }
