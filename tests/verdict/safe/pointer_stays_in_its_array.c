// An index outside one array changes nothing in the other.
#include <assert.h>
int nondet(void); int a[4], b[4];
int main(void) {
    int *p = nondet() ? a : b;
    int i = nondet();
    p[i] = 1;
    if (p == a) assert(b[0]==0 && b[1]==0 && b[2]==0 && b[3]==0);
    return 0;
}
