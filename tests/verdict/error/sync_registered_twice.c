// says: the process `p` is registered twice, first in line 7
// says: sync_registered_twice.c:8:
#include <syncline.h>
int x;
void p(void) { x = 1; }
int main(void) {
    sync(p);
    sync(p);
}
