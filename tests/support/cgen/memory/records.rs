//! Templates: structs, unions, compound literals, initialisers, flexible members.

use super::{template, Template};

pub(super) const STRUCTS: &[Template] = &[
    template(
        "struct",
        "fields",
        "struct P$# { $B a; $T b; $F c; $U d; }; static struct P$# s$# = {$c, $c, 1.5, $c};",
        "struct P$# l; l.a = $e; l.b = $e; l.c = x / 4.0; l.d = l.b + 1; struct P$# *p = x & 1 ? &l : &s$#; \
         p->a = !p->a; p->b += $e; p->c *= 2; (*p).d--; out(l.a); out(l.b); real(l.c); out(l.d); out(s$#.a); \
         out(s$#.b); real(s$#.c); out(s$#.d);",
    ),
    template(
        "struct",
        "layout",
        "struct P$# { $B a; $T b; $F c; char d; $U e[3]; struct { char x; $T y; } f; long double g; char h; };",
        "out(sizeof(struct P$#)); out(_Alignof(struct P$#)); out(__builtin_offsetof(struct P$#, b)); \
         out(__builtin_offsetof(struct P$#, c)); out(__builtin_offsetof(struct P$#, e)); \
         out(__builtin_offsetof(struct P$#, f.y)); out(__builtin_offsetof(struct P$#, g)); \
         out(__builtin_offsetof(struct P$#, h)); struct P$# a[2]; out((char *)&a[1] - (char *)a); out((char \
         *)&a[0].e[2] - (char *)a); out((int)sizeof a);",
    ),
    template(
        "struct",
        "packed and aligned",
        "struct P$# { char a; $T b; $U c; } __attribute__((packed)); struct Q$# { char a; $T b \
         __attribute__((aligned(16))); struct P$# c; char d; }; \n#pragma pack(push, 2)\nstruct R$# { char a; \
         $T b; $F c; };\n#pragma pack(pop)\nstatic struct P$# p$#[3]; static struct Q$# q$#;",
        "out(sizeof(struct P$#)); out(sizeof(struct Q$#)); out(sizeof(struct R$#)); out(_Alignof(struct \
         Q$#)); out(__builtin_offsetof(struct Q$#, c)); out(__builtin_offsetof(struct R$#, c)); p$#[1].b = $e; \
         p$#[0].c = $e; p$#[2].b = -1; p$#[1].c += 3; for (int i = 0; i < 3; i++) { out(p$#[i].a); \
         out(p$#[i].b); out(p$#[i].c); } q$#.c = p$#[x % 3]; q$#.b = 5; out(q$#.c.b); struct R$# r = {1, $c, \
         2.5}; r.b++; out(r.b); real(r.c); out(r.a);",
    ),
    template(
        "struct",
        "nested",
        "struct I$# { $T v; char c; }; struct M$# { struct I$# a; $U n; struct I$# b[2]; }; struct O$# { char \
         k; struct M$# m; struct I$# *p; }; static struct O$# o$#;",
        "o$#.m.a.v = $e; o$#.m.b[x & 1].v = $e; o$#.p = &o$#.m.b[1]; o$#.p->c = 'z'; o$#.p->v += 2; struct \
         M$# *m = &o$#.m; m->b[0] = m->b[1]; m->n = m->b[0].c; struct I$# *i = m->b; i++; i->v--; \
         out(o$#.m.a.v); out(o$#.m.b[0].v); out(o$#.m.b[1].v); out(m->n); out(o$#.m.b[0].c); m->a = *i; \
         out(o$#.m.a.v + o$#.m.a.c); out(o$#.k);",
    ),
    template(
        "struct",
        "array of structs",
        "struct P$# { $T a; char n[3]; $U b; }; static struct P$# t$#[$n] = {{$c, \"ab\", $c}, {$c}, [2].b = \
         $c};",
        "for (int i = 0; i < $n; i++) { t$#[i].a += i; t$#[i].n[i % 3] = i; } t$#[$x].b = $e; struct P$# *p = \
         t$# + $k; p->a = 3; for (p = t$#; p != t$# + $n; p++) { out(p->a); out(p->n[0] + p->n[2]); out(p->b); \
         } p--; out(p - t$#); t$#[$k] = t$#[$k]; t$#[0] = t$#[$x]; out(t$#[0].a); out((&t$#[1])->b); out((t$# \
         + 2)->n[1]);",
    ),
    template(
        "struct",
        "assignment",
        "struct P$# { $B a; $T b[$n]; struct { $U c; char d; } e; }; static struct P$# g$#;",
        "struct P$# a = {1, {$L}, {$c, 2}}, b = a, c; b.b[$k] = $e; c = b; c.e.d++; a = c; g$# = a; b.a = 0; \
         g$#.b[1] -= 4; c = x & 1 ? a : b; struct P$# *p = &a, *q = &b; *p = *q; p->e.c = 9; a = b = g$#; \
         q->b[0] = $e; out(a.e.d); out(b.e.c); out(c.a); for (int i = 0; i < $n; i++) { out(a.b[i]); \
         out(b.b[i]); out(c.b[i]); out(g$#.b[i]); }",
    ),
    template(
        "struct",
        "by value",
        "struct P$# { $T a; $U b[2]; char c; }; static $T f$#(struct P$# p, int k) { p.b[k & 1] += 2; p.a = \
         p.b[0] + p.c; return p.a; } static void g$#(struct P$# a, struct P$# *r, struct P$# b) { a.a = \
         b.b[1]; r->a = a.a + b.a; a = b; *r = a; r->c++; }",
        "struct P$# s = {$c, {$c, $c}, 4}, t = {2}; out(f$#(s, x)); out(s.a); s.b[1] = $e; out(f$#(s, 1)); \
         g$#(s, &t, s); out(t.a); out(t.b[1]); out(t.c); g$#(t, &t, s); out(t.c); out(s.b[0]); out(s.a);",
    ),
    template(
        "struct",
        "by value, small",
        "struct A$# { char c; }; struct B$# { short s; char c; }; struct C$# { float f; }; struct D$# { float \
         f; int i; }; struct E$# { double d; char c; }; static struct A$# a$#(struct B$# b) { struct A$# r = \
         {b.c + 1}; return r; } static struct B$# b$#(struct A$# a, struct D$# d) { return (struct B$#){a.c, \
         d.i}; } static struct C$# c$#(struct E$# e) { struct C$# r; r.f = e.d + e.c; return r; } static \
         struct D$# d$#(struct C$# c, int i) { return (struct D$#){c.f / 2, i}; } static struct E$# e$#(struct \
         D$# d) { struct E$# r = {d.f, d.i}; return r; }",
        "struct B$# b = {300, 5}; out(a$#(b).c); struct D$# d = d$#((struct C$#){2.5f}, $e); b = b$#(a$#(b), \
         d); out(b.s); out(b.c); real(c$#(e$#(d)).f); struct E$# e = e$#(d$#(c$#((struct E$#){1.25, x}), 7)); \
         real(e.d); out(e.c);",
    ),
    template(
        "struct",
        "result",
        "struct P$# { $T a; $U b[2]; }; static struct P$# make$#($T a) { struct P$# r = {a, {a, 1}}; return \
         r; } static struct P$# twice$#(struct P$# p) { p.a *= 2; p.b[0]++; return p; } static struct P$# \
         *ref$#(struct P$# *p) { p->a--; return p; }",
        "struct P$# p = make$#($e); out(p.a); out(make$#(3).b[0]); p = twice$#(twice$#(p)); out(p.a); \
         out(p.b[0]); out(twice$#(make$#($e)).a); out(ref$#(ref$#(&p))->a); *ref$#(&p) = make$#(x); out(p.a); \
         struct P$# t[2] = {make$#(1), p}; t[x & 1] = twice$#(t[1]); out(t[0].a + t[1].b[0]); out((x > 1 ? \
         make$#(8) : p).a);",
    ),
    template(
        "struct",
        "recursive by value",
        "struct P$# { $T a; char k[3]; }; static struct P$# r$#(int d, struct P$# p) { struct P$# *q = &p; \
         q->k[d % 3] += d; if (d > 0) { struct P$# s = r$#(d - 1, p); p.a += s.a + s.k[0]; } return p; }",
        "struct P$# p = {$c, {1, 2, 3}}, q = r$#(4, p); out(q.a); out(q.k[1]); out(p.k[1]); q = r$#(x, q); \
         out(q.a); out(q.k[2]);",
    ),
    template(
        "struct",
        "anonymous members",
        "struct P$# { $T a; union { $T i; unsigned char b[sizeof($T)]; }; struct { char c; $U d; }; }; static \
         struct P$# s$# = {1, {2}, {3, 4}};",
        "struct P$# *p = &s$#; p->i = $e; out(s$#.b[0]); s$#.b[0] = 7; out(p->i); p->d = $e; p->c++; \
         out(s$#.c); out(s$#.d); out(s$#.a); out(__builtin_offsetof(struct P$#, d)); struct P$# l = {.i = 5, \
         .d = 6}; out(l.b[0] + l.d + l.a);",
    ),
    template(
        "struct",
        "with pointers",
        "struct N$# { $T v; struct N$# *next; }; static struct N$# c$# = {$c, 0}, b$# = {$c, &c$#}, a$# = \
         {$c, &b$#}; struct W$# { $T *p; $T a[$n]; const char *s; };",
        "for (struct N$# *p = &a$#; p; p = p->next) { out(p->v); p->v += x; } a$#.next->next->v = $e; \
         out(c$#.v); out(a$#.next == &b$#); struct W$# w = {0, {$L}, \"word\"}; w.p = w.a + $k; *w.p = $e; \
         out(w.a[$k]); w.p = w.a; w.p[$x]++; struct W$# y = w; y.a[0] = 1; out(*y.p == *w.p); out(y.s[1]); \
         out(w.s[x & 3]); y.p = y.a; *y.p += 2; for (int i = 0; i < $n; i++) out(w.a[i] + 3 * y.a[i]);",
    ),
    template(
        "struct",
        "tagless, typedef, inner scope",
        "typedef struct { $T a; char b; } t$#; typedef struct U$# u$#; struct U$# { t$# t; u$# *self; }; \
         static u$# g$#;",
        "t$# v = {$c, 2}; g$#.t = v; g$#.self = &g$#; g$#.self->self->t.a += 3; out(g$#.t.a); struct P$# { $U \
         x, y; } p = {1, $c}; { struct P$# { char z[$n]; }; out(sizeof(struct P$#)); struct P$# q = {{1, 2, \
         3}}; out(q.z[1]); } out(sizeof p); out(p.y); static struct { $T n; } once; once.n += x + 1; \
         out(once.n);",
    ),
    template(
        "struct",
        "byte comparison",
        "struct P$# { unsigned a; int b; unsigned c; };",
        "struct P$# p = {$c, 2, 3}, q = p; out(memcmp(&p, &q, sizeof p) == 0); q.b = $e; out(memcmp(&p, &q, \
         sizeof p) != 0); out(memcmp(&p, &q, 4)); unsigned char *b = (unsigned char *)&p; unsigned s = 0; for \
         (unsigned i = 0; i < sizeof p; i++) s = s * 31 + b[i]; out(s); memcpy(&p.b, &q.b, sizeof q.b); \
         out(memcmp(&p, &q, sizeof p)); out(p.b);",
    ),
    template(
        "struct",
        "flexible member",
        "struct P$# { $U n; $T data[]; };",
        "struct P$# *p = malloc(sizeof *p + $n * sizeof p->data[0]); p->n = $n; for (int i = 0; i < $n; i++) \
         p->data[i] = i * 3; p->data[$x] = $e; $T s = 0; for ($U i = 0; i < p->n; i++) s += p->data[i]; \
         out(s); out(p->data[$k]); out(sizeof *p); $T *q = p->data + 1; *q = 5; out(p->data[1]); \
         out(__builtin_offsetof(struct P$#, data)); free(p);",
    ),
];

