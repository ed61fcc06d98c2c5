// verdict: TRUE
// fact: continue in a do loop goes to its condition
#include <assert.h>

int main(void)
{
    int i = 0, n = 0;
    do {
        i++;
        if (i == 2)
            continue;
        n++;
    } while (i < 3);
    assert(i == 3 && n == 2);
    return 0;
}
