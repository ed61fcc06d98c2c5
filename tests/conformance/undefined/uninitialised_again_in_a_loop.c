// verdict: FALSE
// gcc: no, an uninitialised local
// fact: a local is uninitialised again on each entry of its block
#include <assert.h>

int main(void)
{
    for (int i = 0; i < 2; i++) {
        int x;
        if (i == 1)
            assert(x == 5);
        x = 5;
    }
    return 0;
}
