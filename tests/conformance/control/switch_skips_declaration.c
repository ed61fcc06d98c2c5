// verdict: TRUE
// fact: statements before the first case are not run
#include <assert.h>

int main(void)
{
    int r = 1;
    switch (r) {
        r = 5;
    case 1: r += 10;
    }
    assert(r == 11);
    return 0;
}
