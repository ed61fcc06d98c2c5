// verdict: FALSE bounds
// options: --check bounds
// gcc: no, gcc does not look for accesses outside
// fact: a strcpy without space for the zero is found
#include <string.h>

int main(void)
{
    char a[3];
    strcpy(a, "abc");
    return 0;
}
