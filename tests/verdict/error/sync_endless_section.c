// says: the step never ends here
// says: sync_endless_section.c:8:
#include <syncline.h>
int x;
void p(void) {
s:
    atomic {
        while (1)
            x = x + 1;
    }
    goto s;
}
int main(void) { sync(p); }
