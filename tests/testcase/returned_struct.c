extern void __VERIFIER_error(void);
extern int __VERIFIER_nondet_int(void);
struct pair { int a, b, c; };
extern struct pair make(int);
int main(void) {
    struct pair p = make(1);
    p.a = 3;
    if (p.a == 3 && __VERIFIER_nondet_int() == 4) __VERIFIER_error();
    return 0;
}
