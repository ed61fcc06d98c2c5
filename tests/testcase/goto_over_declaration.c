extern void __VERIFIER_error(void);
int main(void) {
    int rounds = 0;
again:;
    int x;
    rounds++;
    if (rounds == 1 && x == 8) goto again;
    if (rounds == 2 && x == 9) __VERIFIER_error();
    return 0;
}
