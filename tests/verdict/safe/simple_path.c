// args: --engine kinduction --simple-path
// Two rings that turn together: which pairs there are is said by no comparison of the program, and from other pairs a run
// may stay out of the assertion's sight for ever. Runs that repeat no pair may not.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

int main(void)
{
    int left = 0, right = 2;
    for (;;) {
        if (__VERIFIER_nondet_int()) {
            left = left == 4 ? 0 : left + 1;
            switch (right) {
            case 2: right = 4; break;
            case 4: right = 1; break;
            case 1: right = 3; break;
            case 3: right = 0; break;
            default: right = 2; break;
            }
        }
        if (__VERIFIER_nondet_int())
            __VERIFIER_assert(!(left == 3 && right == 2));
    }
}
