// args: --check race
// last: FALSE(x.race.1)
#include <syncline.h>
int x;
_Bool in;
void one(void) {
s:
    atomic { if (in) x = 1; goto s; }
}
void two(void) {
    idle();
    idle();
    x = 2;
}
void environment(void) { in = __VERIFIER_nondet_bool(); }
int main(void) {
    sync(one);
    sync(two);
    sync_environment(environment);
}
