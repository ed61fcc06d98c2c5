// says: variable-length array
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int(), i;
    __VERIFIER_assume(n > 0 && n < 5);
    int a[n];
    for (i = 0; i < n; i++)
        a[i] = 1;
    if (a[n] == 5)
        __VERIFIER_error();
    return 0;
}
