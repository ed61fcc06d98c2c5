// verdict: TRUE
// fact: a pointer may lead into arrays of records of different sizes
#include <assert.h>

struct two { int v[2]; };
struct three { int v[3]; };

static struct two a[4];
static struct three b[4];

static int *pick(int which, struct two *p, struct three *q) { return which ? p->v : q->v; }

int main(void)
{
    struct two *p = a;
    struct three *q = b;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 2; j++) p->v[j] = 10 * i + j;
        for (int j = 0; j < 3; j++) q->v[j] = 100 * i + j;
        int *one = pick(1, p, q), *other = pick(0, p, q);
        for (int j = 0; j < 2; j++) assert(one[j] == 10 * i + j);
        for (int j = 0; j < 3; j++) assert(other[j] == 100 * i + j);
        one[1] = 7;
        assert(a[i].v[1] == 7 && a[i].v[0] == 10 * i);
        p++;
        q++;
    }
    assert(a[3].v[1] == 7 && b[3].v[1] == 301);
    return 0;
}
