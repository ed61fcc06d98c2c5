/*
 * File: traffic.c
 *
 * Code generated for Simulink model 'traffic'.
 */
#include "traffic.h"

/* Named constants for Chart: '<Root>/Crossing' */
#define traffic_IN_Green               ((uint8_T)1U)
#define traffic_IN_NO_ACTIVE_CHILD     ((uint8_T)0U)
#define traffic_IN_Red                 ((uint8_T)2U)
#define traffic_IN_Walk                ((uint8_T)1U)
#define traffic_IN_Wait                ((uint8_T)2U)
#define traffic_IN_Yellow              ((uint8_T)3U)

/* Block states (default storage) */
DW_traffic_T traffic_DW;

/* External inputs (root inport signals with default storage) */
ExtU_traffic_T traffic_U;

/* External outputs (root outports fed by signals with default storage) */
ExtY_traffic_T traffic_Y;

/* Model step function */
void traffic_step(void)
{
  /* Chart: '<Root>/Crossing' incorporates:
   *  Inport: '<Root>/button'
   */
  if (traffic_DW.temporalCounter_i1 < 1023U) {
    traffic_DW.temporalCounter_i1++;
  }

  if (traffic_DW.temporalCounter_i2 < 1023U) {
    traffic_DW.temporalCounter_i2++;
  }

  /* Gateway: Crossing */
  /* During: Crossing */
  if (traffic_DW.is_active_c1_traffic == 0U) {
    /* Entry: Crossing */
    traffic_DW.is_active_c1_traffic = 1U;

    /* Entry Internal: Crossing */
    /* Entry Internal 'Cars': '<S1>:1' */
    traffic_DW.is_Cars = traffic_IN_Green;
    traffic_DW.temporalCounter_i1 = 0U;
    traffic_Y.cars = LampColor_GREEN;

    /* Entry Internal 'Walkers': '<S1>:2' */
    traffic_DW.is_Walkers = traffic_IN_Wait;
    traffic_Y.walkers = LampColor_RED;
  } else {
    if (traffic_U.button) {
      traffic_DW.wanted = true;
    }

    /* During 'Cars': '<S1>:1' */
    switch (traffic_DW.is_Cars) {
     case traffic_IN_Green:
      /* During 'Green': '<S1>:3' */
      if (traffic_DW.wanted && (traffic_DW.temporalCounter_i1 >= 20U)) {
        /* Transition: '<S1>:8' */
        traffic_DW.is_Cars = traffic_IN_Yellow;
        traffic_DW.temporalCounter_i1 = 0U;
        traffic_Y.cars = LampColor_YELLOW;
      }
      break;

     case traffic_IN_Red:
      /* During 'Red': '<S1>:4' */
      if ((traffic_DW.temporalCounter_i1 >= 15U) && (traffic_DW.is_Walkers ==
           traffic_IN_Wait)) {
        /* Transition: '<S1>:9' */
        traffic_DW.is_Cars = traffic_IN_Green;
        traffic_DW.temporalCounter_i1 = 0U;
        traffic_Y.cars = LampColor_GREEN;
      }
      break;

     case traffic_IN_Yellow:
      /* During 'Yellow': '<S1>:5' */
      if (traffic_DW.temporalCounter_i1 >= 3U) {
        /* Transition: '<S1>:10' */
        traffic_DW.is_Cars = traffic_IN_Red;
        traffic_DW.temporalCounter_i1 = 0U;
        traffic_Y.cars = LampColor_RED;
      }
      break;

     default:
      /* Unreachable state, for coverage only */
      traffic_DW.is_Cars = traffic_IN_NO_ACTIVE_CHILD;
      break;
    }

    /* During 'Walkers': '<S1>:2' */
    switch (traffic_DW.is_Walkers) {
     case traffic_IN_Wait:
      /* During 'Wait': '<S1>:6' */
      if (traffic_DW.wanted && (traffic_DW.is_Cars == traffic_IN_Red) &&
          (traffic_DW.temporalCounter_i1 >= 2U)) {
        /* Transition: '<S1>:11' */
        traffic_DW.is_Walkers = traffic_IN_Walk;
        traffic_DW.temporalCounter_i2 = 0U;
        traffic_Y.walkers = LampColor_GREEN;
        traffic_DW.wanted = false;
      }
      break;

     case traffic_IN_Walk:
      /* During 'Walk': '<S1>:7' */
      if (traffic_DW.temporalCounter_i2 >= 8U) {
        /* Transition: '<S1>:12' */
        traffic_DW.is_Walkers = traffic_IN_Wait;
        traffic_Y.walkers = LampColor_RED;
      }
      break;

     default:
      /* Unreachable state, for coverage only */
      traffic_DW.is_Walkers = traffic_IN_NO_ACTIVE_CHILD;
      break;
    }
  }

  /* End of Chart: '<Root>/Crossing' */
}

/* Model initialize function */
void traffic_initialize(void)
{
  /* (no initialization code required) */
}

/* Model terminate function */
void traffic_terminate(void)
{
  /* (no terminate code required) */
}

/*
 * File trailer for generated code.
 *
 * [EOF]
 */
