// verdict: FALSE
// fact: not so: see list_on_the_heap.c
#include <assert.h>
#include <stdlib.h>

struct node { int value; struct node *next; };

int main(void)
{
    struct node *list = 0;
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        if (!n)
            return 0;
        n->value = i;
        n->next = list;
        list = n;
    }
    assert(list->value == 2);
    assert(list->next->next->value == 2);
    assert(list->next->next->next == 0);
    return 0;
}
