// verdict: TRUE
// fact: continue inside a switch belongs to the loop, break to the switch
#include <assert.h>

int main(void)
{
    int n = 0;
    for (int i = 0; i < 3; i++) {
        switch (i) {
        case 0: continue;
        case 1: break;
        }
        n += 10 + i;
    }
    assert(n == 23);
    return 0;
}
