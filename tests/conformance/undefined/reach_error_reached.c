// verdict: FALSE
// fact: a reached reach_error is a violation
extern void reach_error(void);

static int one(void) { return 1; }

int main(void)
{
    if (one() == 1)
        reach_error();
    return 0;
}
