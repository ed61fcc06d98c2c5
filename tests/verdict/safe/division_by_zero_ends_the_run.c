extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int main(void)
{
    int d = __VERIFIER_nondet_int();
    int q = 10 / d;
    if (d == 0)
        __VERIFIER_error();
    return q;
}
