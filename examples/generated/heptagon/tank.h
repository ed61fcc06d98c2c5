/* --- Generated the 12/3/2024 at 10:22 --- */
/* --- heptagon compiler, version 1.05.00 (compiled mon. jan. 8 9:12:44 CET 2024) --- */
/* --- Command line: /usr/local/bin/heptc -target c tank.ept --- */

#ifndef TANK_H
#define TANK_H

#include "tank_types.h"
typedef struct Tank__valve_out {
  int open;
} Tank__valve_out;

void Tank__valve_step(int level, int was, Tank__valve_out* _out);

typedef struct Tank__tank_mem {
  int v_4;
  int v_2;
} Tank__tank_mem;

typedef struct Tank__tank_out {
  int level;
  int open;
} Tank__tank_out;

void Tank__tank_reset(Tank__tank_mem* self);

void Tank__tank_step(int use, Tank__tank_out* _out, Tank__tank_mem* self);

#endif // TANK_H
