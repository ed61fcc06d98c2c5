/*
 * File: washer.c
 *
 * Code generated for Simulink model 'washer'.
 */
#include "washer.h"

/* Named constants for Chart: '<Root>/Chart' */
#define IN_Idle                        ((uint8_T)1U)
#define IN_NO_ACTIVE_CHILD             ((uint8_T)0U)
#define IN_Running                     ((uint8_T)2U)
#define IN_Drain                       ((uint8_T)1U)
#define IN_Fill                        ((uint8_T)2U)
#define IN_Spin                        ((uint8_T)3U)
#define IN_Wash                        ((uint8_T)4U)

/* Block signals and states (default storage) */
DW rtDW;

/* External inputs (root inport signals with default storage) */
ExtU rtU;

/* External outputs (root outports fed by signals with default storage) */
ExtY rtY;

/* Function for Chart: '<Root>/Chart' */
static void exit_internal_Running(void)
{
  rtDW.is_Running = IN_NO_ACTIVE_CHILD;
  rtY.water = false;
  rtY.drum = 0U;
}

/* Function for Chart: '<Root>/Chart' */
static void Running(void)
{
  switch (rtDW.is_Running) {
   case IN_Drain:
    /* During 'Drain': '<S1>:12' */
    if (rtU.level == 0) {
      /* Transition: '<S1>:21' */
      rtDW.is_Running = IN_Spin;
      rtDW.temporalCounter_i1 = 0U;

      /* Entry 'Spin': '<S1>:13' */
      rtY.drum = 2U;
    }
    break;

   case IN_Fill:
    /* During 'Fill': '<S1>:10' */
    if (rtU.level >= 40) {
      /* Transition: '<S1>:19' */
      rtY.water = false;
      rtDW.is_Running = IN_Wash;
      rtDW.temporalCounter_i1 = 0U;

      /* Entry 'Wash': '<S1>:11' */
      rtY.heater = true;
      rtY.drum = 1U;
    }
    break;

   case IN_Spin:
    /* During 'Spin': '<S1>:13' */
    if (rtDW.temporalCounter_i1 >= 5U) {
      /* Transition: '<S1>:22' */
      rtDW.is_Running = IN_NO_ACTIVE_CHILD;
      rtDW.is_c3_washer = IN_Idle;

      /* Entry 'Idle': '<S1>:1' */
      rtY.drum = 0U;
      rtY.locked = false;
    }
    break;

   case IN_Wash:
    /* During 'Wash': '<S1>:11' */
    if (rtDW.temporalCounter_i1 >= 10U) {
      /* Transition: '<S1>:20' */
      rtY.heater = false;
      rtDW.is_Running = IN_Drain;

      /* Entry 'Drain': '<S1>:12' */
      rtY.drum = 0U;
    }
    break;

   default:
    /* Unreachable state, for coverage only */
    rtDW.is_Running = IN_NO_ACTIVE_CHILD;
    break;
  }
}

/* Model step function */
void washer_step(void)
{
  /* Chart: '<Root>/Chart' */
  if (rtDW.temporalCounter_i1 < 15U) {
    rtDW.temporalCounter_i1++;
  }

  /* Gateway: Chart */
  /* During: Chart */
  if (rtDW.is_active_c3_washer == 0U) {
    /* Entry: Chart */
    rtDW.is_active_c3_washer = 1U;

    /* Entry Internal: Chart */
    /* Transition: '<S1>:2' */
    rtDW.is_c3_washer = IN_Idle;

    /* Entry 'Idle': '<S1>:1' */
    rtY.locked = false;
  } else {
    switch (rtDW.is_c3_washer) {
     case IN_Idle:
      /* During 'Idle': '<S1>:1' */
      if (rtU.start && (!rtU.door)) {
        /* Transition: '<S1>:5' */
        rtDW.is_c3_washer = IN_Running;

        /* Entry 'Running': '<S1>:4' */
        rtY.locked = true;

        /* Entry Internal 'Running': '<S1>:4' */
        rtDW.is_Running = IN_Fill;

        /* Entry 'Fill': '<S1>:10' */
        rtY.water = true;
      }
      break;

     default:
      /* During 'Running': '<S1>:4' */
      if (rtU.door) {
        /* Transition: '<S1>:6' */
        exit_internal_Running();
        rtDW.is_c3_washer = IN_Idle;

        /* Entry 'Idle': '<S1>:1' */
        rtY.locked = false;
      } else {
        Running();
      }
      break;
    }
  }

  /* End of Chart: '<Root>/Chart' */
}

/* Model initialize function */
void washer_initialize(void)
{
  /* (no initialization code required) */
}

/*
 * File trailer for generated code.
 *
 * [EOF]
 */
