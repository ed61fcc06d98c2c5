/*
 * File: washer.h
 *
 * Code generated for Simulink model 'washer'.
 */
#ifndef RTW_HEADER_washer_h_
#define RTW_HEADER_washer_h_
#include "rtwtypes.h"

/* Block signals and states (default storage) for system '<Root>' */
typedef struct {
  uint8_T is_active_c3_washer;         /* '<Root>/Chart' */
  uint8_T is_c3_washer;                /* '<Root>/Chart' */
  uint8_T is_Running;                  /* '<Root>/Chart' */
  uint8_T temporalCounter_i1;          /* '<Root>/Chart' */
} DW;

/* External inputs (root inport signals with default storage) */
typedef struct {
  boolean_T start;                     /* '<Root>/start' */
  boolean_T door;                      /* '<Root>/door' */
  uint8_T level;                       /* '<Root>/level' */
} ExtU;

/* External outputs (root outports fed by signals with default storage) */
typedef struct {
  boolean_T water;                     /* '<Root>/water' */
  boolean_T heater;                    /* '<Root>/heater' */
  boolean_T locked;                    /* '<Root>/locked' */
  uint8_T drum;                        /* '<Root>/drum' */
} ExtY;

/* Block signals and states (default storage) */
extern DW rtDW;

/* External inputs (root inport signals with default storage) */
extern ExtU rtU;

/* External outputs (root outports fed by signals with default storage) */
extern ExtY rtY;

/* Model entry point functions */
extern void washer_initialize(void);
extern void washer_step(void);

#endif                                 /* RTW_HEADER_washer_h_ */
