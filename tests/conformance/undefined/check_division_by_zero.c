// verdict: FALSE division
// options: --check div
// gcc: no, the compiled program traps
// fact: a division by zero is found
static int quotient(int a, int b) { return a / b; }

int main(void) { return quotient(1, 0); }
