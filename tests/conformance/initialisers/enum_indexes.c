// verdict: TRUE
// fact: enumerators can be designators
#include <assert.h>

enum colour { RED, GREEN, BLUE, COLOURS };

static const int value[COLOURS] = { [BLUE] = 3, [RED] = 1 };

int main(void)
{
    assert(value[RED] == 1 && value[GREEN] == 0 && value[BLUE] == 3);
    return 0;
}
