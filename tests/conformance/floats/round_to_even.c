// verdict: TRUE
// fact: a tie rounds to the even neighbour
#include <assert.h>

static float narrow(int i) { return i; }

int main(void)
{
    assert(narrow(16777217) == 16777216.0f);
    assert(narrow(16777219) == 16777220.0f);
    return 0;
}
