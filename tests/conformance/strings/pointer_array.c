// verdict: TRUE
// fact: an array of strings gives each its characters
#include <assert.h>

int main(void)
{
    const char *names[] = { "zero", "one", "two" };
    int i = 2;
    assert(names[i][1] == 'w');
    assert(sizeof names / sizeof names[0] == 3);
    return 0;
}
