// verdict: TRUE
// fact: an int object is aligned to 4 bytes
#include <assert.h>
#include <stdint.h>

int g;

int main(void)
{
    int l;
    assert((uintptr_t)&g % 4 == 0);
    assert((uintptr_t)&l % 4 == 0);
    return 0;
}