pub(super) const UNIONS: &[Template] = &[
    template(
        "union",
        "int and bytes",
        "union P$# { $T v; unsigned char b[sizeof($T)]; };",
        "union P$# u; u.v = $e; for (unsigned i = 0; i < sizeof u.b; i++) out(u.b[i]); u.b[0] = 0xc3; \
         u.b[sizeof u - 1] ^= 0x80; out(u.v); union P$# *p = &u; p->v += 257; out(p->b[0]); out(u.b[sizeof u.b \
         - 1]); out(sizeof u);",
    ),
    template(
        "union",
        "ints of several widths",
        "union P$# { unsigned long long q; unsigned d[2]; unsigned short w[4]; signed char c[8]; }; static \
         union P$# g$#;",
        "g$#.q = 0x8899aabbccddeeffULL; out(g$#.d[x & 1]); out(g$#.w[x & 3]); out(g$#.c[7]); g$#.w[1] = $e; \
         out(g$#.q); g$#.c[5]--; out(g$#.d[1]); g$#.d[0] += 0x10001; out(g$#.q); union P$# l = g$#; l.c[x & 7] \
         = 1; out(l.q); out(g$#.q == l.q); unsigned *p = &l.d[1]; *p = 3; out(l.q);",
    ),
    template(
        "union",
        "float bits",
        "union P$# { float f; unsigned u; signed char c[4]; }; static union P$# s$# = {1.5f};",
        "union P$# p; p.f = (x + 1) * 0.375f; out(p.u); out(p.c[3]); p.u ^= 0x80000000u; real(p.f); p.u = \
         0x40490fdb; real(p.f); out(p.f > 3); p.u += 1; real(p.f * 2); out(s$#.u); s$#.f = -s$#.f; out(s$#.u); \
         p.u = 0x7f800000; out(p.f > 1e38f); p.c[3] = -1; out(p.f < 0);",
    ),
    template(
        "union",
        "double bits",
        "union P$# { double d; unsigned long long u; unsigned w[2]; };",
        "union P$# p = {2.0}; p.d = p.d * (x + 3) / 7; out(p.u); out(p.w[1] >> 20); p.w[1] += 0x100000; \
         real(p.d); p.u = 0x3ff0000000000001ULL; out(p.d > 1); p.u = 1; out(p.d > 0); out(p.d * 0.5 == 0); p.d \
         = -0.0; out(p.u >> 63);",
    ),
    template(
        "union",
        "by value",
        "union P$# { $T v; unsigned char b[8]; unsigned long long w; }; static union P$# inc$#(union P$# u) { \
         u.w += 258; return u; } static $T low$#(union P$# u) { return u.v; }",
        "union P$# u; u.w = $e; out(inc$#(u).b[1]); u = inc$#(inc$#(u)); out(u.w); out(low$#(u)); union P$# v \
         = {.w = 7}; v.b[1] = x; out(low$#(v)); u = v; out(u.b[0]); *(&u) = x & 1 ? inc$#(v) : v; out(u.w);",
    ),
    template(
        "union",
        "in struct",
        "struct P$# { char kind; union { $T i; $U s[2]; struct { unsigned char lo, hi; } h; } u; $T after; }; \
         static struct P$# t$#[3];",
        "for (int i = 0; i < 3; i++) { struct P$# *p = &t$#[i]; p->kind = i; p->after = -i; switch (p->kind) \
         { case 0: p->u.i = $e; break; case 1: p->u.s[0] = $e; break; default: p->u.h.lo = 3; p->u.h.hi = x; } \
         } for (int i = 0; i < 3; i++) { out(t$#[i].u.h.lo); out(t$#[i].after); out(t$#[i].kind); } t$#[0].u = \
         t$#[2].u; out(t$#[0].u.h.hi); out(t$#[1].u.s[0]); out(sizeof t$#[0]);",
    ),
    template(
        "union",
        "common initial sequence",
        "union P$# { struct { $T tag; $U v; } a; struct { $T tag; char c[3]; } b; $T tag; };",
        "union P$# u; u.a.tag = $e; u.a.v = 1; out(u.b.tag); out(u.tag == u.a.tag); u.b.tag = 4; out(u.tag); \
         u.tag = x; union P$# *p = &u; out(p->a.tag); p->b.c[1] = 5; out(u.b.c[1]); out(sizeof u); \
         out(_Alignof(union P$#));",
    ),
    template(
        "union",
        "initialisers",
        "union P$# { $T v; unsigned char b[4]; unsigned u; }; static union P$# a$# = {$c}, b$# = {.b = {1, 2, \
         3}}, c$#[2] = {{.u = 77}, {5}}; struct Q$# { char k; union P$# p; }; static struct Q$# q$# = {1, {.u \
         = 9}}, r$# = {.p.b[2] = 4};",
        "out(a$#.v); out(b$#.u); out(c$#[0].u); out(c$#[1].v); out(q$#.p.u); out(r$#.p.u); out(r$#.k); union \
         P$# l = {.u = $e}; out(l.b[x & 3]); c$#[x & 1] = l; out(c$#[0].u ^ c$#[1].u);",
    ),
    template(
        "union",
        "pointers inside",
        "union P$# { $T *p; $T **pp; }; static $T v$# = $c; static union P$# g$# = {&v$#};",
        "*g$#.p += 2; out(v$#); $T l = $e; union P$# u; u.p = &l; *u.p -= 1; out(l); union P$# t[2] = {g$#, \
         u}; *t[x & 1].p = $e; out(l); out(v$#); out(sizeof u == sizeof(void *)); u = g$#; out(u.p == &v$#);",
    ),
];

