// args: --check stability
// last: FALSE(system.stability.1)
// Two cells of an array are swapped for ever: the state that comes again is that of all cells.
#include <syncline.h>
_Bool button;
unsigned char cells[2] = {1, 2};
void swap(void) {
wait:
    choice {
        when (button) {
            cells[0] = cells[1];
            cells[1] = cells[0];
            goto wait;
        }
    }
}
void environment(void) { button = __VERIFIER_nondet_bool(); }
int main(void) {
    sync(swap);
    sync_environment(environment);
    sync_time(asynchronous);
}
