/* The angle of a wheel follows a demand, by so much a step; the gain falls with the speed. */
#include "common.h"

#define MAX_ANGLE 450
#define MAX_CHANGE 30

volatile int16_t demand;
volatile uint8_t speed;
int16_t angle;

void steering_initialize(void)
{
    angle = 0;
}

void steering_step(void)
{
    int16_t wanted = limited(demand, -MAX_ANGLE, MAX_ANGLE);
    int16_t gain = 100 / (1 + speed / 50);
    int16_t target = (int16_t)(wanted * gain / 100);
    angle += limited(target - angle, -MAX_CHANGE, MAX_CHANGE);
}
