// verdict: TRUE
// fact: a character constant is an int
#include <assert.h>

int main(void)
{
    assert(sizeof 'a' == 4);
    assert('\377' == -1);
    assert('a' + 1 == 'b');
    return 0;
}
