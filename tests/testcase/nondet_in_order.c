extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_error(void);
int sum(int a, int b) { return 10 * a + b; }
int main(void) {
    int total = 0;
    for (int i = 0; i < 4; i++) total += __VERIFIER_nondet_int() * (i + 1);
    int both = sum(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());
    if (total == 12345 && both == 57 && __VERIFIER_nondet_uchar() == 200) __VERIFIER_error();
    return 0;
}
