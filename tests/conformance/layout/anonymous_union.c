// verdict: TRUE
// fact: members of an anonymous union are fields of the struct and overlap
#include <assert.h>
#include <stddef.h>

struct s { int tag; union { int i; char c; }; int end; };

int main(void)
{
    struct s s;
    s.i = 0x102;
    assert(offsetof(struct s, c) == 4 && offsetof(struct s, end) == 8);
    assert(s.c == 2);
    return 0;
}
