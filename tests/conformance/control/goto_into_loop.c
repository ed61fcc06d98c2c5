// verdict: TRUE
// fact: goto may enter a loop past its condition
#include <assert.h>

int main(void)
{
    int i = 10, n = 0;
    goto middle;
    while (i < 3) {
        n += 100;
    middle:
        n++;
        i = i == 10 ? 2 : i + 1;
    }
    assert(n == 102 && i == 3);
    return 0;
}
