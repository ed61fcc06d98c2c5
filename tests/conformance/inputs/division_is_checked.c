// verdict: TRUE
// options: --check div
// gcc: no, an input
// fact: a guarded division cannot trap
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    return b > 0 ? a / b : 0;
}
