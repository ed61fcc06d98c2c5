// says: register one with `sync(p)`
#include <syncline.h>
_Bool a;
void e(void) { a = __VERIFIER_nondet_bool(); }
int main(void) { sync_environment(e); }
