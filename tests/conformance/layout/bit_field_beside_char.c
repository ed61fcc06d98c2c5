// verdict: TRUE
// fact: a bit-field may share its unit with an ordinary field
#include <assert.h>
#include <stddef.h>

struct s { char c; int b : 8; short d : 10; char e; };

int main(void)
{
    assert(sizeof(struct s) == 8);
    assert(offsetof(struct s, e) == 4);
    return 0;
}
