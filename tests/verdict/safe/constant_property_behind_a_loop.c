extern void __VERIFIER_error(void);

/* The condition is constant, so the passes drop the loop and the endless recursion; the evidence must not need them. */
int down(int n) { return down(n - 1) + 1; }

int main(void)
{
    unsigned i;
    for (i = 0; i < 5; i++)
        ;
    down(3);
    if ((255 + 3) % 4 == 1)
        __VERIFIER_error();
    return 0;
}
