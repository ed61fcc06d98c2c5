// verdict: UNKNOWN
// options: --strict-calls
// gcc: no, a function without definition
// fact: with --strict-calls a declared-only function is unsupported
#include <assert.h>

int unknown(void);

int main(void)
{
    unknown();
    assert(1);
    return 0;
}
