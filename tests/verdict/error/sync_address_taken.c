// says: the address of the shared variable `x` is taken
#include <syncline.h>
int x;
void set(int *to) { *to = 1; }
void p(void) { set(&x); }
int main(void) { sync(p); }
