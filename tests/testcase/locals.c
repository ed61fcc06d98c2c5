#include <assert.h>
int main(void) {
    int x, y = 2, z[3];
    register short r;
    _Bool b;
    int *unused;
    double d;
    int seen = 0;
    for (int i = 0; i < 3; i++) {
        int fresh;
        if (fresh == i * 7) seen++;
    }
    assert(!(seen == 3 && x == 11 && y == 2 && z[0] == 5 && z[2] == -6 && r == -3 && b && d == 2.5));
    return 0;
}
