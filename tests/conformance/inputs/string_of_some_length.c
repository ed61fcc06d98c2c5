// verdict: TRUE
// gcc: no, an input
// fact: strlen finds the zero wherever it is
#include <assert.h>
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    char s[5] = "abcd";
    unsigned i = __VERIFIER_nondet_uint() % 5;
    s[i] = 0;
    assert(strlen(s) == i);
    return 0;
}
