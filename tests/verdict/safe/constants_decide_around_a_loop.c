// The endless loop of the steps goes when constants have decided the assertion: an acceleration of the loop inside of it
// proves nothing then, and its certificate would be refused.
#include <syncline.h>
unsigned char level = 2;
unsigned char other = 3;
void first(void)
{
    unsigned char local = 3;
    while (1)
        choice {
            when (1)
                for (int i = 0; i < 2; i++) {
                    local = 1;
                    other = local;
                }
            when (((level + 0) & 3) < 0)
                level = local;
        }
}
int main(void)
{
    sync(first);
    always(!(other == 1 && level == 0));
}
