// verdict: FALSE
// gcc: no, an input
// fact: a volatile object that is never written reads as anything
#include <assert.h>

volatile int port;

int main(void)
{
    int a = port, b = port;
    assert(a == b);
    return 0;
}
