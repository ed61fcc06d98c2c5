// row: correctness | --property always.assertion.1 | SAFE | pdr lawi
// row: stability | --check stability --property system.stability.1 | SAFE | pdr lawi
/*
 * Mutual exclusion of three processes: Figs. 2.2 and 2.3 of the thesis.
 *
 * A process goes init -[start]-> run -[req_cs]-> wait -[entry]-> cs -[rel_cs]-> run. It enters when the lock is free and it
 * is the only one that waits, so two that wait at the same time block each other: the protocol is safe, not live.
 *
 * Processes: p_1, p_2, p_3. Inputs: three events for each; the transition that an event triggers consumes it, and in
 * stable states (asynchronous time) the environment gives all of them anew.
 *
 * Properties: `correctness`, at most one process is in its critical section; `stability`, with the events of one moment
 * the processes come to rest.
 */
#include <syncline.h>

_Bool start_1, req_cs_1, rel_cs_1;
_Bool start_2, req_cs_2, rel_cs_2;
_Bool start_3, req_cs_3, rel_cs_3;

_Bool lock;
_Bool in_wait_1, in_wait_2, in_wait_3;
_Bool in_cs_1, in_cs_2, in_cs_3;

void p_1(void)
{
init_1:
    atomic {
        if (start_1) {
            start_1 = 0;
            goto run_1;
        } else
            goto init_1;
    }
run_1:
    atomic {
        if (req_cs_1) {
            req_cs_1 = 0;
            in_wait_1 = 1;
            goto wait_1;
        } else
            goto run_1;
    }
wait_1:
    atomic {
        if (lock == 0 && in_wait_2 == 0 && in_wait_3 == 0) {
            lock = 1;
            in_wait_1 = 0;
            in_cs_1 = 1;
            goto cs_1;
        } else
            goto wait_1;
    }
cs_1:
    atomic {
        if (rel_cs_1) {
            rel_cs_1 = 0;
            lock = 0;
            in_cs_1 = 0;
            goto run_1;
        } else
            goto cs_1;
    }
}

void p_2(void)
{
init_2:
    atomic {
        if (start_2) {
            start_2 = 0;
            goto run_2;
        } else
            goto init_2;
    }
run_2:
    atomic {
        if (req_cs_2) {
            req_cs_2 = 0;
            in_wait_2 = 1;
            goto wait_2;
        } else
            goto run_2;
    }
wait_2:
    atomic {
        if (lock == 0 && in_wait_1 == 0 && in_wait_3 == 0) {
            lock = 1;
            in_wait_2 = 0;
            in_cs_2 = 1;
            goto cs_2;
        } else
            goto wait_2;
    }
cs_2:
    atomic {
        if (rel_cs_2) {
            rel_cs_2 = 0;
            lock = 0;
            in_cs_2 = 0;
            goto run_2;
        } else
            goto cs_2;
    }
}

void p_3(void)
{
init_3:
    atomic {
        if (start_3) {
            start_3 = 0;
            goto run_3;
        } else
            goto init_3;
    }
run_3:
    atomic {
        if (req_cs_3) {
            req_cs_3 = 0;
            in_wait_3 = 1;
            goto wait_3;
        } else
            goto run_3;
    }
wait_3:
    atomic {
        if (lock == 0 && in_wait_1 == 0 && in_wait_2 == 0) {
            lock = 1;
            in_wait_3 = 0;
            in_cs_3 = 1;
            goto cs_3;
        } else
            goto wait_3;
    }
cs_3:
    atomic {
        if (rel_cs_3) {
            rel_cs_3 = 0;
            lock = 0;
            in_cs_3 = 0;
            goto run_3;
        } else
            goto cs_3;
    }
}

void environment(void)
{
    start_1 = __VERIFIER_nondet_bool();
    req_cs_1 = __VERIFIER_nondet_bool();
    rel_cs_1 = __VERIFIER_nondet_bool();
    start_2 = __VERIFIER_nondet_bool();
    req_cs_2 = __VERIFIER_nondet_bool();
    rel_cs_2 = __VERIFIER_nondet_bool();
    start_3 = __VERIFIER_nondet_bool();
    req_cs_3 = __VERIFIER_nondet_bool();
    rel_cs_3 = __VERIFIER_nondet_bool();
}

int main(void)
{
    atomic {
        sync(p_1);
        sync(p_2);
        sync(p_3);
    }
    sync_environment(environment);
    sync_time(asynchronous);
    always(in_cs_1 + in_cs_2 + in_cs_3 <= 1);
}
