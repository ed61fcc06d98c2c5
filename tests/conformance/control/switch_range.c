// verdict: TRUE
// fact: GNU case ranges include both ends
#include <assert.h>

static int digit(char c)
{
    switch (c) {
    case '0' ... '9': return 1;
    default: return 0;
    }
}

int main(void)
{
    assert(digit('0') && digit('9') && !digit('/') && !digit(':'));
    return 0;
}
