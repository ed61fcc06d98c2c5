// verdict: FALSE
// fact: not so: see unsigned_char_sum_is_int.c
#include <assert.h>

static int sum(unsigned char a, unsigned char b) { return a + b; }

int main(void)
{
    assert(sum(200, 100) == 44);
    return 0;
}
