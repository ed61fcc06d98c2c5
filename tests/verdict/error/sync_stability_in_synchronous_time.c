// args: --check stability
// says: stability is a property of asynchronous time
#include <syncline.h>
int x;
void p(void) { x = 1; }
int main(void) { sync(p); }
