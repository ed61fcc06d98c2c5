// args: --check nondeterminism
// last: FALSE(p.nondeterminism.1)
#include <syncline.h>
_Bool a, b;
int x;
void p(void) {
s:
    choice {
        when (a) { x = 1; goto s; }
        when (b && x == 1) { x = 2; goto s; }
    }
}
void environment(void) { a = __VERIFIER_nondet_bool(); b = __VERIFIER_nondet_bool(); }
int main(void) {
    sync(p);
    sync_environment(environment);
}
