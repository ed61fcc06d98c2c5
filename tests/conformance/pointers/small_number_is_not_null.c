// verdict: FALSE
// gcc: no, the machine does not survive the access
// fact: only null ends the run; another address outside any object is read as anything
#include <assert.h>

int main(void)
{
    char *p = (char *)1;
    char c = *p;
    assert(c == 0);
    return 0;
}
