#include <assert.h>

int f(int x)
{
    int r = 0;
    switch (x) {
    case 1: r += 1;
    case 2: r += 2; break;
    default: r = 100;
    case 7 ... 9: r += 7; break;
    case 4: return 4;
    }
    return r;
}
int main(void)
{
    assert(f(1) == 3 && f(2) == 2 && f(3) == 107 && f(8) == 7 && f(4) == 4);
    return 0;
}
