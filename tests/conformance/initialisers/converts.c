// verdict: TRUE
// fact: an initialiser is converted like an assignment
#include <assert.h>

unsigned char c = 300;
int i = 3.9;
double d = 1 / 2;

int main(void)
{
    assert(c == 44 && i == 3 && d == 0.0);
    return 0;
}
