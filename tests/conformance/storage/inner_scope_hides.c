// verdict: TRUE
// fact: an inner variable hides the outer one
#include <assert.h>

int x = 1;

int main(void)
{
    int x = 2;
    {
        int x = 3;
        assert(x == 3);
        {
            extern int x;
            assert(x == 1);
        }
    }
    assert(x == 2);
    return 0;
}
