/* $********** SCADE Suite KCG 32-bit 6.6 **********
** Debounce
*************************************************$ */
#ifndef _Debounce_H_
#define _Debounce_H_

#include "kcg_types.h"

/* ========================  context type  ========================= */
typedef struct {
  /* ---------------------------  outputs  --------------------------- */
  kcg_bool /* out/ */ out;
  /* ----------------------- local memories  ------------------------- */
  kcg_bool init;
  kcg_int32 /* _L2/ */ _L2;
} outC_Debounce;

/* Debounce/ */
extern void Debounce(/* in/ */ kcg_bool in, outC_Debounce *outC);

extern void Debounce_reset(outC_Debounce *outC);

#endif /* _Debounce_H_ */
