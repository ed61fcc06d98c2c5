// says: which several processes write
#include <syncline.h>
int a[4];
void one(void) { a[0] = 1; }
void two(void) { a[1] = 1; }
int main(void) {
    sync(one);
    sync(two);
    always(a[2] == 0);
}
