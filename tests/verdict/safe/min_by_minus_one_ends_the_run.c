extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    int r = a % b;
    if (a == -2147483647 - 1 && b == -1)
        __VERIFIER_error();
    return r;
}
