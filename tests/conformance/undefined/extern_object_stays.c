// verdict: TRUE
// gcc: no, an object without definition
// fact: an extern object keeps its value until it is written
#include <assert.h>

extern int x;

int main(void)
{
    int y = x;
    assert(x == y);
    x = 4;
    assert(x == 4);
    return 0;
}
