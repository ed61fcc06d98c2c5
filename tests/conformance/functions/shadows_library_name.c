// verdict: TRUE
// gcc: no, gcc folds its own abs
// fact: a function the program defines is that function, whatever its name
#include <assert.h>

int abs(int x) { return x + 1; }
int isnan(double d) { return 7; }

int main(void)
{
    assert(abs(-5) == -4);
    assert(isnan(0.0) == 7);
    return 0;
}
