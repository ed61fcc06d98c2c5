// says: atomic sections do not nest
#include <syncline.h>
int x;
void p(void) {
    atomic {
        x = 1;
        atomic { x = 2; }
    }
}
int main(void) { sync(p); }
