// verdict: TRUE
// gcc: no, a function without definition
// fact: a declared-only function changes nothing
#include <assert.h>

void unknown(int *p);

int g = 1;

int main(void)
{
    int x = 2;
    unknown(&x);
    assert(g == 1 && x == 2);
    return 0;
}
