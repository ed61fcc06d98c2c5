/*
 * File: cruise.h
 *
 * Code generated for Simulink model 'cruise'.
 */
#ifndef RTW_HEADER_cruise_h_
#define RTW_HEADER_cruise_h_
#ifndef cruise_COMMON_INCLUDES_
#define cruise_COMMON_INCLUDES_
#include "rtwtypes.h"
#endif                                 /* cruise_COMMON_INCLUDES_ */

/* Macros for accessing real-time model data structure */
#ifndef rtmGetErrorStatus
#define rtmGetErrorStatus(rtm)         ((rtm)->errorStatus)
#endif
#ifndef rtmSetErrorStatus
#define rtmSetErrorStatus(rtm, val)    ((rtm)->errorStatus = (val))
#endif

/* Forward declaration for rtModel */
typedef struct tag_RTM_cruise_T RT_MODEL_cruise_T;

/* Block states (default storage) for system '<Root>' */
typedef struct {
  int32_T Integrator_DSTATE;           /* '<S1>/Integrator' */
  int16_T UnitDelay_DSTATE;            /* '<S1>/Unit Delay' */
  boolean_T Memory_PreviousInput;      /* '<S2>/Memory' */
} DW_cruise_T;

/* External inputs (root inport signals with default storage) */
typedef struct {
  int16_T Speed;                       /* '<Root>/Speed' */
  int16_T SetSpeed;                    /* '<Root>/SetSpeed' */
  boolean_T Enable;                    /* '<Root>/Enable' */
  boolean_T Brake;                     /* '<Root>/Brake' */
} ExtU_cruise_T;

/* External outputs (root outports fed by signals with default storage) */
typedef struct {
  int16_T Throttle;                    /* '<Root>/Throttle' */
  boolean_T Active;                    /* '<Root>/Active' */
} ExtY_cruise_T;

/* Parameters (default storage) */
struct P_cruise_T_ {
  int16_T Kp_Gain;                     /* Referenced by: '<S1>/Kp' */
  int16_T Ki_Gain;                     /* Referenced by: '<S1>/Ki' */
  int16_T Saturation_UpperSat;         /* Referenced by: '<S1>/Saturation' */
  int16_T Saturation_LowerSat;         /* Referenced by: '<S1>/Saturation' */
};
typedef struct P_cruise_T_ P_cruise_T;

/* Real-time Model Data Structure */
struct tag_RTM_cruise_T {
  const char_T * volatile errorStatus;
};

extern P_cruise_T cruise_P;
extern DW_cruise_T cruise_DW;
extern ExtU_cruise_T cruise_U;
extern ExtY_cruise_T cruise_Y;

/* Model entry point functions */
extern void cruise_initialize(void);
extern void cruise_step(void);
extern void cruise_terminate(void);

/* Real-time Model object */
extern RT_MODEL_cruise_T *const cruise_M;

#endif                                 /* RTW_HEADER_cruise_h_ */
