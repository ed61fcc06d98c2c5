// says: syntax.c:
int main(void) { return 1 +; }
