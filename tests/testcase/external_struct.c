extern void __VERIFIER_error(void);
struct s { int a; char b[3]; };
extern struct s outside;
int get(struct s *p) { return p->a; }
int main(void) {
    if (get(&outside) == 5 && outside.b[1] == 'q') __VERIFIER_error();
    return 0;
}
