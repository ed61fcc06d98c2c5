// args: --32 --time 20
// last: FALSE(main.assertion.1)
/* The round counter wraps below its limit after 256 rounds, and no guess meets the assumption. */
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int key = __VERIFIER_nondet_int(), lock = __VERIFIER_nondet_int();
    signed char round = 0;
    int elected = 0;
    __VERIFIER_assume(key != 0 && key * 31 + 17 == lock && (lock & 0xffff) == 0x1b3d);
    for (;;) {
        round = (signed char)(round + 1);
        if (round == 3)
            elected = key;
        assert(elected == 0 || round >= 3);
    }
}
