extern void __VERIFIER_error(void);
struct inner { char c; short s[2]; };
struct outer { int a; struct inner in; unsigned b3 : 3, b5 : 5; double d; };
int sum(struct outer *p) { return p->a + p->in.s[1]; }
int main(void) {
    struct outer o, array[2];
    int plain;
    int *to = &plain;
    if (sum(&o) == 12 && o.a == 5 && o.in.c == 'x' && o.b3 == 6 && o.b5 == 17 && o.d == 2.5)
        if (array[1].in.s[0] == -7 && *to == 99) __VERIFIER_error();
    return 0;
}
