// Each variable gets a value of some process by itself: no order of the processes gives x = 1 and y = 2.
// last: FALSE(always.assertion.1)
#include <syncline.h>
int x, y;
void one(void) {
    atomic { x = 1; y = 1; }
}
void two(void) {
    atomic { x = 2; y = 2; }
}
int main(void) {
    sync(one);
    sync(two);
    always(x == y);
}
