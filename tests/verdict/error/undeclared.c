// says: nowhere
int main(void) { return nowhere; }
