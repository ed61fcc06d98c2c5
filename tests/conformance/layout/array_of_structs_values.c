// verdict: TRUE
// fact: fields of different elements are different objects
#include <assert.h>

struct s { char c; int i; };

int main(void)
{
    struct s a[3];
    for (int k = 0; k < 3; k++) {
        a[k].c = k;
        a[k].i = -k;
    }
    assert(a[0].c == 0 && a[1].c == 1 && a[2].c == 2);
    assert(a[1].i == -1 && a[2].i == -2);
    return 0;
}
