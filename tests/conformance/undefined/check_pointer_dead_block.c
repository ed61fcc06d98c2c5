// verdict: FALSE pointer
// options: --check pointer
// gcc: no, an access to a dead object
// fact: a read of a local after its block ended is found
int main(void)
{
    int *p;
    {
        int x = 1;
        p = &x;
    }
    return *p;
}
