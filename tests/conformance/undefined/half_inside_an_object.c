// verdict: TRUE
// fact: of a read that is half inside an object, that half is the object's
#include <assert.h>

int main(void)
{
    char t = 50;
    void *p = &t;
    unsigned *wide = p;
    assert((char)*wide == 50);
    return 0;
}
