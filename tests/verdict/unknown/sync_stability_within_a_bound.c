// args: --check stability --unwind 12
// says: runs go beyond the unwinding bound
// A level that rises for ever: its lasso has 256 steps. Within the bound stability is neither shown nor refuted.
#include <syncline.h>
_Bool input;
unsigned char level;
void p(void) { s: atomic { level = level + 1; goto s; } }
void environment(void) { input = __VERIFIER_nondet_bool(); }
int main(void) { sync(p); sync_environment(environment); sync_time(asynchronous); }
