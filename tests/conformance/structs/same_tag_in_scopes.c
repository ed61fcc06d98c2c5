// verdict: TRUE
// fact: an inner tag hides the outer one
#include <assert.h>

struct s { char c; };

int main(void)
{
    int outer = sizeof(struct s);
    {
        struct s { int a, b; };
        assert(sizeof(struct s) == 8);
    }
    assert(outer == 1);
    return 0;
}
