// verdict: TRUE
// fact: a GNU array of length zero takes no space
#include <assert.h>

struct s { int n; char data[0]; };

int main(void)
{
    assert(sizeof(struct s) == 4);
    struct s s;
    assert((char *)s.data == (char *)&s + 4);
    return 0;
}
