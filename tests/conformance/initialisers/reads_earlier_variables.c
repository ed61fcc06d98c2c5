// verdict: TRUE
// fact: an initialiser of a local can use what came before it
#include <assert.h>

static int f(int n)
{
    int a = n + 1, b = a * 2, v[3] = { a, b, a + b };
    return v[2];
}

int main(void)
{
    assert(f(1) == 6);
    return 0;
}
