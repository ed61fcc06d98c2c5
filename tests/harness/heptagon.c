// Heptagon: a context of memory, outputs through a pointer.
// Hept__main_step.assertion.1 UNSAFE
/* --- Generated the 12/3/2020 at 10:22 --- */
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
typedef enum { Hept__St_Off, Hept__St_On } Hept__st;
typedef struct Hept__counter_mem { int v; int pnr; } Hept__counter_mem;
typedef struct Hept__counter_out { int o; } Hept__counter_out;
void Hept__counter_reset(Hept__counter_mem* self) { self->pnr = 0; self->v = 0; }
void Hept__counter_step(int inc, Hept__counter_out* _out, Hept__counter_mem* self) {
  if (inc) _out->o = self->v + 1; else _out->o = self->v;
  if (_out->o > 10) _out->o = 0;
  self->v = _out->o;
}
typedef struct Hept__main_mem { Hept__st ck; Hept__counter_mem counter; } Hept__main_mem;
typedef struct Hept__main_out { int y; } Hept__main_out;
void Hept__main_reset(Hept__main_mem* self) { self->ck = Hept__St_Off; Hept__counter_reset(&self->counter); }
void Hept__main_step(int x, Hept__main_out* _out, Hept__main_mem* self) {
  Hept__counter_out o;
  switch (self->ck) {
   case Hept__St_On: Hept__counter_step(x, &o, &self->counter); _out->y = o.o; if (x) self->ck = Hept__St_Off; break;
   case Hept__St_Off: _out->y = 0; if (x) self->ck = Hept__St_On; break;
   default: break;
  }
  __VERIFIER_assert(_out->y <= 3);
}
