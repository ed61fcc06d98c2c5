// says: `idle` has no meaning here
#include <syncline.h>
int x;
void helper(void) { idle(); }
void p(void) { helper(); x = 1; }
int main(void) { sync(p); }
