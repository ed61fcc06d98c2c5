/*
 * File: cruise_faulty.c
 *
 * Code generated for Simulink model 'cruise'.
 */
#include "cruise.h"
#include <string.h>
#define NumBitsPerChar                 8U

/* Block states (default storage) */
DW_cruise_T cruise_DW;

/* External inputs (root inport signals with default storage) */
ExtU_cruise_T cruise_U;

/* External outputs (root outports fed by signals with default storage) */
ExtY_cruise_T cruise_Y;

/* Real-time model */
static RT_MODEL_cruise_T cruise_M_;
RT_MODEL_cruise_T *const cruise_M = &cruise_M_;

/* Model step function */
void cruise_step(void)
{
  int32_T rtb_Sum;
  int16_T rtb_Error;
  boolean_T rtb_LogicalOperator;

  /* Logic: '<S2>/Logical Operator' incorporates:
   *  Inport: '<Root>/Brake'
   *  Inport: '<Root>/Enable'
   *  Memory: '<S2>/Memory'
   */
  rtb_LogicalOperator = (boolean_T)((cruise_U.Enable ||
    cruise_DW.Memory_PreviousInput) && (!cruise_U.Brake));

  /* Sum: '<S1>/Sum' incorporates:
   *  Inport: '<Root>/SetSpeed'
   *  Inport: '<Root>/Speed'
   */
  rtb_Error = (int16_T)(cruise_U.SetSpeed - cruise_U.Speed);

  /* Switch: '<S1>/Switch' incorporates:
   *  DiscreteIntegrator: '<S1>/Integrator'
   */
  if (rtb_LogicalOperator) {
    cruise_DW.Integrator_DSTATE += cruise_P.Ki_Gain * rtb_Error;

    /* Saturate: '<S1>/Limit Integrator' */
    if (cruise_DW.Integrator_DSTATE > 20000) {
      cruise_DW.Integrator_DSTATE = 20000;
    } else if (cruise_DW.Integrator_DSTATE < -20000) {
      cruise_DW.Integrator_DSTATE = -20000;
    }

    /* End of Saturate: '<S1>/Limit Integrator' */
    rtb_Sum = cruise_P.Kp_Gain * rtb_Error + cruise_DW.Integrator_DSTATE;

    /* Saturate: '<S1>/Saturation' */
    if (rtb_Sum > cruise_P.Saturation_UpperSat) {
      cruise_Y.Throttle = cruise_P.Saturation_UpperSat;
    } else {
      cruise_Y.Throttle = (int16_T)rtb_Sum;
    }

    /* End of Saturate: '<S1>/Saturation' */
  } else {
    cruise_DW.Integrator_DSTATE = 0;
    cruise_Y.Throttle = 0;
  }

  /* End of Switch: '<S1>/Switch' */

  /* Update for UnitDelay: '<S1>/Unit Delay' */
  cruise_DW.UnitDelay_DSTATE = cruise_Y.Throttle;

  /* Outport: '<Root>/Active' */
  cruise_Y.Active = rtb_LogicalOperator;

  /* Update for Memory: '<S2>/Memory' */
  cruise_DW.Memory_PreviousInput = rtb_LogicalOperator;
}

/* Model initialize function */
void cruise_initialize(void)
{
  /* Registration code */

  /* initialize error status */
  rtmSetErrorStatus(cruise_M, (NULL));

  /* states (dwork) */
  (void) memset((void *)&cruise_DW, 0,
                sizeof(DW_cruise_T));

  /* external inputs */
  (void)memset(&cruise_U, 0, sizeof(ExtU_cruise_T));

  /* external outputs */
  (void)memset(&cruise_Y, 0, sizeof(ExtY_cruise_T));
}

/* Model terminate function */
void cruise_terminate(void)
{
  /* (no terminate code required) */
}

/*
 * File trailer for generated code.
 *
 * [EOF]
 */
