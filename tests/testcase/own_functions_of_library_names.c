extern void __VERIFIER_error(void);
extern int __VERIFIER_nondet_int(void);
static int calls;
void abort(void) { calls++; }
int write(int fd, const void *p, unsigned long n) { return 5; }
int raise(int n) { return 6; }
int main(void) {
    abort();
    if (calls == 1 && write(1, 0, 2) == 5 && raise(3) == 6 && __VERIFIER_nondet_int() == 3) __VERIFIER_error();
    return 0;
}
