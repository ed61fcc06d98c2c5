// verdict: TRUE
// fact: a table of functions calls the one at the index
#include <assert.h>

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }

static int (*const table[])(int, int) = { add, sub, mul };

int main(void)
{
    int expected[3] = { 9, 5, 14 };
    for (int i = 0; i < 3; i++)
        assert(table[i](7, 2) == expected[i]);
    return 0;
}
