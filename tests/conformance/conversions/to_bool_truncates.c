// verdict: FALSE
// fact: not so: see to_bool_is_not_truncation.c
#include <assert.h>

static _Bool truth(int i) { return i; }

int main(void)
{
    assert(truth(256) == 0);
    assert(truth(-2) == 1);
    assert(truth(0) == 0);
    return 0;
}
