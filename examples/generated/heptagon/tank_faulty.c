/* --- Generated the 12/3/2024 at 10:22 --- */
/* --- heptagon compiler, version 1.05.00 (compiled mon. jan. 8 9:12:44 CET 2024) --- */
/* --- Command line: /usr/local/bin/heptc -target c tank.ept --- */

#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include "tank.h"

void Tank__valve_step(int level, int was, Tank__valve_out* _out) {
  
  int v_1;
  int v;
  v_1 = (level<=Tank__low);
  v = (level>=Tank__high);
  if (v_1) {
    _out->open = true;
  } else {
    if (v) {
      _out->open = false;
    } else {
      _out->open = was;
    };
  };;
}

void Tank__tank_reset(Tank__tank_mem* self) {
  self->v_4 = 50;
  self->v_2 = false;
}

void Tank__tank_step(int use, Tank__tank_out* _out, Tank__tank_mem* self) {
  Tank__valve_out Tank__valve_out_st;
  
  int v_5;
  int v_3;
  int v;
  v = self->v_4;
  Tank__valve_step(v, self->v_2, &Tank__valve_out_st);
  _out->open = Tank__valve_out_st.open;
  if (_out->open) {
    v_3 = 4;
  } else {
    v_3 = 0;
  };
  v_5 = (v+v_3);
  _out->level = (v_5-use);
  self->v_2 = _out->open;
  self->v_4 = _out->level;;
}

