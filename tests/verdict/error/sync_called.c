// says: the process `q` is called as a function
#include <syncline.h>
int x;
void q(void) { x = 1; }
void p(void) { q(); }
int main(void) {
    sync(p);
    sync(q);
}
