// verdict: FALSE pointer
// options: --check pointer
// gcc: no, an access to a dead object
// fact: a read of a local after its function returned is found
static int *leak(void) { int x = 1; int *p = &x; return p; }

int main(void) { return *leak(); }
