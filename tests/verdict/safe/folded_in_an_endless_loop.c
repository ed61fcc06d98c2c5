// args: --engine bmc --time 5
extern void reach_error(void);
int main(void) {
  int b = 0;
  while (1) {
    if (b == (b - b)) continue;
    if (!(0)) { reach_error(); }
  }
}
