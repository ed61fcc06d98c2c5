// says: a write to the array `a`, which several processes write and which has more than 64 cells
#include <syncline.h>
int a[65];
void one(void) { a[0] = 1; }
void two(void) { a[1] = 1; }
int main(void) {
    sync(one);
    sync(two);
    always(a[2] == 0);
}
