extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

extern void exit(int);
int main(void) { if (__VERIFIER_nondet_int()) { exit(1); __VERIFIER_error(); } return 0; }
