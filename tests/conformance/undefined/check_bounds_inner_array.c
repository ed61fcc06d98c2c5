// verdict: FALSE bounds
// options: --check bounds
// gcc: no, gcc does not look for accesses outside
// fact: a write past the end of the whole struct is found
struct s { int a[2]; int b; };

static void set(struct s *s, int i) { s->a[i] = 1; }

int main(void) { struct s s; set(&s, 3); return 0; }
