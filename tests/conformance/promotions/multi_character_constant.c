// verdict: TRUE
// fact: gcc packs the characters of 'ab' from the left
#include <assert.h>

int main(void)
{
    assert('ab' == 'a' * 256 + 'b');
    return 0;
}
