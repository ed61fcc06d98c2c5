// verdict: TRUE
// fact: an aligned attribute pads the struct
#include <assert.h>
#include <stddef.h>

struct s { char c; } __attribute__((aligned(8)));
struct t { char c; int i __attribute__((aligned(16))); };

int main(void)
{
    assert(sizeof(struct s) == 8);
    assert(offsetof(struct t, i) == 16 && sizeof(struct t) == 32);
    return 0;
}
