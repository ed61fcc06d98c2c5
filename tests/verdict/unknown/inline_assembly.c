// says: unsupported
extern void __VERIFIER_error(void);

int main(void) { int x = 1; __asm__("nop" : "+r"(x)); if (x != 1) __VERIFIER_error(); return 0; }
