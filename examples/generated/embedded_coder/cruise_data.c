/*
 * File: cruise_data.c
 *
 * Code generated for Simulink model 'cruise'.
 */
#include "cruise.h"

/* Block parameters (default storage) */
P_cruise_T cruise_P = {
  /* Variable: Kp_Gain */
  4,

  /* Variable: Ki_Gain */
  1,

  /* Expression: 1000 */
  1000,

  /* Expression: 0 */
  0
};
