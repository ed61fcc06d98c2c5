extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int(), i, s = 0;
    __VERIFIER_assume(n >= 0 && n <= 12);
    for (i = 0; i < n; i++)
        s += i;
    if (s != n * (n - 1) / 2)
        __VERIFIER_error();
    return 0;
}
