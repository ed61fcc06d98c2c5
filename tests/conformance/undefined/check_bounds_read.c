// verdict: FALSE bounds
// options: --check bounds
// gcc: no, gcc does not look for accesses outside
// fact: a read one past the end is found
int a[4];

static int get(int i) { return a[i]; }

int main(void) { return get(3) + get(4); }
