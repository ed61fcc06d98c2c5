// verdict: TRUE
// fact: a float parameter of an old-style function receives a double
#include <assert.h>

static int above(f)
    float f;
{
    return f > 1.0f;
}

int main(void)
{
    assert(above(1.5) && !above(0.5f));
    return 0;
}
