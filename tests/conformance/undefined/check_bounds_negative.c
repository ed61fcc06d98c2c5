// verdict: FALSE bounds
// options: --check bounds
// gcc: no, gcc does not look for accesses outside
// fact: a negative index is found
static int get(int *p, int i) { return p[i]; }

int main(void) { int a[2] = { 0 }; return get(a, -1); }
