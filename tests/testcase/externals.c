#include <stdio.h>
extern const int limit;
extern short table[4];
extern _Bool flag;
extern int nobody(void);
volatile unsigned port, ports[2];
extern double scale(int), unused_here(void);
extern void log_it(int);
extern void __VERIFIER_error(void);
int not_called(void) { return nobody() + (int)unused_here(); }
int main(void) {
    log_it(3);
    fprintf(stderr, "running\n");
    if (limit == 7 && table[0] == -2 && table[3] == 9 && flag && port == 1 && port == 2 && ports[1] == 3)
        if (scale(1) == 1.25) __VERIFIER_error();
    return 0;
}
