// row: sensitive | --property alarm.assertion.1 --property alarm.assertion.2 | SAFE | explicit pdr lawi
// row: independent | --property alarm.assertion.3 --property alarm.assertion.4 | SAFE | explicit pdr lawi
/*
 * A car alarm as one sequential program, the way code that is generated from a Stateflow chart looks: it waits in nested
 * busy loops that count time out, and every statement is a step.
 *
 * The driver presses the lock button and has LEAVE ticks to close the doors. Then the alarm watches. A door that opens
 * gives ENTER ticks to press the button again; then the siren sounds in CYCLES cycles, each of BLASTS blasts of BLAST ticks
 * with GAP ticks of silence between them, until the button is pressed; afterwards the alarm watches on.
 *
 * Processes: alarm. Inputs in every step (synchronous time): the button, the doors.
 *
 * Properties: `sensitive`, assertions that need what the loops count: a blast that was not cut short has its full length
 * and lies within the bounds of all loops around it, a delay that has run out has run in full; `independent`, assertions
 * that do not: the siren is silent while the alarm waits for the driver, and sounds only in an armed car.
 */
#include <syncline.h>
#include <assert.h>

#define LEAVE 100
#define ENTER 150
#define CYCLES 3
#define BLASTS 100
#define BLAST 120
#define GAP 100

_Bool button, door;
_Bool armed, siren, lamp;

void alarm(void)
{
    unsigned char tick = 0;
    unsigned char blast = 0;
    unsigned char cycle = 0;
disarmed:
    armed = 0;
    siren = 0;
    lamp = 0;
    while (!button) {
        idle();
    }
leaving:
    lamp = 1;
    tick = 0;
    while (tick < LEAVE || door) {
        if (button) {
            goto disarmed;
        }
        if (tick < LEAVE) {
            tick = tick + 1;
        } else {
            idle();
        }
    }
    lamp = 0;
    armed = 1;
watching:
    while (!door) {
        if (button) {
            goto disarmed;
        }
        idle();
    }
    tick = 0;
    while (tick < ENTER) {
        if (button) {
            goto disarmed;
        }
        tick = tick + 1;
    }
    assert(tick == ENTER);
    cycle = 0;
    while (cycle < CYCLES) {
        blast = 0;
        while (blast < BLASTS) {
            siren = 1;
            tick = 0;
            while (tick < BLAST) {
                if (button) {
                    goto disarmed;
                }
                tick = tick + 1;
            }
            assert(tick == BLAST && blast < BLASTS && cycle < CYCLES);
            assert(armed);
            siren = 0;
            tick = 0;
            while (tick < GAP) {
                if (button) {
                    goto disarmed;
                }
                lamp = !lamp;
                tick = tick + 1;
            }
            blast = blast + 1;
        }
        cycle = cycle + 1;
    }
    lamp = 0;
    assert(!siren);
    goto watching;
}

void environment(void)
{
    button = __VERIFIER_nondet_bool();
    door = __VERIFIER_nondet_bool();
}

int main(void)
{
    sync(alarm);
    sync_environment(environment);
    sync_time(synchronous);
}
