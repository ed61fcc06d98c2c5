// verdict: TRUE
// fact: one pointer may go through arrays of records of different sizes
#include <assert.h>

struct two { int x, y; };
struct three { int x, y, z; };

static struct two a[4] = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } };
static struct three b[4] = { { 11, 12, 13 }, { 14, 15, 16 }, { 17, 18, 19 }, { 20, 21, 22 } };

static void *one_of(int which) { return which ? (void *)a : (void *)b; }

int main(void)
{
    for (int i = 0; i < 4; i++) {
        struct two *p = one_of(1);
        p += i;
        assert(p->x == 2 * i + 1 && p->y == 2 * i + 2);
        p->y = 50 + i;
        assert(a[i].y == 50 + i && a[i].x == 2 * i + 1);
        struct three *q = one_of(0);
        q += i;
        assert(q->x == 3 * i + 11 && q->z == 3 * i + 13);
        q->y = 60 + i;
        assert(b[i].y == 60 + i && b[i].z == 3 * i + 13);
    }
    assert(((struct two *)one_of(0))[1].x == 13);
    return 0;
}
