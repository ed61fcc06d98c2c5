// lustrec: instances of nodes are behind pointers that somebody must have set.
// top_step.assertion.1 SAFE
// top_step.assertion.2 UNSAFE
struct cnt_mem { struct cnt_reg { int __c; _Bool __first; } _reg; };
struct top_mem { struct top_reg { int last; } _reg; struct cnt_mem *ni_0; };
void cnt_reset(struct cnt_mem *self) { self->_reg.__first = 1; }
void cnt_step(_Bool r, int (*n), struct cnt_mem *self) {
  if (self->_reg.__first || r) *n = 0; else *n = self->_reg.__c + 1;
  if (*n > 4) *n = 0;
  self->_reg.__first = 0; self->_reg.__c = *n;
}
void top_reset(struct top_mem *self) { cnt_reset(self->ni_0); }
void top_step(_Bool r, _Bool (*ok), int (*out), struct top_mem *self) {
  int n; cnt_step(r, &n, self->ni_0); *out = n; *ok = n < 4;
  __VERIFIER_assert(n <= 4);
  __VERIFIER_assert(*ok);
}
