// verdict: FALSE bounds
// options: --check bounds
// gcc: no, gcc does not look for accesses outside
// fact: an int read at the last bytes of a char array is partly outside
static int get(char *p) { return *(int *)p; }

int main(void) { char a[6] = { 0 }; return get(a + 2) + get(a + 3); }
