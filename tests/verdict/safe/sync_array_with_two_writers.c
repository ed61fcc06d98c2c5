// Cells are variables: each process keeps what the other has written to another cell in the same step.
#include <syncline.h>
int a[4];
void one(void) { a[0] = 1; }
void two(void) { a[1] = 1; }
int main(void) {
    sync(one);
    sync(two);
    always(a[0] == a[1] && a[2] == 0);
}
