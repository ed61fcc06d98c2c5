/* --- Generated the 12/3/2024 at 10:22 --- */
/* --- heptagon compiler, version 1.05.00 (compiled mon. jan. 8 9:12:44 CET 2024) --- */
/* --- Command line: /usr/local/bin/heptc -target c lamp.ept --- */

#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include "lamp.h"

void Lamp__timer_reset(Lamp__timer_mem* self) {
  self->v_1 = true;
  self->v = 0;
}

void Lamp__timer_step(int restart, Lamp__timer_out* _out,
                      Lamp__timer_mem* self) {
  int v_3;
  int v_2;
  int n;
  if (restart) {
    v_2 = true;
  } else {
    v_2 = self->v_1;
  };
  if (v_2) {
    n = 0;
  } else {
    v_3 = (self->v<4);
    if (v_3) {
      n = (self->v+1);
    } else {
      n = self->v;
    };
  };
  _out->over = (n>4);
  self->v = n;
  self->v_1 = false;;
}

void Lamp__lamp_reset(Lamp__lamp_mem* self) {
  self->pnr = false;
  self->ck = Lamp__St_Off;
  Lamp__timer_reset(&self->timer);
}

void Lamp__lamp_step(int press, int motion, Lamp__lamp_out* _out,
                     Lamp__lamp_mem* self) {
  Lamp__timer_out Lamp__timer_out_st;
  
  int over;
  int restart;
  Lamp__st s;
  Lamp__st ns;
  int r;
  int nr;
  switch (self->ck) {
    case Lamp__St_Dim:
      restart = motion;
      break;
    case Lamp__St_Off:
      restart = true;
      break;
    case Lamp__St_On:
      restart = motion;
      break;
    default:
      break;
  };
  Lamp__timer_step(restart, &Lamp__timer_out_st, &self->timer);
  over = Lamp__timer_out_st.over;
  r = self->pnr;
  switch (self->ck) {
    case Lamp__St_Dim:
      _out->light = 30;
      if (press) {
        nr = true;
        ns = Lamp__St_Off;
      } else {
        if (motion) {
          nr = false;
          ns = Lamp__St_On;
        } else {
          nr = false;
          ns = Lamp__St_Dim;
        };
      };
      break;
    case Lamp__St_Off:
      _out->light = 0;
      if (press) {
        nr = true;
        ns = Lamp__St_On;
      } else {
        nr = false;
        ns = Lamp__St_Off;
      };
      break;
    case Lamp__St_On:
      _out->light = 100;
      if (press) {
        nr = true;
        ns = Lamp__St_Off;
      } else {
        if (over) {
          nr = false;
          ns = Lamp__St_Dim;
        } else {
          nr = false;
          ns = Lamp__St_On;
        };
      };
      break;
    default:
      break;
  };
  s = self->ck;
  self->ck = ns;
  self->pnr = nr;;
}

