// verdict: TRUE
// fact: one pointer may go through arrays of records of different sizes
#include <assert.h>

struct two { int x, y; };
struct three { int x, y, z; };

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    struct two a[4] = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } };
    struct three b[4] = { { 11, 12, 13 }, { 14, 15, 16 }, { 17, 18, 19 }, { 20, 21, 22 } };
    int which = __VERIFIER_nondet_int() != 0;
    void *any = which ? (void *)a : (void *)b;
    struct two *p = any;
    struct three *q = any;
    int i = __VERIFIER_nondet_int() & 3;
    if (which) {
        p += i;
        assert(p->x == 2 * i + 1 && p->y == 2 * i + 2);
        p->y = 50;
        assert(a[i].y == 50 && a[i].x == 2 * i + 1);
    } else {
        q += i;
        assert(q->x == 3 * i + 11 && q->z == 3 * i + 13);
        q->y = 60;
        assert(b[i].y == 60 && b[i].z == 3 * i + 13);
        assert(((struct two *)b)[1].x == 13);
    }
    return 0;
}
