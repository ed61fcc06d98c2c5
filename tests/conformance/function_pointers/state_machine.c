// verdict: TRUE
// fact: a function pointer can be the state of a machine
#include <assert.h>

static void even(void);
static void odd(void);
static void (*state)(void) = even;

static void even(void) { state = odd; }
static void odd(void) { state = even; }

int main(void)
{
    for (int i = 0; i < 3; i++)
        state();
    assert(state == odd);
    return 0;
}
