// verdict: TRUE
// fact: a do loop runs its body at least once
#include <assert.h>

int main(void)
{
    int n = 0;
    do
        n++;
    while (0);
    assert(n == 1);
    return 0;
}
