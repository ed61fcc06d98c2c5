// says: this loop takes no step
// says: sync_endless_step.c:7:
#include <syncline.h>
_Bool go;
void p(void) {
    go = 0;
    while (!go) {
    }
}
int main(void) { sync(p); }
