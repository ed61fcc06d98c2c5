// verdict: FALSE overflow
// options: --check overflow
// gcc: no, gcc does not look for overflow
// fact: promoted unsigned shorts can overflow in int
static int square(unsigned short s) { return s * s; }

int main(void) { return square(65535) == 0; }
