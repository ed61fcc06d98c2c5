extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    unsigned x = __VERIFIER_nondet_uint();
    /* Whatever a machine makes of the count, zero stays zero and nothing grows to the right. */
    if ((0u << n) != 0 || (x >> n) > x)
        __VERIFIER_error();
    return 0;
}
