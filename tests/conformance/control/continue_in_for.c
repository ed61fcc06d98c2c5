// verdict: TRUE
// fact: continue runs the step of a for loop
#include <assert.h>

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        if (i == 1)
            continue;
        sum += i;
    }
    assert(sum == 5);
    return 0;
}
