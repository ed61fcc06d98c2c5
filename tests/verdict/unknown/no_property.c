// last: UNKNOWN(no property in the input)
int main(void) { return 0; }
