/* Two pumps that take turns; an alarm if both are needed for too long. */
#include "common.h"

enum pump { FIRST, SECOND };

struct pump_state {
    enum pump next;
    bool first, second;
    uint16_t together;
    bool alarm;
};

void pump_reset(struct pump_state *s)
{
    s->next = FIRST;
    s->first = s->second = s->alarm = false;
    s->together = 0;
}

void pump_step(struct pump_state *s, uint8_t level)
{
    if (level >= 90) {
        s->first = s->second = true;
    } else if (level >= 60 && !s->first && !s->second) {
        s->first = s->next == FIRST;
        s->second = s->next == SECOND;
        s->next = s->next == FIRST ? SECOND : FIRST;
    } else if (level < 20) {
        s->first = s->second = false;
    }
    if (s->first && s->second)
        s->together = s->together < 100 ? s->together + 1 : s->together;
    else
        s->together = 0;
    s->alarm = s->together >= 10 * TICKS_PER_SECOND;
}
