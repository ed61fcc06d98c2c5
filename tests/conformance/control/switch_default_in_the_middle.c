// verdict: TRUE
// fact: default is taken only when no case matches, wherever it stands
#include <assert.h>

static int f(int x)
{
    switch (x) {
    case 1: return 10;
    default: return 20;
    case 2: return 30;
    }
}

int main(void)
{
    assert(f(1) == 10 && f(2) == 30 && f(3) == 20);
    return 0;
}
