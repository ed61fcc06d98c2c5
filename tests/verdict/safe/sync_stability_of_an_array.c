// args: --check stability
// last: TRUE
// A cell is set once: as soon as the array is compared without its cells, it seems to go on for ever.
#include <syncline.h>
_Bool button;
unsigned char cells[3];
void fill(void) {
wait:
    choice {
        when (button && cells[0] == 0) {
            cells[0] = 1;
            goto wait;
        }
        when (button && cells[0] == 1 && cells[2] == 0) {
            cells[2] = 1;
            goto wait;
        }
    }
}
void environment(void) { button = __VERIFIER_nondet_bool(); }
int main(void) {
    sync(fill);
    sync_environment(environment);
    sync_time(asynchronous);
}
