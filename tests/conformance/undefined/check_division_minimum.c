// verdict: FALSE division
// options: --check div
// gcc: no, the compiled program traps
// fact: INT_MIN / -1 is found
static int quotient(int a, int b) { return a / b; }

int main(void) { return quotient(-2147483647 - 1, -1); }
