// last: FALSE(main.assertion.1)
#include <assert.h>
enum { N = 30000 };
int main(void)
{
    int from[N], to[N];
    for (int i = 0; i < N; i++) { to[i] = from[i]; }
    int other[N];
    for (int i = 0; i < N; i++) { to[i] = other[i]; }
    for (int i = 0; i < N; i++) { assert(to[i] == from[i]); }
    return 0;
}
