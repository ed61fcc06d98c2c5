extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int main(void)
{
    int state = 0, ticks = 0;
    while (1) {
        int in = __VERIFIER_nondet_int();
        switch (state) {
        case 0: if (in == 3) state = 1; break;
        case 1: state = in == 5 ? 2 : 0; break;
        case 2: if (in == 9 && ticks > 6) __VERIFIER_error(); state = 0; break;
        }
        ticks++;
    }
}
