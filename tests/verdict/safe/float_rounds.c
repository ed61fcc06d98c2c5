#include <assert.h>

int main(void)
{
    float f = 16777216.0f;
    assert(f + 1.0f == f);
    double d = 0.1 + 0.2;
    assert(d != 0.3 && d > 0.3);
    assert((int)-3.9f == -3);
    return 0;
}
