// verdict: TRUE
// fact: strcpy copies the final zero and no more
#include <assert.h>
#include <string.h>

int main(void)
{
    char d[5] = { 1, 2, 3, 4, 5 };
    strcpy(d, "ab");
    assert(d[0] == 'a' && d[1] == 'b' && d[2] == 0 && d[3] == 4);
    return 0;
}
