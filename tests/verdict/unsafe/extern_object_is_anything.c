// says: limit
extern void __VERIFIER_error(void);

extern int limit;
int main(void) { if (limit == 42) __VERIFIER_error(); return 0; }
