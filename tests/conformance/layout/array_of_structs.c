// verdict: TRUE
// fact: elements of an array of structs are sizeof apart
#include <assert.h>

struct s { char c; int i; };

int main(void)
{
    struct s a[3];
    assert(sizeof a == 24);
    assert((char *)&a[2] - (char *)a == 16);
    assert((char *)&a[1].i - (char *)&a[0].i == 8);
    return 0;
}
