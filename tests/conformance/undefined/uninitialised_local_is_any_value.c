// verdict: FALSE
// gcc: no, an uninitialised local
// fact: an uninitialised local can have any value
#include <assert.h>

int main(void)
{
    int x;
    assert(x != 12345);
    return 0;
}
