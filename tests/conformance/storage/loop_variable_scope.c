// verdict: TRUE
// fact: the variable of a for loop hides one outside
#include <assert.h>

int main(void)
{
    int i = 42, sum = 0;
    for (int i = 0; i < 3; i++)
        sum += i;
    assert(i == 42 && sum == 3);
    return 0;
}
