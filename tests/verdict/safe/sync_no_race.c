// args: --check race
// Equal values are no race, and neither are writes in different steps.
#include <syncline.h>
int x;
blocking int total;
void one(void) {
    x = 1;
    total = total + 1;
}
void two(void) {
    x = 1;
    idle();
    total = total + 1;
}
int main(void) {
    sync(one);
    sync(two);
}
