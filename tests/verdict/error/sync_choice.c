// says: directly in a `choice` stand only
#include <syncline.h>
int x;
void p(void) {
    choice {
        x = 1;
        when (x == 0) x = 2;
    }
}
int main(void) { sync(p); }
