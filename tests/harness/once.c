// args: --step advance --init begin
// Named functions; the parameter of `begin` has one value, any; a result; a parameter with the name of a global.
// advance.assertion.1 SAFE
// advance.assertion.2 UNSAFE
// advance.assertion.3 UNSAFE
static int start, total;
int speed;

void begin(int first)
{
    start = first & 3;
    total = start;
}

unsigned advance(unsigned char speed, _Bool stop)
{
    total = stop ? start : total < 300 ? total + speed : total;
    __VERIFIER_assert(total <= 300 + 255);
    __VERIFIER_assert(total != 554);
    __VERIFIER_assert(start != 2);
    return total;
}
int main(void) { return 0; }
