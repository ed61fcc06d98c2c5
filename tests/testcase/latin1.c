extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
int main(void) {
    const char text[] = "é"; /* ü */
    int n = __VERIFIER_nondet_int();
    if (n == text[0]) __VERIFIER_error();
    return 0;
}
