// verdict: TRUE
// fact: a GNU statement expression gives its last value
#include <assert.h>

#define MAX(a, b) ({ int x_ = (a), y_ = (b); x_ > y_ ? x_ : y_; })

int main(void)
{
    int i = 1;
    assert(MAX(i++, 0) == 1);
    assert(i == 2);
    return 0;
}
