// Calls through pointers in a record.
#include <assert.h>
typedef int (*fp)(int);
int inc(int x){return x+1;} int dec(int x){return x-1;}
struct ops { fp f, g; } o = { inc, dec };
int nondet(void);
int main(void) {
    struct ops *p=&o;
    int k=nondet();
    fp f = k ? p->f : p->g;
    int r=f(10);
    assert(r==11||r==9);
    if(k) assert(r==11);
    else assert(r==9);
    p->f=dec;
    assert(o.f(1)==0);
    return 0;
}
