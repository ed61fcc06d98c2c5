extern void __VERIFIER_error(void);

int f(a, b) int a; char b; { return a + b; }
int main() { if (f(1, 300) == 45) __VERIFIER_error(); return 0; }
