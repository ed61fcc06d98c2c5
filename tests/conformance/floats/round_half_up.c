// verdict: FALSE
// fact: not so: see round_to_even.c
#include <assert.h>

static float narrow(int i) { return i; }

int main(void)
{
    assert(narrow(16777217) == 16777218.0f);
    assert(narrow(16777219) == 16777220.0f);
    return 0;
}
