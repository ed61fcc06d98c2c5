// verdict: FALSE overflow
// options: --check overflow
// gcc: no, gcc does not look for overflow
// fact: -INT_MIN overflows
static int negate(int x) { return -x; }

int main(void) { return negate(-2147483647 - 1) == 0; }
