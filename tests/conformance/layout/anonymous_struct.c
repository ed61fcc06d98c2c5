// verdict: TRUE
// fact: fields of an anonymous struct are fields of the outer struct
#include <assert.h>

union u { struct { short low, high; }; int whole; };

int main(void)
{
    union u u;
    u.whole = 0x00050007;
    assert(u.low == 7 && u.high == 5);
    return 0;
}
