// Arrays in records in arrays, by index, by copy and by bytes.
#include <assert.h>
#include <string.h>
struct s { int a; char n[8]; struct { short x,y; } in[3]; };
int nondet(void);
int main(void) {
    struct s v[2], *p=v;
    memset(v,0,sizeof v);
    int i=nondet(), j=nondet();
    if (i<0||i>1||j<0||j>2) return 0;
    p[i].in[j].y = 5;
    assert(v[i].in[j].y==5);
    assert(v[1-i].in[j].y==0);
    assert(v[i].in[j].x==0);
    struct s w=v[i];
    assert(w.in[j].y==5);
    char *c=(char*)&w;
    assert(c[12+4*j+2]==5);
    return 0;
}
