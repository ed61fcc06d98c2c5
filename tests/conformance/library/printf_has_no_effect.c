// verdict: TRUE
// fact: printf leaves every variable
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int x = 3;
    printf("%d %s\n", x, "text");
    assert(x == 3);
    return 0;
}
