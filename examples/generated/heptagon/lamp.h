/* --- Generated the 12/3/2024 at 10:22 --- */
/* --- heptagon compiler, version 1.05.00 (compiled mon. jan. 8 9:12:44 CET 2024) --- */
/* --- Command line: /usr/local/bin/heptc -target c lamp.ept --- */

#ifndef LAMP_H
#define LAMP_H

#include "lamp_types.h"
typedef struct Lamp__timer_mem {
  int v_1;
  int v;
} Lamp__timer_mem;

typedef struct Lamp__timer_out {
  int over;
} Lamp__timer_out;

void Lamp__timer_reset(Lamp__timer_mem* self);

void Lamp__timer_step(int restart, Lamp__timer_out* _out,
                      Lamp__timer_mem* self);

typedef struct Lamp__lamp_mem {
  Lamp__st ck;
  int pnr;
  Lamp__timer_mem timer;
} Lamp__lamp_mem;

typedef struct Lamp__lamp_out {
  int light;
} Lamp__lamp_out;

void Lamp__lamp_reset(Lamp__lamp_mem* self);

void Lamp__lamp_step(int press, int motion, Lamp__lamp_out* _out,
                     Lamp__lamp_mem* self);

#endif // LAMP_H
