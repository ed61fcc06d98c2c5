// args: --engine bmc --time 1
// last: UNKNOWN(out of time)
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int main(void)
{
    int s = 0;
    while (1) {
        int x = __VERIFIER_nondet_int();
        if (x > 0 && s < 1000000) s++;
        if (s > 1000000) __VERIFIER_error();
    }
}
