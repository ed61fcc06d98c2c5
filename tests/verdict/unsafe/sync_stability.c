// args: --check stability
// last: FALSE(system.stability.1)
// The button is held down: the lamp goes on and off for ever.
#include <syncline.h>
_Bool button;
int light;
void lamp(void) {
off:
    choice { when (button) { light = 1; goto on; } }
on:
    choice { when (button) { light = 0; goto off; } }
}
void environment(void) { button = __VERIFIER_nondet_bool(); }
int main(void) {
    sync(lamp);
    sync_environment(environment);
    sync_time(asynchronous);
}
