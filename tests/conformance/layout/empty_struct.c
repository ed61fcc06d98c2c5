// verdict: TRUE
// fact: a GNU struct without fields has size zero
#include <assert.h>

struct e { };
struct s { int a; struct e e; int b; };

int main(void)
{
    assert(sizeof(struct e) == 0);
    assert(sizeof(struct s) == 8);
    return 0;
}
