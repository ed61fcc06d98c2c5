int main() {
    char c = __VERIFIER_nondet_char();
    unsigned char u = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(c < 0);
    if (c == -5 && u == 250 && other() == 3) __VERIFIER_error();
    return 0;
}
