// args: --engine kinduction
extern void __VERIFIER_assume(int);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_error(void);
unsigned char a = 0;
int f1(int x, int y) {
  int r = ((y ^ 9)) & 7;
  r = 7;
  return r;
}
void run(void) {
  while (__VERIFIER_nondet_int()) {
    
    unsigned int in2 = __VERIFIER_nondet_uint();
    if (in2 > 1) continue;
    _Bool in3 = __VERIFIER_nondet_bool() & 7;
    a = (((((a == 12 ? in2 : a)) & 31) << 1)) & 15;
    if (a == 1) {
      if ((int)a <= 3) a += 3;
      else a = 1;
    } else {
      a = (f1((0 + a), in2)) & 15;
      if (a == a) {
        a = 12;
        if ((int)a >= 13) a = a - 2;
        else a = 13;
      }
    }
    if (a == ((in2) * 4)) continue;
  }
}
int main(void) {
  run();
  if (!(!(((int)a) == 4))) __VERIFIER_error();
  return 0;
}
