// args: --32 --time 20
/* A congruence between two cells: their sum is a multiple of four. */
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    unsigned int a = 3, b = 5;
    for (;;) {
        int by = __VERIFIER_nondet_int();
        if (by > 0)
            a += 4 * (unsigned)by;
        else {
            a++;
            b += 3;
        }
        assert((a + b) % 4 == 0);
    }
}
