// verdict: TRUE
// fact: a variadic function may ignore its extra arguments
#include <assert.h>

static int first(int n, ...) { return n; }

int main(void)
{
    assert(first(3, 1.0, "x", 4) == 3);
    return 0;
}
