// Pointer arithmetic, and a pointer that was an integer.
#include <assert.h>
int nondet(void);
int main(void) {
    int a[3]={1,2,3};
    int *p=a;
    int i=nondet();
    if(i<0||i>2) return 0;
    p+=i;
    int *e=a+3;
    int s=0;
    while(p<e) s+=*p++;
    assert(s<=6 && s>=3);
    assert(i!=1 || s==5);
    unsigned long u=(unsigned long)a;
    int *q=(int*)u;
    q[1]=10;
    assert(a[1]==10);
    return 0;
}
