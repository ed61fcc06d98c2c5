/*
 * File: motor.c
 *
 * Code generated for Simulink model 'motor', with reusable functions.
 */
#include "motor.h"
#include <string.h>

/* Model step function */
void motor_step(RT_MODEL_motor_T *const motor_M, ExtU_motor_T *motor_U,
                ExtY_motor_T *motor_Y)
{
  DW_motor_T *motor_DW = motor_M->dwork;
  int32_T rtb_Demand;
  int32_T rtb_Delta;

  /* Outputs for Atomic SubSystem: '<Root>/Supervision' */

  /* Switch: '<S2>/Count' incorporates:
   *  RelationalOperator: '<S2>/Too High'
   *  UnitDelay: '<S2>/Counter'
   */
  if (motor_U->Current > 800) {
    if (motor_DW->Counter_DSTATE < 3) {
      motor_DW->Counter_DSTATE++;
    }
  } else {
    motor_DW->Counter_DSTATE = 0U;
  }

  /* End of Switch: '<S2>/Count' */

  /* CombinatorialLogic: '<S2>/Latch' */
  motor_DW->Latch_PreviousInput = (boolean_T)((motor_DW->Counter_DSTATE >= 3) ||
    (motor_DW->Latch_PreviousInput && (!motor_U->Reset)));

  /* End of Outputs for SubSystem: '<Root>/Supervision' */

  /* Switch: '<S1>/Switch' */
  if (motor_U->Enable && (!motor_DW->Latch_PreviousInput)) {
    rtb_Demand = motor_U->Target;

    /* Saturate: '<S1>/Saturation' */
    if (rtb_Demand > 1000) {
      rtb_Demand = 1000;
    } else if (rtb_Demand < -1000) {
      rtb_Demand = -1000;
    }

    /* End of Saturate: '<S1>/Saturation' */

    /* RateLimiter: '<S1>/Rate Limiter' */
    rtb_Delta = rtb_Demand - motor_DW->PrevY;
    if (rtb_Delta > 50) {
      rtb_Demand = motor_DW->PrevY + 50;
    } else if (rtb_Delta < -50) {
      rtb_Demand = motor_DW->PrevY - 50;
    }
  } else {
    rtb_Demand = 0;
  }

  /* End of Switch: '<S1>/Switch' */
  motor_DW->PrevY = rtb_Demand;

  /* Outport: '<Root>/Duty' */
  motor_Y->Duty = (int16_T)rtb_Demand;

  /* Outport: '<Root>/Fault' */
  motor_Y->Fault = motor_DW->Latch_PreviousInput;
}

/* Model initialize function */
void motor_initialize(RT_MODEL_motor_T *const motor_M, ExtU_motor_T *motor_U,
                      ExtY_motor_T *motor_Y)
{
  DW_motor_T *motor_DW = motor_M->dwork;

  /* Registration code */

  /* states (dwork) */
  (void) memset((void *)motor_DW, 0,
                sizeof(DW_motor_T));

  /* external inputs */
  (void)memset(motor_U, 0, sizeof(ExtU_motor_T));

  /* external outputs */
  (void)memset(motor_Y, 0, sizeof(ExtY_motor_T));
}

/* Model terminate function */
void motor_terminate(RT_MODEL_motor_T *const motor_M)
{
  /* (no terminate code required) */
  (void)motor_M;
}

/*
 * File trailer for generated code.
 *
 * [EOF]
 */
