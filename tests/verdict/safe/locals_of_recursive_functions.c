// Each activation has its own local.
#include <assert.h>
int nondet(void);
int f(int n){ int x=n; int *p=&x; if(n>0) f(n-1); (*p)++; return x; }
int main(void) {
    int k=nondet();
    if(k<0||k>4) return 0;
    assert(f(k)==k+1);
    static int s[3];
    int *r=&s[1];
    r[-1]=4;
    assert(s[0]==4);
    return 0;
}
