// verdict: FALSE shift
// options: --check shift
// gcc: no, an undefined shift
// fact: a negative count is out of range
static int up(int x, int n) { return x << n; }

int main(void) { return up(1, -1) == 0; }
