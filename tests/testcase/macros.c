#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define TWO (__VERIFIER_nondet_int() == 4 && __VERIFIER_nondet_int() == 5)
#define CHECK(x)                                                                                                       \
    do {                                                                                                               \
        if (TWO) assert(x);                                                                                            \
    } while (0)
int main(void) {
    CHECK(__VERIFIER_nondet_int() != 6);
    return 0;
}
