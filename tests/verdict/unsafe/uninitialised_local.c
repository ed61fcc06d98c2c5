extern void __VERIFIER_error(void);

int main(void) { int x; if (x == 3) __VERIFIER_error(); return 0; }
