// verdict: FALSE bounds
// options: --check bounds
// gcc: no, gcc does not look for accesses outside
// fact: a memcpy that writes past the end is found
#include <string.h>

int main(void)
{
    char a[4], b[8] = { 0 };
    memcpy(a, b, 5);
    return 0;
}
