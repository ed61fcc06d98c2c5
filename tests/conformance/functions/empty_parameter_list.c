// verdict: TRUE
// fact: a function declared with () takes the arguments it is defined with
#include <assert.h>

static int add();

int main(void)
{
    assert(add(2, 3) == 5);
    return 0;
}

static int add(int a, int b) { return a + b; }
