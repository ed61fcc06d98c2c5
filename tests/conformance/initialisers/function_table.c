// verdict: TRUE
// fact: a table of structs can hold functions and names
#include <assert.h>

static int one(void) { return 1; }
static int two(void) { return 2; }

static const struct { const char *name; int (*f)(void); } table[] = {
    { "one", one },
    { .f = two, .name = "two" },
};

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 2; i++)
        sum = sum * 10 + table[i].f();
    assert(sum == 12 && table[1].name[0] == 't');
    return 0;
}
