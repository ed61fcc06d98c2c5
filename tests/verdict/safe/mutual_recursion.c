extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

int odd(unsigned n);
int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    __VERIFIER_assume(n < 10);
    if (even(n) != !(n & 1))
        __VERIFIER_error();
    return 0;
}
