extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
#include <assert.h>

int sum(int a[], int n)
{
    int i, s = 0;
    for (i = 0; i < n; i++)
        s += a[i];
    return s;
}

int main(void)
{
    int n = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int(), i, j;
    __VERIFIER_assume(n > 0 && n < 5);
    __VERIFIER_assume(k > 0 && k < 4);
    int a[n], m[n][k], c[2][n];
    for (i = 0; i < n; i++) {
        a[i] = i;
        for (j = 0; j < k; j++)
            m[i][j] = 10 * i + j;
        c[0][i] = 7;
        c[1][i] = 8;
    }
    assert(sum(a, n) == n * (n - 1) / 2);
    assert(m[n - 1][k - 1] == 10 * (n - 1) + k - 1);
    assert(c[0][n - 1] == 7 && c[1][0] == 8);
    return 0;
}
