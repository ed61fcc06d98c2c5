// says: main
int f(void) { return 0; }
