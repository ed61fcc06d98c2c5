// says: a jump into the atomic section of line 5
#include <syncline.h>
int x;
void p(void) {
    atomic {
    inside:
        x = 1;
    }
    goto inside;
}
int main(void) { sync(p); }
