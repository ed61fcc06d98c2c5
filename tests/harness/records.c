// args: --input in.level=-3..3 --input in.table=0..9 --input scale=0.5..2.0
// Inputs of all shapes: records by value, arrays, enumerations, bit-fields, unions, floats, pointers.
// plant_step.assertion.1 SAFE
// plant_step.assertion.2 SAFE
// plant_step.assertion.3 SAFE
// plant_step.assertion.4 SAFE
// plant_step.assertion.5 SAFE
// plant_step.assertion.6 UNSAFE
typedef unsigned char boolean_T;
typedef enum { RED = 3, GREEN = 7 } colour;
union word { unsigned whole; unsigned char bytes[4]; };
struct inner { signed char level; unsigned char table[3]; unsigned flag : 1; colour lamp; boolean_T on; union word raw; };

static int count, state;

int plant_step(struct inner in, const struct inner *seen, double scale, int field[2], int count_of)
{
    __VERIFIER_assert(in.level >= -3 && in.level <= 3);
    __VERIFIER_assert(in.table[0] + in.table[1] + in.table[2] <= 27);
    __VERIFIER_assert(in.lamp == RED || seen->lamp == RED || in.lamp == GREEN);
    __VERIFIER_assert(in.on + seen->on <= 2 && in.flag <= 1);
    __VERIFIER_assert(scale >= 0.5 && scale <= 2.0);
    count = field[0] == 77 && field[1] == 78 && in.raw.bytes[2] == 5 && seen->level == 100 ? count + 1 : count;
    __VERIFIER_assert(count < 2 || count_of != 9);
    return count;
}
