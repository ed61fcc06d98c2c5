// verdict: FALSE pointer
// options: --check pointer
// gcc: no, the compiled program traps
// fact: a write through null is found
struct s { int a, b; };

static void set(struct s *p) { p->b = 1; }

int main(void) { set(0); return 0; }
