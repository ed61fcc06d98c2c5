// says: port
extern void __VERIFIER_error(void);

volatile int port;
int main(void) { if (port == 1 && port == 2) __VERIFIER_error(); return 0; }
