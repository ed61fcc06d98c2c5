extern void __VERIFIER_error(void);
struct device { int id; short state[4]; };
extern struct device *find(int);
extern void *__VERIFIER_nondet_pointer(void);
int main(int argc, char **argv) {
    struct device *d = find(3);
    int *p = __VERIFIER_nondet_pointer();
    if (d != 0 && d->id == 42 && d->state[2] == -3 && p == 0) __VERIFIER_error();
    return 0;
}
