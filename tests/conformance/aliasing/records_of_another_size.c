// verdict: TRUE
// fact: records of another size, read over an array, lie across its elements
#include <assert.h>

struct two { int a, b; };
struct three { int a, b, c; };

static struct two pairs[3];
static struct three triples[2];

int main(void)
{
    int which = 1, k = 1;
    pairs[k].a = 10;
    triples[k].c = 3;
    struct three *over = which ? (struct three *)pairs : triples;
    // Byte 8 is where the second pair begins. The arrays are not named any more: what is known of them must do.
    assert(over->c == 10);
    return 0;
}
