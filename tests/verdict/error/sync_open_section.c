// says: sync_open_section.c:8:
// says: this atomic section is not closed
#include <syncline.h>
int x;

void p(void) {
s:
    atomic {
        if (x) {
            x = 0;
            goto s;
    }
}

int main(void) { sync(p); }