pub(super) const LITERALS: &[Template] = &[
    template(
        "initialiser",
        "compound literal",
        "struct P$# { $T a; $U b[3]; }; static $T f$#(const struct P$# *p) { return p->a + p->b[1]; } static \
         $T *g$# = ($T[]){$c, $c, $c};",
        "struct P$# s = (struct P$#){$e, {1, $e}}; out(s.a); out(f$#(&(struct P$#){x, {$c, 2, 3}})); \
         out(((struct P$#){.b = {4, 5, 6}}).b[x % 3]); $T *p = ($T[]){$e, 2, $e}; p[1] += 3; out(p[x % 3]); \
         out((($T[3]){1, 2})[2]); s = (struct P$#){.a = s.b[1]}; out(s.a); out(s.b[0]); out(*&($T){7});",
    ),
    template(
        "initialiser",
        "compound literal in loop",
        "struct P$# { $T a; $T *p; };",
        "$T s = 0; for (int i = 0; i < 3; i++) { struct P$# q = {i, &($T){i * 2}}; *q.p += q.a; s += *q.p; \
         int *z = (int[2]){0}; z[i & 1]++; s += z[0]; } out(s); out((int){$e}); out(-(($T){$e})); ($T){3}; \
         out(sizeof(($T[]){1, 2, 3}));",
    ),
    template(
        "initialiser",
        "designators",
        "struct P$# { $T a; $U b[4]; struct { char c; $T d; } e[2]; }; static struct P$# s$# = {.b[2] = $c, \
         $c, .a = $c, .e[1].d = $c, .e[0] = {1, 2}}, t$#[3] = {[1] = {.a = 3}, [0].b = {1, [3] = 2}, [2].e[1] \
         = {.d = 4}};",
        "out(s$#.a); for (int i = 0; i < 4; i++) out(s$#.b[i]); out(s$#.e[0].d + s$#.e[1].d); out(t$#[0].b[3] \
         + t$#[1].a + t$#[2].e[1].d); struct P$# l = {.e = {[1].c = 5}, .a = $e, .b = {[1 ... 2] = 6}}; \
         out(l.a); out(l.b[1] + l.b[2]); out(l.b[3]); out(l.e[1].c); struct P$# m = {.b[1] = x, .b[0] = 2, 9}; \
         out(m.b[1]); out(m.b[0]);",
    ),
    template(
        "initialiser",
        "elided braces",
        "struct P$# { char c; $T v[2]; struct { $U x, y; } p; }; static struct P$# a$#[2] = {1, 2, 3, 4, 5, \
         6, $c}; static $T m$#[2][3] = {1, 2, {3}, 4};",
        "for (int i = 0; i < 2; i++) { out(a$#[i].c); out(a$#[i].v[1]); out(a$#[i].p.y); } struct P$# l[2] = \
         {{1, 2, 3}, 4, {5}, x}; out(l[0].p.x); out(l[1].v[0]); out(l[1].p.x); struct { $T a[2], b; } q = {1, \
         $e, 3}; out(q.a[1]); out(q.b); out(m$#[0][2]);",
    ),
    template(
        "initialiser",
        "addresses",
        "static $T a$#[$n] = {$L}; struct P$# { $T *p; const char *s; void *v; $T **pp; }; static $T *e$# = \
         &a$#[$k]; static struct P$# s$# = {a$# + 2, \"text\" + 1, &a$#[1], &e$#}, *r$# = &s$#; static char \
         *n$#[] = {\"zero\", \"one\", 0, \"three\"}; static $T *const z$# = 0; static __UINTPTR_TYPE__ u$# = \
         (__UINTPTR_TYPE__)&a$#[1];",
        "out(*e$#); out(*s$#.p); out(s$#.s[x & 1]); out(*($T *)s$#.v); out(**s$#.pp); out(r$#->p - a$#); \
         out(n$#[2] == 0); out(n$#[3][x]); out(z$# == 0); **r$#->pp = $e; out(a$#[$k]); out(sizeof n$# / \
         sizeof n$#[0]); r$#->p--; out(*s$#.p); out((char *)u$# == (char *)(a$# + 1)); s$#.p = a$# + 2;",
    ),
    template(
        "initialiser",
        "local aggregates",
        "struct P$# { $B a; $T b[$n]; $F c; };",
        "$T v = $e; struct P$# p = {v, {v, v + 1}, v & 7}, q = {0}, z[2] = {p, {x, {[1] = v}}}; out(p.a); \
         out(p.b[1]); out(p.b[2]); real(p.c); out(q.b[$x]); out(z[0].b[0]); out(z[1].b[1]); real(z[1].c); char \
         t[$n] = \"ab\", *u[2] = {t, t + 1}; u[x & 1][0] = 'q'; out(t[0] + 2 * t[1]); out(t[2]);",
    ),
];
