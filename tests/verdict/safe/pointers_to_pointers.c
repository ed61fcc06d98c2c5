// Writes through pointers to pointers.
#include <assert.h>
void set(int **pp, int *v){ *pp = v; }
int main(void) {
    int x=1,y=2,*p=&x;
    set(&p,&y);
    *p=7;
    assert(x==1 && y==7);
    int **q=&p;
    **q=9;
    assert(y==9);
    *q=&x;
    *p=3;
    assert(x==3);
    return 0;
}
