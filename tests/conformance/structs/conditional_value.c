// verdict: TRUE
// fact: ?: can choose between structs
#include <assert.h>

struct s { int a, b; };

static int pick(int c)
{
    struct s x = { 1, 2 }, y = { 3, 4 };
    return (c ? x : y).b;
}

int main(void)
{
    assert(pick(1) == 2 && pick(0) == 4);
    return 0;
}
