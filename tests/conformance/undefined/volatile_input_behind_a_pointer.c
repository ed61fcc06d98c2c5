// verdict: FALSE
// gcc: no, a device may change the object
// fact: a volatile object that is never written reads as anything, through a pointer too
#include <assert.h>
volatile int sensor;
int main(void) {
    volatile int *p = &sensor;
    assert(*p == 0);
    return 0;
}
