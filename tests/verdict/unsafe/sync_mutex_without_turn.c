#include <syncline.h>
#include <assert.h>

_Bool start_i, req_cs_i, rel_cs_i, start_j, req_cs_j, rel_cs_j;
int lock, in_wait_i, in_cs_i, in_wait_j, in_cs_j;

void p_i(void) {
init_i:
    atomic { if (start_i) goto run_i; else goto init_i; }
run_i:
    atomic { if (req_cs_i) { in_wait_i = 1; goto wait_i; } else goto run_i; }
wait_i:
    atomic {
        if (lock == 0) {
            lock = 1;
            in_wait_i = 0;
            in_cs_i = 1;
            goto cs_i;
        } else
            goto wait_i;
    }
cs_i:
    atomic { if (rel_cs_i) { lock = 0; in_cs_i = 0; goto run_i; } else goto cs_i; }
}
void p_j(void) {
init_j:
    atomic { if (start_j) goto run_j; else goto init_j; }
run_j:
    atomic { if (req_cs_j) { in_wait_j = 1; goto wait_j; } else goto run_j; }
wait_j:
    atomic {
        if (lock == 0) {
            lock = 1;
            in_wait_j = 0;
            in_cs_j = 1;
            goto cs_j;
        } else
            goto wait_j;
    }
cs_j:
    atomic { if (rel_cs_j) { lock = 0; in_cs_j = 0; goto run_j; } else goto cs_j; }
}

void environment(void) {
    start_i = __VERIFIER_nondet_bool();
    req_cs_i = __VERIFIER_nondet_bool();
    rel_cs_i = __VERIFIER_nondet_bool();
    start_j = __VERIFIER_nondet_bool();
    req_cs_j = __VERIFIER_nondet_bool();
    rel_cs_j = __VERIFIER_nondet_bool();
}

int main(void) {
    sync(p_i);
    sync(p_j);
    sync_environment(environment);
    sync_time(asynchronous);
    always(!(in_cs_i && in_cs_j));
}
