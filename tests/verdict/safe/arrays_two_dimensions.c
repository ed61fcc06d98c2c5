extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

#include <assert.h>

int a[3][4];
int main(void)
{
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 4; j++)
            a[i][j] = 10 * i + j;
    i = __VERIFIER_nondet_int();
    __VERIFIER_assume(i >= 0 && i < 3);
    assert(a[i][2] == 10 * i + 2);
    assert(a[0][5] == 11);
    return 0;
}
