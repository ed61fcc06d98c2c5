// Writes show at the boundary: one process adds 1 twice and gets 1, two processes exchange their variables.
#include <syncline.h>
unsigned char n, a = 1, b = 2;
void counter(void) {
    atomic {
        n = n + 1;
        n = n + 1;
    }
}
void left(void) {
s:
    atomic { a = b; goto s; }
}
void right(void) {
s:
    atomic { b = a; goto s; }
}
int main(void) {
    sync(counter);
    sync(left);
    sync(right);
    always(n <= 1);
    always(a + b == 3 && a != b);
}
