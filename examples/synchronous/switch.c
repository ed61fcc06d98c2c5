// row: correctness | --property always.assertion.1 | UNSAFE | bmc kinduction pdr explicit lawi
/*
 * Two switches that should be one: the faulty switch of the Lustre benchmarks.
 *
 * The reference is switched on by `set` and off by `reset`; if both come, `set` wins. The other switch looks at `set` only
 * while it is off, so both together switch it off when it is on. From then on the two disagree, also in steps
 * in which the inputs do not come together, which is all that the property looks at.
 *
 * Processes: reference, toggle; each computes one flow. Inputs in every step (synchronous time); the position at the
 * beginning is an input too.
 *
 * Property: `correctness`, in a step without both inputs the levels agree. It does not hold.
 */
#include <syncline.h>

_Bool set, reset;
_Bool level_reference, level_toggle;

void reference(void)
{
run:
    atomic {
        if (set)
            level_reference = 1;
        else if (reset)
            level_reference = 0;
        goto run;
    }
}

void toggle(void)
{
run:
    atomic {
        if (set && !level_toggle)
            level_toggle = 1;
        else if (reset)
            level_toggle = 0;
        goto run;
    }
}

void environment(void)
{
    set = __VERIFIER_nondet_bool();
    reset = __VERIFIER_nondet_bool();
}

int main(void)
{
    _Bool position = __VERIFIER_nondet_bool();
    level_reference = position;
    level_toggle = position;
    sync(reference);
    sync(toggle);
    sync_environment(environment);
    sync_time(synchronous);
    always((set && reset) || level_reference == level_toggle);
}
