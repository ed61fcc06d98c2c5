// says: a second environment
// says: sync_two_environments.c:11:
#include <syncline.h>
_Bool a, b;
void p(void) { atomic { a = b; } }
void e(void) { a = __VERIFIER_nondet_bool(); }
void f(void) { b = __VERIFIER_nondet_bool(); }
int main(void) {
    sync(p);
    sync_environment(e);
    sync_environment(f);
}
