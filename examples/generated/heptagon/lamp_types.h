/* --- Generated the 12/3/2024 at 10:22 --- */
/* --- heptagon compiler, version 1.05.00 (compiled mon. jan. 8 9:12:44 CET 2024) --- */
/* --- Command line: /usr/local/bin/heptc -target c lamp.ept --- */

#ifndef LAMP_TYPES_H
#define LAMP_TYPES_H

#include "stdbool.h"
#include "assert.h"
#include "string.h"

typedef enum {
  Lamp__St_On,
  Lamp__St_Off,
  Lamp__St_Dim
} Lamp__st;

#endif // LAMP_TYPES_H
