// verdict: FALSE
// fact: a failing __VERIFIER_assert is a violation
extern void __VERIFIER_assert(int);

static int one(void) { return 1; }

int main(void)
{
    __VERIFIER_assert(one() == 2);
    return 0;
}
