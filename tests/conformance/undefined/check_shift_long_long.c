// verdict: FALSE shift
// options: --check shift
// gcc: no, an undefined shift
// fact: 64 is out of range for long long, 63 is not
static long long up(long long x, int n) { return x << n; }

int main(void) { return up(1, 63) == up(1, 64); }
