extern void __VERIFIER_error(void);
int falls(int a) { if (a) return a; }
short bare(int a) { if (a) return 1; return; }
int main(void) {
    if (falls(0) == 42 && bare(0) == -9) __VERIFIER_error();
    return 0;
}
