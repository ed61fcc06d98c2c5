// verdict: FALSE overflow
// options: --check overflow
// gcc: no, gcc does not look for overflow
// fact: ++ of INT_MAX overflows
int main(void)
{
    int x = 2147483646;
    x++;
    x++;
    return x == 0;
}
