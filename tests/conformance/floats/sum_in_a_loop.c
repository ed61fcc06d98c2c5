// verdict: TRUE
// fact: ten times 0.1 is not 1.0
#include <assert.h>

int main(void)
{
    double d = 0;
    for (int i = 0; i < 10; i++)
        d += 0.1;
    assert(d != 1.0);
    assert(d > 0.9999 && d < 1.0001);
    return 0;
}
