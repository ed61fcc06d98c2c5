// says: recursion through processes: `p` would start itself
// says: sync_recursion.c:7:
#include <syncline.h>
int x;
void p(void);
void q(void) {
    sync(p);
}
void p(void) {
    sync(q);
}
int main(void) { sync(p); }
