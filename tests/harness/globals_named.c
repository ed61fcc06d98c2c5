// args: --input sensor=0..5 --input button=0..1
// A volatile object that is named keeps its value for a step.
// step.assertion.1 SAFE
// step.assertion.2 SAFE
/* hand-written: volatile, extern, plain globals */
volatile int sensor;
extern int knob;
int button, gain = 3;
static int level;
int out;
int step(void) {
  int a = sensor, b = sensor;
  if (button) level = level < 10 ? level + 1 : 0;
  out = knob > 5 && knob < 8 ? level * gain : 0;
  __VERIFIER_assert(out != 24 || a == b);
  __VERIFIER_assert(level <= 10);
  return out;
}
