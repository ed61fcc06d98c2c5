// args: --check stability --engine pdr
// Events that are consumed: the system comes to rest after each input.
#include <syncline.h>
_Bool button;
int light;
void lamp(void) {
off:
    choice { when (button) { light = 1; goto on; } }
on:
    choice { when (button) { light = 0; goto off; } }
}
void events(void) {
s:
    atomic { if (button) button = 0; goto s; }
}
void environment(void) { button = __VERIFIER_nondet_bool(); }
int main(void) {
    sync(lamp);
    sync(events);
    sync_environment(environment);
    sync_time(asynchronous);
    always(light == 0 || light == 1);
}
