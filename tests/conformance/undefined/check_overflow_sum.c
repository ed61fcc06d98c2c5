// verdict: FALSE overflow
// options: --check overflow
// gcc: no, gcc does not look for overflow
// fact: a sum that overflows is found
static int next(int x) { return x + 1; }

int main(void) { return next(2147483647) == 0; }
