/* $********** SCADE Suite KCG 32-bit 6.6 **********
** Lift
*************************************************$ */

#include "Lift.h"

/* Lift/ */
void Lift(inC_Lift *inC, outC_Lift *outC)
{
  /* SM1: */
  SSM_ST_SM1 SM1_state_act;
  kcg_int32 last_floor;

  /* last_init_ck_floor */
  if (outC->init) {
    last_floor = kcg_lit_int32(0);
    SM1_state_act = SSM_st_Idle_SM1;
    outC->target = kcg_lit_int32(0);
  }
  else {
    last_floor = outC->floor;
    SM1_state_act = outC->SM1_state_nxt;
  }
  /* act_SM1: */
  switch (SM1_state_act) {
    case SSM_st_Idle_SM1 :
      outC->floor = last_floor;
      outC->motor = kcg_false;
      outC->door_open = kcg_false;
      if (inC->requested && inC->call <= kcg_lit_int32(7)) {
        outC->target = inC->call;
        outC->SM1_state_nxt = SSM_st_Moving_SM1;
      }
      else {
        outC->SM1_state_nxt = SSM_st_Idle_SM1;
      }
      break;
    case SSM_st_Moving_SM1 :
      outC->door_open = kcg_false;
      if (last_floor < outC->target) {
        outC->floor = last_floor + kcg_lit_int32(1);
        outC->motor = kcg_true;
        outC->SM1_state_nxt = SSM_st_Moving_SM1;
      }
      else if (last_floor > outC->target) {
        outC->floor = last_floor - kcg_lit_int32(1);
        outC->motor = kcg_true;
        outC->SM1_state_nxt = SSM_st_Moving_SM1;
      }
      else {
        outC->floor = last_floor;
        outC->motor = kcg_false;
        outC->_L3_Open_SM1 = kcg_lit_int32(3);
        outC->SM1_state_nxt = SSM_st_Open_SM1;
      }
      break;
    case SSM_st_Open_SM1 :
      outC->floor = last_floor;
      outC->motor = kcg_false;
      outC->door_open = kcg_true;
      outC->_L3_Open_SM1 = outC->_L3_Open_SM1 - kcg_lit_int32(1);
      if (outC->_L3_Open_SM1 <= kcg_lit_int32(0)) {
        outC->SM1_state_nxt = SSM_st_Idle_SM1;
      }
      else {
        outC->SM1_state_nxt = SSM_st_Open_SM1;
      }
      break;
    default :
      /* this default branch is unreachable */
      break;
  }
  outC->init = kcg_false;
}

#ifndef KCG_USER_DEFINED_INIT
void Lift_init(outC_Lift *outC)
{
  outC->init = kcg_true;
  outC->floor = kcg_lit_int32(0);
  outC->motor = kcg_true;
  outC->door_open = kcg_true;
  outC->SM1_state_nxt = SSM_st_Idle_SM1;
  outC->target = kcg_lit_int32(0);
  outC->_L3_Open_SM1 = kcg_lit_int32(0);
}
#endif /* KCG_USER_DEFINED_INIT */

#ifndef KCG_NO_EXTERN_CALL_TO_RESET
void Lift_reset(outC_Lift *outC)
{
  outC->init = kcg_true;
}
#endif /* KCG_NO_EXTERN_CALL_TO_RESET */

/* $********** SCADE Suite KCG 32-bit 6.6 **********
** Lift.c
*************************************************$ */
