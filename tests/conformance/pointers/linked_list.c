// verdict: TRUE
// fact: a list of structs can be walked
#include <assert.h>

struct node { int value; struct node *next; };

int main(void)
{
    struct node c = { 3, 0 }, b = { 2, &c }, a = { 1, &b };
    int sum = 0;
    for (struct node *p = &a; p; p = p->next)
        sum = sum * 10 + p->value;
    assert(sum == 123);
    return 0;
}
