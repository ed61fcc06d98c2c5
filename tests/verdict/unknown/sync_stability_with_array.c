// args: --check stability --engine pdr
// The state has an array, which is not for this engine: it gives up and says so, however much time there is.
#include <syncline.h>

int cells[3];
_Bool input;

void left(void) {
run:
    atomic { if (input && cells[0] < 3) cells[0] = cells[0] + 1; goto run; }
}

void environment(void) { input = __VERIFIER_nondet_bool(); }

int main(void) {
    sync(left);
    sync_environment(environment);
    sync_time(asynchronous);
}
