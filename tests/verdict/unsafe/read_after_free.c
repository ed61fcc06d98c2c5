// Freed memory reads as anything.
#include <assert.h>
#include <stdlib.h>
int main(void) {
    int *p=malloc(4);
    *p=5;
    free(p);
    int x=*p;
    assert(x==5);
    return 0;
}
