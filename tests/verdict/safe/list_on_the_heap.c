// A list is as long as it was made.
#include <assert.h>
#include <stdlib.h>
struct n { struct n *next; int v; };
int nondet(void);
int main(void) {
    struct n *h=0;
    int k=nondet();
    if (k<0||k>3) return 0;
    for(int i=0;i<k;i++){ struct n*x=malloc(sizeof*x);
    x->v=i;
    x->next=h;
    h=x; } int c=0;
    for(struct n*x=h;x;x=x->next) c++;
    assert(c==k);
    if (h) { struct n *f=h;
    h=h->next;
    free(f);} return 0;
}
