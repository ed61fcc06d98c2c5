extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
#line 1 "<builtin>"
int first(void) {
#line 1 "<builtin>"
    int a = __VERIFIER_nondet_int();
#line 1 "<builtin>"
    int b = __VERIFIER_nondet_int();
    return a == 3 && b == 4;
}
int second(void) {
#line 1 "<builtin>"
    int c = __VERIFIER_nondet_int();
    return c == 5;
}
int main(void) {
    if (first() && second()) __VERIFIER_error();
    return 0;
}
