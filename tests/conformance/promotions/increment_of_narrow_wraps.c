// verdict: TRUE
// fact: ++ on a narrow type wraps in that type
#include <assert.h>

int main(void)
{
    unsigned char c = 255;
    signed char s = 127;
    unsigned short h = 0;
    ++c;
    s++;
    h--;
    assert(c == 0);
    assert(s == -128);
    assert(h == 65535);
    return 0;
}
