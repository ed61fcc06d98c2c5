// verdict: TRUE
// fact: a = b += c assigns from the right
#include <assert.h>

int main(void)
{
    int a = 1, b = 2, c = 3;
    a = b += c -= 1;
    assert(a == 4 && b == 4 && c == 2);
    return 0;
}
