/* What the three controllers share. */
#ifndef COMMON_H
#define COMMON_H
#include <stdbool.h>
#include <stdint.h>

#define TICKS_PER_SECOND 10

/* A value kept between two bounds. */
static inline int16_t limited(int16_t value, int16_t low, int16_t high)
{
    return value < low ? low : value > high ? high : value;
}
#endif
