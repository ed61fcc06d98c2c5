// verdict: TRUE
// fact: main without return ends the run normally
#include <assert.h>

int main(void)
{
    int x = 1;
    assert(x);
}
