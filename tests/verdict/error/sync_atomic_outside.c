// says: `atomic` has no meaning here
#include <syncline.h>
int x;
int main(void) {
    x = 1;
    atomic { x = 2; }
    return x;
}
