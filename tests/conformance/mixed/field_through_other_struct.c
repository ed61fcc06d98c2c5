// verdict: TRUE
// fact: a field is found through a struct of the same layout
#include <assert.h>

struct rgb { unsigned char r, g, b, a; };
struct word { unsigned w; };

int main(void)
{
    struct word w = { 0x44332211 };
    struct rgb *p = (struct rgb *)&w;
    assert(p->r == 0x11 && p->a == 0x44);
    p->g = 0;
    assert(w.w == 0x44330011);
    return 0;
}
