/* A heater with hysteresis and a pause between two switchings. */
#include "common.h"

#define PAUSE (3 * TICKS_PER_SECOND)

static bool on;
static uint8_t since;

void heater_init(void)
{
    on = false;
    since = PAUSE;
}

bool heater_step(int16_t temperature, bool enabled)
{
    bool wanted = enabled && (on ? temperature < 220 : temperature < 180);
    if (since < PAUSE)
        since++;
    if (!enabled && on) {
        on = false;
        since = 0;
    } else if (wanted != on && since >= PAUSE) {
        on = wanted;
        since = 0;
    }
    return on;
}
