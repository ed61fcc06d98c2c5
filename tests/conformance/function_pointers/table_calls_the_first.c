// verdict: FALSE
// fact: not so: see table.c
#include <assert.h>

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }

static int (*const table[])(int, int) = { add, sub, mul };

int main(void)
{
    int expected[3] = { 9, 9, 9 };
    for (int i = 0; i < 3; i++)
        assert(table[i](7, 2) == expected[i]);
    return 0;
}
