// args: --check bounds
// last: FALSE(main.bounds.1)
extern int __VERIFIER_nondet_int(void);

int a[5];
int main(void) { int x = __VERIFIER_nondet_int(); return a[x & 7]; }
