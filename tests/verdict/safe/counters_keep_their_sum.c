// args: --32 --time 60
/* Needs up + down == n modulo 2^32, which no condition of the program mentions. */
#include <assert.h>

extern unsigned int __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned int n = __VERIFIER_nondet_uint();
    unsigned int down = n, up = 0, twice = 7;
    while (down > 0) {
        down--;
        up++;
        twice += 2;
    }
    assert(up == n && twice == 2 * n + 7);
}
