extern void __VERIFIER_error(void);

int main(void) { for (;;) ; __VERIFIER_error(); return 0; }
