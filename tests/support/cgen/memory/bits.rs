//! Templates: bit-fields.

use super::{template, Template};

pub(super) const BITS: &[Template] = &[
    template(
        "bit-field",
        "unsigned",
        "struct P$# { unsigned a : 3; unsigned b : 13; unsigned c : 16; unsigned d : 32; unsigned e : 1; }; \
         static struct P$# s$#;",
        "s$#.a = $e; s$#.b = $e; s$#.c = $e; s$#.d = $e; s$#.e = $e; out(s$#.a); out(s$#.b); out(s$#.c); \
         out(s$#.d); out(s$#.e); out(s$#.a - 9); out(-s$#.b); out(~s$#.a); out(s$#.c << 4); out(s$#.d >> 3); \
         out(s$#.a - 8 < 0);",
    ),
    template(
        "bit-field",
        "signed",
        "struct P$# { int a : 3; signed b : 13; int c : 1; int d : 31; signed char e : 5; };",
        "struct P$# s = {3, -1, -1, 1, 2}; out(s.c); s.a = $e; s.b = $e; s.d = $e; s.e += 15; out(s.a); \
         out(s.b); out(s.c); out(s.d); out(s.e); s.a--; s.a--; out(s.a); out(s.a < 0); s.c = 0; out(s.c); \
         out(s.d * 2u);",
    ),
    template(
        "bit-field",
        "_Bool",
        "struct P$# { _Bool a : 1; _Bool b : 1; unsigned c : 6; _Bool d; };",
        "struct P$# s = {0}; s.a = $e; s.b = 4; s.d = s.a; out(s.a); out(s.b); out(s.c); s.b ^= 1; s.a |= 2; \
         out(s.a + s.b); s.a++; s.b = 0.25; out(s.b); out(!s.a); out(s.d); s.c = $e; out(s.c && s.a);",
    ),
    template(
        "bit-field",
        "zero width",
        "struct P$# { $T a : 3; $T : 0; $T b : 4; char c; int : 0; unsigned d : 2; short : 0; char e; }; \
         struct Q$# { char a; int : 0; char b; };",
        "struct P$# s = {1, 2, 3, 1, 5}; s.a = $e; s.b += 1; out(s.a); out(s.b); out(s.c); out(s.d); \
         out(s.e); out(sizeof s); out(_Alignof(struct P$#)); out(__builtin_offsetof(struct P$#, e)); \
         out(sizeof(struct Q$#)); out(__builtin_offsetof(struct Q$#, b));",
    ),
    template(
        "bit-field",
        "unnamed",
        "struct P$# { unsigned a : 3; unsigned : 4; unsigned b : 5; int : 17; int c : 9; char : 3; char d; };",
        "struct P$# s = {5, 17, -3, 'x'}; out(s.a); out(s.b); out(s.c); out(s.d); out(sizeof s); s.b = $e; \
         s.a = 2; out(s.a * 100 + s.b); s.c = $e; out(s.c); out(s.d); out(__builtin_offsetof(struct P$#, d));",
    ),
    template(
        "bit-field",
        "straddling",
        "struct P$# { unsigned a : 7; unsigned b : 30; char c; short d : 11; short e : 9; unsigned f : 20; }; \
         struct Q$# { unsigned a : 7; unsigned b : 30; char c; long long d : 19; int e : 22; } \
         __attribute__((packed));",
        "struct P$# s = {1, 2, 3, 4, 5, 6}; struct Q$# q = {1, 2, 3, 4, 5}; s.b = $e; s.e = $e; q.b = $e; q.e \
         = $e; q.d = 0x2aaaa; out(s.a); out(s.b); out(s.c); out(s.d); out(s.e); out(s.f); out(q.a); out(q.b); \
         out(q.c); out((long long)q.d); out(q.e); out(sizeof s); out(sizeof q); q.a = -1; out(q.b + q.a); \
         out(_Alignof(struct Q$#));",
    ),
    template(
        "bit-field",
        "types of all widths",
        "struct P$# { unsigned char a : 5; signed char b : 4; unsigned short c : 9; short d : 7; unsigned \
         long e : 21; long f : 18; long long g : 17; unsigned long long h : 25; enum hue i : 8; enum level j : \
         12; char k : 8; };",
        "struct P$# s = {$c, $c, $c, $c, $c, $c, $c, $c, RED, LOW, 'k'}; out(s.a); out(s.b); out(s.c); \
         out(s.d); out(s.e); out(s.f); out(s.g); out(s.h); s.e = $e; s.i = LAST; s.j = HIGH; s.h += 1 << 24; \
         out(s.e + 0); out(s.h + 0); out(s.i); out(s.j); out(s.k); out(sizeof s); out(s.e - 1 < 0); out(s.g + \
         s.f);",
    ),
    template(
        "bit-field",
        "wider than int",
        "struct P$# { unsigned long long a : 40; long long b : 33; unsigned long long c : 63; long long d : \
         64; }; static struct P$# s$#;",
        "s$#.a = 0xffffffffffULL - x; s$#.b = $e; s$#.c = -1; s$#.d = $e; out((long long)s$#.a); out((long \
         long)s$#.b); out((unsigned long long)s$#.c); out(s$#.d); s$#.a += 5; out((unsigned long long)s$#.a); \
         s$#.b = 0x1ffffffffLL; out((long long)s$#.b); s$#.b--; out((long long)s$#.b); s$#.a = s$#.c; \
         out((unsigned long long)s$#.a); out(sizeof s$#); out((long long)s$#.a * 2);",
    ),
    template(
        "bit-field",
        "in union",
        "union P$# { unsigned u; struct { unsigned a : 4, b : 12, c : 16; } f; struct { int s : 8; unsigned \
         char r[3]; } g; int i : 5; };",
        "union P$# u; u.u = $e; out(u.f.a); out(u.f.b); out(u.f.c); u.f.b = 0xabc; out(u.u); out(u.g.s); \
         out(u.i); u.i = 0; out(u.u); u.f.c++; out(u.u); u.g.s = -2; out(u.f.a); out(u.u); out(sizeof u);",
    ),
    template(
        "bit-field",
        "value of assignment",
        "struct P$# { unsigned a : 3; int b : 4; _Bool c : 1; unsigned char d : 2; };",
        "struct P$# s = {0}; out(s.a = 13); out(s.b = 13); out(s.c = 13); out(s.d = $e); int v = s.a = s.b = \
         9; out(v); out(s.a += 6); out(s.b -= $e); out(s.a++); out(++s.a); out(s.b--); out(--s.b); out((s.d = \
         7) == 7); out(s.c ^= 1);",
    ),
    template(
        "bit-field",
        "compound assignment",
        "struct P$# { $T a : 6; unsigned b : 10; int c : 7; unsigned char d : 3; }; static struct P$# t$#[2];",
        "struct P$# *p = &t$#[x & 1]; p->a += 21; p->b -= 3; p->c *= 5; p->c += 40; p->d |= $e; p->b <<= 3; \
         p->c >>= 1; p->b ^= $e; p->a &= 31; p->b /= 3; p->c %= 7; p->d++; for (int i = 0; i < 5; i++) { p->d \
         += i; --p->c; out(p->d); } for (int i = 0; i < 2; i++) { out(t$#[i].a); out(t$#[i].b); out(t$#[i].c); \
         out(t$#[i].d); }",
    ),
    template(
        "bit-field",
        "copies",
        "struct P$# { unsigned a : 5; int b : 9; unsigned short c : 12; char d; }; static struct P$# \
         f$#(struct P$# p, unsigned v) { p.a = v; p.b++; return p; } static int g$#(const struct P$# *p) { \
         return p->a * p->b + p->c; }",
        "struct P$# s = {.b = -7, .a = 3, .c = $c}, t = s, u[2] = {{1, 2, 3}, t}; t = f$#(s, $e); out(t.a); \
         out(t.b); out(g$#(&t)); out(f$#(u[1], x).b); u[x & 1] = t; out(g$#(u)); out(g$#(&u[1])); out(s.a); \
         struct P$# c = (struct P$#){.a = 33, .d = 4}; out(c.a); out(c.d + c.b);",
    ),
    template(
        "bit-field",
        "neighbours",
        "struct P$# { char l; unsigned a : 1, b : 2, c : 3, d : 4, e : 5; int f : 6, g : 7; char r; };",
        "struct P$# s = {1}; s.r = 2; s.c = $e; s.b = 3; s.d = $e; s.a = 1; s.e = $e; s.g = -1; s.f = $e; \
         s.d--; s.b++; out(s.l); out(s.a); out(s.b); out(s.c); out(s.d); out(s.e); out(s.f); out(s.g); \
         out(s.r); s.l = s.r = -1; s.c = s.e; out(s.a + s.b + s.c + s.d); out(s.e + s.f + s.g); out(sizeof s);",
    ),
    template(
        "bit-field",
        "bytes",
        "struct P$# { unsigned a : 4, b : 12, c : 9, d : 7; }; struct Q$# { unsigned char x : 3, y : 5; };",
        "struct P$# s = {0}; s.a = $e; s.b = $e; s.c = $e; s.d = $e; unsigned w; memcpy(&w, &s, sizeof w); \
         out(w); w ^= 0x12345678; memcpy(&s, &w, sizeof s); out(s.a); out(s.b); out(s.c); out(s.d); struct Q$# \
         q = {5, $c}; unsigned char *p = (unsigned char *)&q; out(*p); *p = 0xa6; out(q.x); out(q.y); \
         memset(&s, -1, sizeof s); out(s.c);",
    ),
    template(
        "bit-field",
        "conditions",
        "struct P$# { unsigned a : 2; int b : 2; _Bool c : 1; unsigned n : 3; };",
        "struct P$# s = {x, x, x, 5}; if (s.a) out(1); out(s.b ? s.a : s.n); while (s.n) s.n--; out(s.n); \
         out(s.c || s.b); switch (s.b) { case -1: out(10); break; case -2: out(11); case 1: out(12); default: \
         out(13); } for (s.n = 0; s.n < 6; s.n++) out(s.n & s.a); out(s.b == s.a); out(s.b > s.a - 4); int \
         t[4] = {$c, 2, 3, 4}; out(t[s.a]); out(1 << s.a);",
    ),
    template(
        "bit-field",
        "packed pragma",
        "\n#pragma pack(push, 1)\nstruct P$# { signed a : 5; unsigned b : 17; char c; $T d : 6; unsigned \
         short e : 15; $U f; };\n#pragma pack(pop)\nstatic struct P$# s$#[2] = {{1, 2, 3, 4, 5, 6}};",
        "s$#[1] = s$#[0]; s$#[1].b = $e; s$#[1].e = $e; s$#[0].d = $e; s$#[0].f = $e; s$#[1].a--; for (int i \
         = 0; i < 2; i++) { out(s$#[i].a); out(s$#[i].b); out(s$#[i].c); out(s$#[i].d); out(s$#[i].e); \
         out(s$#[i].f); } out(sizeof s$#); out(__builtin_offsetof(struct P$#, f));",
    ),
];
