/*
 * File: traffic.h
 *
 * Code generated for Simulink model 'traffic'.
 */
#ifndef RTW_HEADER_traffic_h_
#define RTW_HEADER_traffic_h_
#include "rtwtypes.h"

/* Type of the lamps */
typedef enum {
  LampColor_RED = 0,                   /* Default value */
  LampColor_YELLOW,
  LampColor_GREEN
} LampColor;

/* Block states (default storage) for system '<Root>' */
typedef struct {
  uint16_T temporalCounter_i1;         /* '<Root>/Crossing' */
  uint16_T temporalCounter_i2;         /* '<Root>/Crossing' */
  uint8_T is_active_c1_traffic;        /* '<Root>/Crossing' */
  uint8_T is_Cars;                     /* '<Root>/Crossing' */
  uint8_T is_Walkers;                  /* '<Root>/Crossing' */
  boolean_T wanted;                    /* '<Root>/Crossing' */
} DW_traffic_T;

/* External inputs (root inport signals with default storage) */
typedef struct {
  boolean_T button;                    /* '<Root>/button' */
} ExtU_traffic_T;

/* External outputs (root outports fed by signals with default storage) */
typedef struct {
  LampColor cars;                      /* '<Root>/cars' */
  LampColor walkers;                   /* '<Root>/walkers' */
} ExtY_traffic_T;

extern DW_traffic_T traffic_DW;
extern ExtU_traffic_T traffic_U;
extern ExtY_traffic_T traffic_Y;

/* Model entry point functions */
extern void traffic_initialize(void);
extern void traffic_step(void);
extern void traffic_terminate(void);

#endif                                 /* RTW_HEADER_traffic_h_ */
