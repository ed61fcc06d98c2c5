/* The mean of up to eight sensor values stays between the smallest and the largest of them. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int value[8], n = __VERIFIER_nondet_int(), i, sum = 0, low, high;
    __VERIFIER_assume(n > 0 && n <= 8);
    for (i = 0; i < n; i++) {
        value[i] = __VERIFIER_nondet_int();
        __VERIFIER_assume(value[i] >= 0 && value[i] <= 7);
        sum += value[i];
        if (i == 0 || value[i] < low)
            low = value[i];
        if (i == 0 || value[i] > high)
            high = value[i];
    }
    assert(low <= sum / n && sum / n <= high);
    return 0;
}
