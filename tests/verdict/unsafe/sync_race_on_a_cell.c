// Different cells are no race; the second step has one, on a[1].
// args: --check race
// last: FALSE(a.race.1)
#include <syncline.h>
unsigned char a[2];
void one(void) {
    a[0] = 1;
    a[1] = 1;
}
void two(void) {
    a[1] = 2;
    a[1] = 2;
}
int main(void) {
    sync(one);
    sync(two);
}
