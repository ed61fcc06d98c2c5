// args: --entry start
extern void __VERIFIER_error(void);
static int start(long a, unsigned char b, double c) {
    if (a == -77 && b == 201 && c == 0.5) __VERIFIER_error();
    if (a == 5) start(6, 7, 8);
    return 0;
}
int main(void) { return start(1, 2, 3); }
