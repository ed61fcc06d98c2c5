// verdict: TRUE
// fact: a malloced struct keeps its array and its pointer apart
#include <assert.h>
#include <stdlib.h>

struct buffer { int n; char data[4]; struct buffer *next; };

int main(void)
{
    struct buffer *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    a->next = b;
    b->next = a;
    for (int i = 0; i < 4; i++) {
        a->data[i] = i;
        a->next->data[i] = -i;
    }
    assert(a->data[3] == 3 && b->data[3] == -3);
    assert(b->next->next == b);
    return 0;
}
