// verdict: FALSE bounds
// gcc: no, an input
// options: --check bounds
// fact: an index up to the length is one too many
extern unsigned __VERIFIER_nondet_uint(void);

struct s { int a, b; };
struct s v[3];

int main(void) { return v[__VERIFIER_nondet_uint() % 4].b; }
