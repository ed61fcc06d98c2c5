extern void __VERIFIER_error(void);
static int down(int n, int *above) {
    int here;
    int *p = &here;
    if (n == 0) return *above == 20 && *p == 30;
    return *p == 20 && down(n - 1, p);
}
int main(void) {
    int top = 20;
    if (down(1, &top)) __VERIFIER_error();
    return 0;
}
