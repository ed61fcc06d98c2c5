// verdict: TRUE
// fact: a global struct can point to itself
#include <assert.h>

struct list { struct list *next, *prev; };
struct list head = { &head, &head };

int main(void)
{
    assert(head.next == &head && head.next->prev == &head);
    return 0;
}
