// Embedded Coder, reusable functions: what main would link. Parameters are the global of their type, inputs any value.
// plant_step.assertion.1 SAFE
// plant_step.assertion.2 SAFE
// plant_step.assertion.3 UNSAFE
typedef unsigned char boolean_T;
typedef short int16_T;
typedef struct { int16_T limit; } P;
typedef struct { int16_T level; } DW;
typedef struct { int16_T change; boolean_T hold; } ExtU;
typedef struct { int16_T shown; } ExtY;
typedef struct tag_RTM { P *defaultParam; ExtU *inputs; ExtY *outputs; DW *dwork; } RT_MODEL;

extern P rtP;
P rtP = { 7 };

void plant_initialize(RT_MODEL *const rtM)
{
    rtM->dwork->level = 3;
}

void plant_step(RT_MODEL *const rtM)
{
    P *rtP = rtM->defaultParam;
    DW *rtDW = rtM->dwork;
    ExtU *rtU = rtM->inputs;
    if (!rtU->hold && rtU->change > 0 && rtDW->level < rtP->limit)
        rtDW->level++;
    rtM->outputs->shown = rtDW->level;
    __VERIFIER_assert(rtDW->level >= 3 && rtDW->level <= 7);
    __VERIFIER_assert(rtU->hold <= 1);
    __VERIFIER_assert(rtM->outputs->shown < 7);
}
