// last: FALSE(p.assertion.1)
// `otherwise` with an assertion: some transition is always enabled. It is not.
#include <syncline.h>
#include <assert.h>
unsigned char x;
void p(void) {
s:
    choice {
        when (x < 3) { x = x + 1; goto s; }
        when (x > 4) { x = 0; goto s; }
        otherwise { assert(0); }
    }
}
int main(void) { sync(p); }
