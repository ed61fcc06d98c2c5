extern void __VERIFIER_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
    int n = __VERIFIER_nondet_uchar();
    if (n < 2 || n > 5) return 0;
    int v[n];
    if (v[1] == 77 && v[n - 1] == 78) __VERIFIER_error();
    return 0;
}
