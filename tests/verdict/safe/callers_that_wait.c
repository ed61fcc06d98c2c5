// args: --engine explicit
extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern char __VERIFIER_nondet_char(void);
int c = 0;
int f1(void) {
  int r = (2) & 7;
  return r;
}
int f4(int x) {
  int r = (x) & 7;
  int n6 = 2;
  for (int i5 = 0; i5 < n6; i5++) {
  }
  return r;
}
int main(void) {
  unsigned int a = 27;
  unsigned char b = 9;
  char in7 = __VERIFIER_nondet_char();
  c = (int)((in7) & 15) - 1;
    while (__VERIFIER_nondet_int()) {
      a = (4) & 31;
      switch (((c | c)) & 7) {
        case 1: {
          b = (f4((((7) & 31) << 3))) & 15;
        }
      }
    }
    b = (f1()) & 15;
  if (!(!((int)a == 21 && (int)b == 4))) { reach_error(); }
}
