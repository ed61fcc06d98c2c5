// verdict: TRUE
// fact: sizeof counts the elements of a compound literal
#include <assert.h>

int main(void)
{
    assert(sizeof((int[]){ 1, 2, 3 }) == 12);
    assert(sizeof((char[]){ "ab" }) == 3);
    return 0;
}
