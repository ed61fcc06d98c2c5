// verdict 32: FALSE overflow
// verdict 64: TRUE
// options: --check overflow
// gcc: no, gcc does not look for overflow
// fact: a long overflows at 2^31 only in ILP32
static long next(long x) { return x + 1; }

int main(void) { return next(2147483647) == 0; }
