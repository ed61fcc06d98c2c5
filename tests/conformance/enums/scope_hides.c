// verdict: TRUE
// fact: an inner enumerator hides the outer one
#include <assert.h>

enum { N = 1 };

int main(void)
{
    int outer = N;
    {
        enum { M = N + 1, N = 10 };
        assert(M == 2 && N == 10);
    }
    assert(outer == 1 && N == 1);
    return 0;
}
