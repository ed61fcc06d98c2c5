extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int(), k = 0;
    __VERIFIER_assume(n >= 0 && n < 6);
    if (n & 1)
        goto middle;
top:
    k += 2;
middle:
    n--;
    if (n > 0)
        goto top;
    if (k < 0 || k > 12)
        __VERIFIER_error();
    return 0;
}
