// args: --engine kinduction
extern void __VERIFIER_assume(int);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_error(void);
int f1(int x, int y) {
  int r = (((y) / 4)) & 7;
  int n3 = 4;
  for (int i2 = 0; i2 < n3; i2++) {
    if ((int)r >= 4) r = r - 3;
    else r = 6;
  }
  if ((((r != (r < y) ? r : 1) + (((x) & 31) << 1))) & 1) {
  }
  return r;
}
int main(void) {
  unsigned int a = 0;
  unsigned char b = 0;
  while (__VERIFIER_nondet_uchar()) {
    
    unsigned char in4 = __VERIFIER_nondet_uchar();
    if (in4 > 1) in4 = 0;
    a = (f1((-(4)), in4)) & 7;
    if (b == (in4 + a)) {
      if ((int)b <= 4) b += 2;
      else b = 7;
      a = (5) & 7;
    } else {
      if (b >= 3 && a != 4) {
        b = 3;
        if ((int)a >= 3) a--;
        else a = 7;
      }
      if (in4 == 1 && in4 < 1) {
        a = 4;
        if ((int)a >= 3) a = a - 2;
      }
    }
    int n6 = (int)(((in4 & b)) & 3);
    for (int i5 = 0; i5 < n6; i5++) {
      if (((a | ((b) * 4))) & 1) {
        if (i5 <= 0) continue;
        if ((int)b >= 4) b = b - 3;
        else b = 7;
      }
    }
  }
  while (1) {
    
    switch (((b ^ b)) & 7) {
      case 0: {
        if (a >= 0) continue;
      }
      break;
      case 2: {
        int n8 = 3;
        int i7 = 0;
        while (i7 < n8) {
          a = ((((i7) % 2) ^ (((5) & 31) << 3))) & 7;
          i7++;
        }
        if (b != 0) continue;
      }
      break;
    }
    if (!(0)) __VERIFIER_error();
    if ((int)b <= 3) b += 3;
    else b = 2;
  }
  return 0;
}
