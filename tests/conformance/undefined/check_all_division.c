// verdict: FALSE division
// options: --check all
// gcc: no, the compiled program traps
// fact: an empty array makes the mean divide by zero
static int mean(const int *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum / n;
}

int main(void)
{
    int a[1] = { 1 };
    return mean(a, 0);
}
