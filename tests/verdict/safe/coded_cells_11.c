// args: --engine kinduction
extern void __VERIFIER_assume(int);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
extern _Bool __VERIFIER_nondet_bool(void);
#include <assert.h>
int f1(int x) {
  int r = ((-(0))) & 7;
  return r;
}
int main(void) {
  int a = 85;
  unsigned char b = 0;
  unsigned int in2 = __VERIFIER_nondet_uint();
  if (in2 > 5) in2 = 2;
  b = (in2) & 31;
  while (__VERIFIER_nondet_bool()) {
    
    int in3 = __VERIFIER_nondet_int();
    if (in3 < 0 || in3 > 1) continue;
    if (b != (7 + a) && in3 <= in3 && b == (in3 < 0 ? in3 : a)) {
      if ((int)b >= 16) b--;
      else b = 25;
    }
    assert(!((int)a == 1 && (int)b == 4));
    if (in3 > 0) {
      if ((int)b <= 23) b += 2;
    }
    a = (f1((in3 & a))) & 127;
    if (a >= 119) {
      if ((int)b <= 4) b += 3;
      else b = 25;
    }
  }
  return 0;
}
