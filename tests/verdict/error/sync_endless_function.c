// says: this function never ends
#include <syncline.h>
int x;
void wait(void) {
    for (;;)
        x = 1;
}
void p(void) { wait(); }
int main(void) { sync(p); }
