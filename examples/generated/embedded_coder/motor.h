/*
 * File: motor.h
 *
 * Code generated for Simulink model 'motor'.
 */
#ifndef RTW_HEADER_motor_h_
#define RTW_HEADER_motor_h_
#ifndef motor_COMMON_INCLUDES_
#define motor_COMMON_INCLUDES_
#include "rtwtypes.h"
#endif                                 /* motor_COMMON_INCLUDES_ */

/* Macros for accessing real-time model data structure */
#ifndef rtmGetErrorStatus
#define rtmGetErrorStatus(rtm)         ((rtm)->errorStatus)
#endif
#ifndef rtmSetErrorStatus
#define rtmSetErrorStatus(rtm, val)    ((rtm)->errorStatus = (val))
#endif

/* Forward declaration for rtModel */
typedef struct tag_RTM_motor_T RT_MODEL_motor_T;

/* Block states (default storage) for system '<Root>' */
typedef struct {
  int32_T PrevY;                       /* '<S1>/Rate Limiter' */
  uint16_T Counter_DSTATE;             /* '<S2>/Counter' */
  boolean_T Latch_PreviousInput;       /* '<S2>/Latch' */
} DW_motor_T;

/* External inputs (root inport signals with default storage) */
typedef struct {
  int16_T Target;                      /* '<Root>/Target' */
  int16_T Current;                     /* '<Root>/Current' */
  boolean_T Enable;                    /* '<Root>/Enable' */
  boolean_T Reset;                     /* '<Root>/Reset' */
} ExtU_motor_T;

/* External outputs (root outports fed by signals with default storage) */
typedef struct {
  int16_T Duty;                        /* '<Root>/Duty' */
  boolean_T Fault;                     /* '<Root>/Fault' */
} ExtY_motor_T;

/* Real-time Model Data Structure */
struct tag_RTM_motor_T {
  const char_T * volatile errorStatus;
  DW_motor_T *dwork;
};

/* Model entry point functions */
extern void motor_initialize(RT_MODEL_motor_T *const motor_M, ExtU_motor_T *motor_U, ExtY_motor_T *motor_Y);
extern void motor_step(RT_MODEL_motor_T *const motor_M, ExtU_motor_T *motor_U, ExtY_motor_T *motor_Y);
extern void motor_terminate(RT_MODEL_motor_T *const motor_M);

#endif                                 /* RTW_HEADER_motor_h_ */
