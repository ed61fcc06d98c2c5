// verdict: TRUE
// fact: a struct larger than two registers passes and returns like any other
#include <assert.h>

struct s { int v[6]; double d; };

static struct s step(struct s s) { s.v[5] += s.v[0]; s.d *= 2; return s; }

int main(void)
{
    struct s s = { { 1, 2, 3, 4, 5, 6 }, 0.5 };
    struct s t = step(step(s));
    assert(t.v[5] == 8 && t.d == 2.0 && t.v[3] == 4);
    assert(s.v[5] == 6);
    return 0;
}
