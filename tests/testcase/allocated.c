#include <stdlib.h>
extern void __VERIFIER_error(void);
struct node { int value; struct node *next; };
int main(void) {
    struct node *list = 0;
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        n->next = list;
        list = n;
    }
    if (list->value == 3 && list->next->value == -2 && list->next->next->value == 77) __VERIFIER_error();
    return 0;
}
