// args: --check race
// last: FALSE(total.race.1)
// A process reads what another one has written in the same step.
#include <syncline.h>
blocking int total;
int seen;
void one(void) { total = 1; }
void two(void) { seen = total; }
int main(void) {
    sync(one);
    sync(two);
}
