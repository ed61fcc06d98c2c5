extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
int main(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n <= 6);
    if (fact(n) > 720)
        __VERIFIER_error();
    return 0;
}
