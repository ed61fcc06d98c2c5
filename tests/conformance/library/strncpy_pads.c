// verdict: TRUE
// fact: strncpy pads with zeros, and drops the zero when it does not fit
#include <assert.h>
#include <string.h>

int main(void)
{
    char d[4] = { 9, 9, 9, 9 };
    strncpy(d, "a", 3);
    assert(d[0] == 'a' && d[1] == 0 && d[2] == 0 && d[3] == 9);
    strncpy(d, "xyz", 2);
    assert(d[1] == 'y' && d[2] == 0);
    return 0;
}
