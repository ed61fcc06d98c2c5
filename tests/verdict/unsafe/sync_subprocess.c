// last: FALSE(always.assertion.1)
// A parent starts a counter and stops it too late.
#include <syncline.h>
unsigned char n, t;
void counter(void) {
s:
    n = n + 1;
    goto s;
}
void parent(void) {
    sync(counter);
w:
    atomic { t = t + 1; if (t < 6) goto w; }
    sync_stop(counter);
}
int main(void) {
    sync(parent);
    always(n < 4);
}
