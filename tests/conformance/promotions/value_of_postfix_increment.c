// verdict: TRUE
// fact: the value of c++ is the old value, the value of ++c the narrowed new one
#include <assert.h>

int main(void)
{
    unsigned char c = 255;
    int old = c++;
    assert(old == 255 && c == 0);
    c = 255;
    int fresh = ++c;
    assert(fresh == 0);
    return 0;
}
