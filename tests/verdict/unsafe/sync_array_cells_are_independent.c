// Each cell gets a value of some process by itself: no order of the processes gives a[0] = 1 and a[1] = 2.
// last: FALSE(always.assertion.1)
#include <syncline.h>
unsigned char a[2];
void one(void) {
    atomic { a[0] = 1; a[1] = 1; }
}
void two(void) {
    atomic { for (int i = 0; i < 2; i++) a[i] = 2; }
}
int main(void) {
    sync(one);
    sync(two);
    always(!(a[0] == 1 && a[1] == 2));
}
