// verdict: FALSE pointer
// options: --check pointer
// gcc: no, the compiled program traps
// fact: a null dereference is found
static int get(int *p) { return *p; }

int main(void) { int x = 1; return get(&x) + get(0); }
