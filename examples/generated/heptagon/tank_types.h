/* --- Generated the 12/3/2024 at 10:22 --- */
/* --- heptagon compiler, version 1.05.00 (compiled mon. jan. 8 9:12:44 CET 2024) --- */
/* --- Command line: /usr/local/bin/heptc -target c tank.ept --- */

#ifndef TANK_TYPES_H
#define TANK_TYPES_H

#include "stdbool.h"
#include "assert.h"
#include "string.h"

static const int Tank__low = 20;

static const int Tank__high = 80;

#endif // TANK_TYPES_H
