/* $********** SCADE Suite KCG 32-bit 6.6 **********
** Debounce
*************************************************$ */

#include "Debounce.h"

void Debounce_reset(outC_Debounce *outC)
{
  outC->init = kcg_true;
}

/* Debounce/ */
void Debounce(/* in/ */ kcg_bool in, outC_Debounce *outC)
{
  kcg_int32 tmp;

  if (outC->init) {
    outC->init = kcg_false;
    tmp = kcg_lit_int32(0);
  }
  else {
    tmp = outC->_L2;
  }
  if (!in) {
    outC->_L2 = kcg_lit_int32(0);
  }
  else if (tmp < kcg_lit_int32(2)) {
    outC->_L2 = tmp + kcg_lit_int32(1);
  }
  else {
    outC->_L2 = tmp;
  }
  outC->out = outC->_L2 >= kcg_lit_int32(2);
}
