// verdict: FALSE
// fact: a reached __VERIFIER_error is a violation
extern void __VERIFIER_error(void);

static int one(void) { return 1; }

int main(void)
{
    if (one() == 1)
        __VERIFIER_error();
    return 0;
}
