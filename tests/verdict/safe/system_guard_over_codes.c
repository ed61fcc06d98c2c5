// args: --32 --time 20
/* A guard that is false for all values of a variable does not look so once it has codes. */
#include <syncline.h>
#include <assert.h>
_Bool in0;
blocking unsigned char v0 = 0;
void put0(unsigned char value) { v0 = value; }
unsigned char v1 = 3;
void put1(unsigned char value) { v1 = value; }
void p0(void);
void p1(void);
void p0(void) {
    unsigned char l0 = 1;
s0:
    choice {
        when (2 < 0) {
            if (v0 == 2) {
                if (3 < 3) goto over2;
                v1 = 2;
                over2: (void)0;
                v0 = ((v0 + v0) & 3);
                goto s0;
            } else {
                if (((v0 == 3) && (in0))) goto over1;
                v1 = v0;
                over1: (void)0;
                goto s0;
            }
            v1 = v0;
            goto s0;
        }
        when (!(in0)) {
            idle();
            goto s0;
        }
        when (v1 == v0) {
            v1 = 2;
            goto s0;
        }
    }
}
void p1(void) {
    unsigned char l0 = 1;
s0:
    choice {
        when (((v1 == l0) && (in0))) {
            l0 = 0;
            if (((v0 == 3) && (v0 == 0))) {
                v1 = l0;
                for (int i4 = 0; i4 < 2; i4++) {
                    put1(l0);
                }
                goto s1;
            } else {
                if (v0 == 0) {
                    v1 = ((3 + 2) & 3);
                    v0 = 0;
                } else {
                    put0(3);
                    goto s0;
                }
            }
        }
        when (((v0 == l0) || (in0))) {
            l0 = 2;
            goto s0;
        }
        when (in0) {
            assert(((in0) || (1 < 0)));
            goto s1;
        }
        otherwise {
            if (((v1 == l0) || (in0))) {
                v1 = 2;
                v1 = 1;
                goto s1;
            }
            goto s1;
        }
    }
s1:
    choice {
        when (in0) {
            v1 = 2;
            goto s0;
        }
        when (((in0) || (in0))) {
            v0 = l0;
            goto s0;
        }
    }
}
void environment(void) {
    in0 = __VERIFIER_nondet_bool();
}
int main(void) {
    sync(p0);
    sync(p1);
    sync_environment(environment);
    sync_time(synchronous);
    always(!(((v0 == 1) && (3 < 1))));
}
