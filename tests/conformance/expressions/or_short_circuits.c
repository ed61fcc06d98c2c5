// verdict: TRUE
// fact: || does not evaluate its right side when the left is true
#include <assert.h>

int main(void)
{
    int i = 0;
    int r = 5 || i++;
    assert(r == 1 && i == 0);
    r = 0 || i++;
    assert(r == 0 && i == 1);
    return 0;
}
