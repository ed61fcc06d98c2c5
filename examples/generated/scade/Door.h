/* $********** SCADE Suite KCG 32-bit 6.6 **********
** Door
*************************************************$ */
#ifndef _Door_H_
#define _Door_H_

#include "kcg_types.h"
#include "Debounce.h"

/* =====================  no input structure  ====================== */

/* ========================  context type  ========================= */
typedef struct {
  /* ---------------------------  outputs  --------------------------- */
  kcg_int32 /* position/ */ position;
  kcg_bool /* locked/ */ locked;
  /* -----------------------  no local probes  ----------------------- */
  /* ----------------------- local memories  ------------------------- */
  kcg_bool init;
  /* ---------------------  sub nodes' contexts  --------------------- */
  outC_Debounce /* _L7=(Debounce#1)/ */ Context_Debounce_1;
  /* ----------------- no clocks of observable data ------------------ */
} outC_Door;

/* ===========  node initialization and cycle functions  =========== */
/* Door/ */
extern void Door(
  /* command/ */
  Command command,
  /* obstacle/ */
  kcg_bool obstacle,
  /* moving/ */
  kcg_bool moving,
  outC_Door *outC);

extern void Door_reset(outC_Door *outC);

#endif /* _Door_H_ */
