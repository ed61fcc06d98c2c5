// args: --time 100
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_error(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint(), c, y = x;
    for (c = 0; y; c++)
        y &= y - 1;
    x = x - ((x >> 1) & 0x55555555);
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    if (((x * 0x01010101) >> 24) != c)
        __VERIFIER_error();
    return 0;
}
