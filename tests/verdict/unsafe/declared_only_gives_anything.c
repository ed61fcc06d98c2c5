// says: sensor
extern void __VERIFIER_error(void);

extern int sensor(void);
int main(void) { if (sensor() == 42) __VERIFIER_error(); return 0; }
