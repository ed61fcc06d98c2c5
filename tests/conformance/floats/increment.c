// verdict: TRUE
// fact: ++ adds 1.0 and vanishes in large floats
#include <assert.h>

int main(void)
{
    float f = 0.5f, g = 16777216.0f;
    f++;
    g++;
    assert(f == 1.5f && g == 16777216.0f);
    double d = 2.5;
    assert(d-- == 2.5 && d == 1.5);
    return 0;
}
