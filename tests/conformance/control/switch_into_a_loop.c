// verdict: TRUE
// fact: a case label may stand inside a loop of the switch
#include <assert.h>

static int copies(int n)
{
    int done = 0, rounds = (n + 1) / 2;
    switch (n % 2) {
    case 0: do { done++;
    case 1: done++;
            } while (--rounds > 0);
    }
    return done;
}

int main(void)
{
    assert(copies(4) == 4 && copies(3) == 3);
    return 0;
}
