// says: `sync` under a condition
#include <syncline.h>
int x;
void p(void) { x = 1; }
int main(void) {
    if (x)
        sync(p);
    sync_time(synchronous);
}
