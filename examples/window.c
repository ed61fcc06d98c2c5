/* A power window: the motor must never run upwards while something is pinched. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
#include <assert.h>

enum motor { OFF, UP, DOWN };

static enum motor motor = OFF;
static int position; /* 0 is open, 100 is closed */
static int pinched;

static void step(int button, int load)
{
    pinched = load > 50 && motor == UP;
    switch (motor) {
    case OFF:
        if (button > 0 && position < 100)
            motor = UP;
        else if (button < 0 && position > 0)
            motor = DOWN;
        break;
    case UP:
        if (pinched)
            motor = DOWN;
        else if (button <= 0 || position >= 100)
            motor = OFF;
        break;
    case DOWN:
        if (button > 0 && position < 90)
            motor = UP; /* forgets that it may have just been reversed */
        else if (button >= 0 || position <= 0)
            motor = OFF;
        break;
    }
    if (motor == UP)
        position += 10;
    else if (motor == DOWN)
        position -= 10;
}

int main(void)
{
    int was_pinched = 0;
    for (;;) {
        int button = __VERIFIER_nondet_int();
        int load = __VERIFIER_nondet_int();
        __VERIFIER_assume(button >= -1 && button <= 1);
        __VERIFIER_assume(load >= 0 && load <= 100);
        step(button, load);
        assert(position >= 0 && position <= 100);
        assert(!(was_pinched && motor == UP));
        was_pinched = pinched;
    }
}
