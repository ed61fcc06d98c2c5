/* $********** SCADE Suite KCG 32-bit 6.6 **********
** Door
*************************************************$ */

#include "Door.h"

void Door_reset(outC_Door *outC)
{
  outC->init = kcg_true;
  /* _L7=(Debounce#1)/ */
  Debounce_reset(&outC->Context_Debounce_1);
}

/* Door/ */
void Door(
  /* command/ */
  Command command,
  /* obstacle/ */
  kcg_bool obstacle,
  /* moving/ */
  kcg_bool moving,
  outC_Door *outC)
{
  /* last_position/ */
  kcg_int32 last_position;
  kcg_bool tmp;

  /* _L7=(Debounce#1)/ */
  Debounce(obstacle, &outC->Context_Debounce_1);
  if (outC->init) {
    outC->init = kcg_false;
    last_position = kcg_lit_int32(0);
  }
  else {
    last_position = outC->position;
  }
  tmp = command == CLOSE && !outC->Context_Debounce_1.out;
  if (moving) {
    outC->position = last_position;
  }
  else if (outC->Context_Debounce_1.out || command == OPEN) {
    if (last_position <= kcg_lit_int32(100)) {
      outC->position = last_position + kcg_lit_int32(10);
    }
    else {
      outC->position = last_position;
    }
  }
  else if (tmp && last_position > kcg_lit_int32(0)) {
    outC->position = last_position - kcg_lit_int32(10);
  }
  else {
    outC->position = last_position;
  }
  outC->locked = outC->position == kcg_lit_int32(0) && command != OPEN;
}
