// verdict 32: TRUE
// verdict 64: FALSE
// fact: an array parameter is a pointer
#include <assert.h>

static unsigned size(char a[100]) { return sizeof a; }

int main(void)
{
    char a[100];
    assert(sizeof a == 100);
    assert(size(a) == 4);
    return 0;
}
