// What a process writes to a blocking variable the next one reads in the same step.
#include <syncline.h>
blocking int total;
int seen;
void one(void) { total = 1; }
void two(void) { seen = total; }
int main(void) {
    sync(one);
    sync(two);
    always(total == seen);
}
