/* $********** SCADE Suite KCG 32-bit 6.6 **********
** Lift
*************************************************$ */
#ifndef _Lift_H_
#define _Lift_H_

#include "kcg_types.h"

/* ========================  input structure  ====================== */
typedef struct {
  kcg_int32 /* call/ */ call;
  kcg_bool /* requested/ */ requested;
} inC_Lift;

/* =====================  no output structure  ====================== */

/* ========================  context type  ========================= */
typedef struct {
  /* ---------------------------  outputs  --------------------------- */
  kcg_int32 /* floor/ */ floor;
  kcg_bool /* motor/ */ motor;
  kcg_bool /* door_open/ */ door_open;
  /* -----------------------  no local probes  ----------------------- */
  /* ----------------------- local memories  ------------------------- */
  kcg_bool init;
  SSM_ST_SM1 /* SM1: */ SM1_state_nxt;
  kcg_int32 /* target/ */ target;
  kcg_int32 /* SM1:Open:_L3/ */ _L3_Open_SM1;
  /* -------------------- no sub nodes' contexts  -------------------- */
} outC_Lift;

/* ===========  node initialization and cycle functions  =========== */
/* Lift/ */
extern void Lift(inC_Lift *inC, outC_Lift *outC);

#ifndef KCG_NO_EXTERN_CALL_TO_RESET
extern void Lift_reset(outC_Lift *outC);
#endif /* KCG_NO_EXTERN_CALL_TO_RESET */

#ifndef KCG_USER_DEFINED_INIT
extern void Lift_init(outC_Lift *outC);
#endif /* KCG_USER_DEFINED_INIT */

#endif /* _Lift_H_ */
