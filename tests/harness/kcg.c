// KCG: the step is called as the operator is, its context outC_Lift shows it.
// Lift.assertion.1 SAFE
// Lift.assertion.2 UNSAFE
typedef unsigned char kcg_bool; typedef int kcg_int;
#define kcg_true ((kcg_bool)1)
#define kcg_false ((kcg_bool)0)
typedef struct { kcg_bool up; kcg_int floor; } inC_Lift;
typedef struct { kcg_int pos; kcg_bool init; } outC_Lift;
void Lift_reset(outC_Lift *outC) { outC->init = kcg_true; }
void Lift(inC_Lift *inC, outC_Lift *outC) {
  if (outC->init) { outC->pos = 0; }
  else if (inC->up && outC->pos < 5) outC->pos = outC->pos + 1;
  outC->init = kcg_false;
  __VERIFIER_assert(outC->pos <= 5);
  __VERIFIER_assert(outC->pos <= 1);
}
