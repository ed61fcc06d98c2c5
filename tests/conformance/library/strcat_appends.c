// verdict: TRUE
// fact: strcat writes over the zero
#include <assert.h>
#include <string.h>

int main(void)
{
    char d[6] = "ab";
    strcat(d, "cd");
    assert(d[2] == 'c' && d[3] == 'd' && d[4] == 0);
    return 0;
}
