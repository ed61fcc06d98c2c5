// verdict 32: TRUE
// verdict 64: TRUE
// fact: wchar_t is a signed int; size_t is unsigned and as wide as a pointer
#include <assert.h>
#include <stddef.h>

int main(void)
{
    assert(sizeof(wchar_t) == 4 && (wchar_t)-1 < 0);
    assert(sizeof(size_t) == sizeof(void *) && (size_t)-1 > 0);
    assert(sizeof L"ab" == 12);
    assert((ptrdiff_t)-1 < 0);
    return 0;
}
