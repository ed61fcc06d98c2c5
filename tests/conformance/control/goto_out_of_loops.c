// verdict: TRUE
// fact: goto leaves all loops at once
#include <assert.h>

int main(void)
{
    int n = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (i == 1)
                goto out;
            n++;
        }
out:
    assert(n == 3);
    return 0;
}
