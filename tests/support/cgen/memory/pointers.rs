//! Templates: pointers to every sort of object, arithmetic, comparison, pointers to pointers, parameters, casts.

use super::{template, Template};

pub(super) const POINTERS: &[Template] = &[
    template(
        "pointer",
        "to global",
        "$T g$# = $c; static $T h$# = $c;",
        "$T *p = &g$#; *p += 3; out(g$#); p = &h$#; *p = $e; out(h$#); out(*p - g$#); h$# = $e; out(*p);",
    ),
    template(
        "pointer",
        "to local",
        "",
        "$B a = $e, b = $e; $B *p = &a; out(*p); *p = $e; out(a); p = x & 1 ? &b : &a; *p = $e; out(a); \
         out(b); a = $e; out(*p);",
    ),
    template(
        "pointer",
        "to parameter",
        "static $T f$#($T a, $T b) { $T *p = a > b ? &a : &b; *p += 5; return a - b; }",
        "out(f$#($e, $e)); out(f$#(x, 2));",
    ),
    template(
        "pointer",
        "to element",
        "static $T a$#[$n] = {$L};",
        "$T *p = &a$#[$k], *q = a$# + $k; out(*p); *q = $e; out(a$#[$k]); *(a$# + $x) -= 2; for (int i = 0; i \
         < $n; i++) out(*(i + a$#));",
    ),
    template(
        "pointer",
        "to field",
        "struct P$# { char c; $T f; $U g[$n]; }; static struct P$# s$#;",
        "$T *p = &s$#.f; $U *q = &s$#.g[$x], *r = s$#.g; *p = $e; *q = $e; out(s$#.f); out(s$#.g[$x]); \
         s$#.f++; out(*p); out(r[$k]); r += $k; *r = $e; for (int i = 0; i < $n; i++) out(s$#.g[i]);",
    ),
    template(
        "pointer",
        "p + i, p - i",
        "",
        "$T a[$n] = {$L}; $T *p = a + $m; out(*(p - $k)); p = p - $m; out(*(p + $x)); out(*($k + p)); \
         out(p[$x]); out($k[p]); *(p + $x) = $e; for (int i = 0; i < $n; i++) out(a[i]);",
    ),
    template(
        "pointer",
        "p += i, p -= i",
        "",
        "$B a[$n] = {$L}; $B *p = a; p += $k; out(*p); p = a; p += $x; *p = $e; p = a + $n; p -= 1 + $x; \
         out(*p); for (int i = 0; i < $n; i++) out(a[i]);",
    ),
    template(
        "pointer",
        "*p++, *--p",
        "",
        "$T a[$n] = {$L}; $T *p = a; while (p < a + $n) out(*p++); out(p == a + $n); while (p != a) { --p; *p \
         += x; out(*p); } *p++ = $e; *++p = $e; out((*p)--); out(--*p); out(*p-- + 1); out(++*p); for (int i = \
         0; i < $n; i++) out(a[i]);",
    ),
    template(
        "pointer",
        "difference",
        "static $T a$#[$n];",
        "$T *p = &a$#[$x], *q = &a$#[$x]; out(p - q); out(q - a$#); out(&a$#[$n] - p); out((int)(p - q) * 2); \
         out((char *)p - (char *)q); out((p - q) / 2 < 0);",
    ),
    template(
        "pointer",
        "compare ==",
        "static $T a$#[$n], b$#;",
        "$T *p = &a$#[$x], *q = &a$#[$x], *r = &b$#; out(p == q); out(p != q); out(p == r); out(r == &b$#); \
         out(&a$#[1] == a$# + 1); out((void *)p == (void *)r);",
    ),
    template(
        "pointer",
        "compare <",
        "",
        "$B a[$n] = {$L}; $B *p = &a[$x], *q = a + $x; out(p < q); out(p > q); out(p <= q); out(p >= q); \
         out(a + $n > p); out(p < a); for (q = a; q <= &a[$m]; q++) out(*q); for (q = &a[$m]; q > a; q--) \
         out(*q);",
    ),
    template(
        "pointer",
        "null",
        "static $T *n$#; static $T *look$#($T *a, int i) { return i & 1 ? a : 0; }",
        "$T v = $e; $T *p = look$#(&v, x); out(p == 0); out(!p); out(p ? *p : 7); if (p) out(1); out(p && \
         *p); out(p != (void *)0); out(n$# == 0); n$# = (x & 2) ? &v : (($T *)0); out(n$# ? *n$# : 9); while \
         (n$#) { out(*n$#); n$# = 0; } out(p || n$#);",
    ),
    template(
        "pointer",
        "to pointer",
        "static $T a$# = $c, b$# = $c; static $T *p$# = &a$#; static $T **pp$# = &p$#; static void set$#($T \
         **p, $T *v) { *p = v; }",
        "**pp$# = $e; out(a$#); *pp$# = &b$#; *p$# += 2; out(b$#); out(**pp$#); $T v = $e; $T *l = &v; $T \
         **ll = x & 1 ? &l : &p$#; **ll = 5; out(v); set$#(&l, &a$#); *l = $e; out(a$#); set$#(pp$#, &a$#); \
         out(*p$#); $T ***t = &ll; ***t += 1; out(a$#); out(b$#); out(v);",
    ),
    template(
        "pointer",
        "array of pointers",
        "static $T u$# = $c, v$# = $c, w$#[$n] = {$L}; static $T *t$#[4] = {&u$#, w$# + 1, &v$#, &w$#[2]};",
        "for (int i = 0; i < 4; i++) { *t$#[i] += i; out(*t$#[i]); } t$#[x & 3] = &u$#; *t$#[1] = $e; \
         out(u$#); out(v$#); $T **p = t$#; p++; **p = 4; out(*p[1]); out(**(p + 2)); for (int i = 0; i < $n; \
         i++) out(w$#[i]);",
    ),
    template(
        "pointer",
        "to array",
        "static $T m$#[3][$n] = {{$L}, {$L}};",
        "$T (*p)[$n] = m$#; out((*p)[$k]); p++; (*p)[$x] = $e; out(p[1][$k]); out((int)sizeof *p); p = &m$#[x \
         & 1]; p[1][$k] = $e; $T (*q)[3][$n] = &m$#; out((*q)[1][$k]); out(p - m$#); for (int i = 0; i < 3 * \
         $n; i++) out(m$#[i / $n][i % $n]);",
    ),
    template(
        "pointer",
        "2-D walk",
        "",
        "$T a[3][$n] = {{$L}, {1}, {$L}}; out(*(*(a + 1) + $k)); out((*(a + 2))[$x]); out(*(a[2] + $x)); \
         *(*(a + (x & 1)) + $x) = $e; $T *row = a[x & 1]; row[$k]++; for (int i = 0; i < 3; i++) for ($T *p = \
         a[i]; p < a[i] + $n; p++) out(*p);",
    ),
    template(
        "pointer",
        "negative index",
        "",
        "$T a[$n] = {$L}; $T *p = a + $m; out(p[-1]); out(p[-$m]); p[-(int)$x] = $e; int i = -1; out(p[i]); \
         out(*(p + i)); for (i = -$m; i <= 0; i++) out(p[i]); p = &a[1]; out(p[-1]);",
    ),
    template(
        "pointer",
        "out-parameter",
        "static int f$#($T a, $T *sum, $U *other) { if (a & 1) *sum += a; *other = a; return *sum > 3; }",
        "$T s = 0; $U o = 1; for (int i = 0; i < 4; i++) { out(f$#($e, &s, &o)); out(s); out(o); } $T a[2] = \
         {1, 2}; f$#(5, a + (x & 1), &o); out(a[0]); out(a[1]); out(o);",
    ),
    template(
        "pointer",
        "swap",
        "static void swap$#($T *a, $T *b) { $T t = *a; *a = *b; *b = t; }",
        "$T a[$n] = {$L}; swap$#(&a[$x], &a[$x]); swap$#(a, a + $m); for (int i = 0; i < $n; i++) for (int j \
         = i + 1; j < $n; j++) if (a[i] > a[j]) swap$#(&a[i], &a[j]); for (int i = 0; i < $n; i++) out(a[i]);",
    ),
    template(
        "pointer",
        "recursive local",
        "static void r$#(int d, $T *up, $T **last) { $T own = *up + d; if (d == 0) { *up = 9; **last += 4; \
         return; } r$#(d - 1, &own, d & 1 ? &up : last); out(own); *up += own; }",
        "$T v = $e; $T *p = &v; r$#(4, &v, &p); out(v); r$#(x & 3, p, &p); out(v);",
    ),
    template(
        "pointer",
        "returned",
        "static $T c$#[$n] = {$L}; static $T *at$#(int i) { return &c$#[i]; } static $T *most$#($T *a, $T *b) \
         { return *a > *b ? a : b; }",
        "*at$#($k) = $e; ++*at$#($k); out(*at$#($x)); $T u = $e, v = $e; *most$#(&u, &v) = 1; out(u); out(v); \
         out(*most$#(c$#, at$#(1))); at$#(0)[$k] -= 3; for (int i = 0; i < $n; i++) out(c$#[i]);",
    ),
    template(
        "pointer",
        "array parameter",
        "static $T f$#($T a[], int n) { $T s = 0; for (int i = 0; i < n; i++) s += a[i]; a[0] = s; a++; \
         return *a; } static $T g$#($T a[3], $T b[][$n]) { return a[1] + b[1][$k]; } static int z$#(const $T \
         a[]) { return sizeof a == sizeof(void *); }",
        "$T a[$n] = {$L}, b[2][$n] = {{$L}, {$L}}; out(f$#(a, $n)); out(a[0]); out(f$#(a + 1, 2)); out(a[1]); \
         out(g$#(a, b)); out(f$#(b[1], $n)); out(f$#(&b[0][1], 2)); out(z$#(a)); for (int i = 0; i < $n; i++) \
         out(a[i] + b[1][i]);",
    ),
    template(
        "pointer",
        "const and restrict",
        "static const $T c$#[$n] = {$L}; static $T sum$#(const $T *p, const $T *const e) { $T s = 0; while (p \
         != e) s += *p++; return s; } static void copy$#($T *restrict d, const $T *restrict s, int n) { while \
         (n-- > 0) *d++ = *s++; }",
        "$T d[$n]; copy$#(d, c$#, $n); out(sum$#(d, d + $n)); out(sum$#(c$# + 1, &c$#[$m])); const $T *p = x \
         & 1 ? c$# : d; out(p[$x]); p = d; d[$k] = $e; out(p[$k]); $T *const q = d; *q = $e; out(sum$#(p, q + \
         $n));",
    ),
    template(
        "pointer",
        "static local",
        "static $T a$#[$n] = {$L}; static $T next$#(void) { static $T *p = a$#; if (p == a$# + $n) p = a$#; \
         return *p++; }",
        "for (int i = 0; i < $n + 2; i++) out(next$#()); a$#[$x] = $e; for (int i = 0; i < $n; i++) \
         out(next$#());",
    ),
    template(
        "pointer",
        "choice",
        "static $T a$# = $c, b$# = $c;",
        "$T c = $e; $T *p = $e & 1 ? &a$# : &b$#; *p = 3; *(x & 1 ? &c : p) += 7; out(a$#); out(b$#); out(c); \
         p = x > 1 ? p : &c; switch (x & 3) { case 0: p = &a$#; break; case 1: p = &b$#; case 2: *p += 2; } *p \
         ^= 5; out(a$#); out(b$#); out(c); out(*(*p > 3 ? p : &c));",
    ),
    template(
        "pointer",
        "loop carried",
        "",
        "$T a[$n] = {$L}, o = $e; $T *p = &o; for (int i = 0; i < $n; i++) { *p += i; out(*p); p = a[i] & 1 ? \
         &a[i] : &o; } *p = $e; out(o); for (int i = 0; i < $n; i++) out(a[i]);",
    ),
    template(
        "pointer",
        "comma, assignment value",
        "",
        "$T a[$n] = {$L}; $T *p, *q; out(*(p = a + $k)); p = q = &a[1]; *p = 6; out(*q); out((q++, *q)); \
         out(p != (q = p)); out(*(p += 1)); (*p)++; p = (out(1), a); out(p[$x]); for (int i = 0; i < $n; i++) \
         out(a[i]);",
    ),
    template(
        "pointer",
        "volatile and typedef",
        "typedef $T *ptr$#; typedef $T row$#[$n]; static ptr$# g$#; static volatile $T w$# = 2;",
        "row$# a = {$L}; ptr$# p = a; g$# = p + 1; p[$k] = $e; out(g$#[$s & 1]); volatile $T *v = &w$#; *v = \
         $e; out(*v); out(w$#); w$# = x; out(*v); g$# = 0; const ptr$# c = &a[2]; *c = 4; row$# *r = &a; \
         out((*r)[2]);",
    ),
];

pub(super) const CASTS: &[Template] = &[
    template(
        "pointer cast",
        "void *",
        "static void add$#(void *p, int how) { if (how) *($T *)p += 2; else *($U *)p += 3; } static void \
         *same$#(void *p) { return p; }",
        "$T a = $e; $U b = $e; void *v = &a; *($T *)v = $e; add$#(v, 1); out(a); v = &b; add$#(&b, 0); \
         out(b); out(*($U *)v); $T *p = same$#(&a); *p -= 1; out(a); void *both[2] = {&a, &b}; add$#(both[0], \
         1); out(*($T *)both[x & 1 ? 0 : 0]); out(both[1] == &b);",
    ),
    template(
        "pointer cast",
        "char * reads",
        "",
        "$T a[2] = {$c, $c}; $U v = $e; unsigned char *p = (unsigned char *)a; for (unsigned i = 0; i < \
         sizeof a; i++) out(p[i]); const char *q = (const char *)&v; for (int i = 0; i < (int)sizeof v; i++) \
         out(q[i]); p += sizeof a[0]; out(*p); signed char *s = (signed char *)&v; out(s[sizeof v - 1]);",
    ),
    template(
        "pointer cast",
        "char * writes",
        "",
        "$T a = $e; unsigned char *p = (unsigned char *)&a; p[0] = 0x5a; out(a); p[sizeof a - 1] ^= 0x81; \
         out(a); for (unsigned i = 0; i < sizeof a; i++) p[i] = i + x; out(a); $U b = 0; char *q = (char *)&b; \
         *q = -1; out(b); q += sizeof b - 1; *q = 3; out(b);",
    ),
    template(
        "pointer cast",
        "char * of struct",
        "struct P$# { char c; $T a; short s; $U b; }; static struct P$# s$#;",
        "char *base = (char *)&s$#; *($T *)(base + __builtin_offsetof(struct P$#, a)) = $e; out(s$#.a); *($U \
         *)(base + __builtin_offsetof(struct P$#, b)) = 9; out(s$#.b); out((char *)&s$#.s - base); $T *p = \
         &s$#.a; struct P$# *o = (struct P$# *)((char *)p - __builtin_offsetof(struct P$#, a)); o->s = x; \
         out(s$#.s); out(o == &s$#); out(o->c);",
    ),
    template(
        "pointer cast",
        "uintptr_t and back",
        "static $T a$#[$n] = {$L};",
        "__UINTPTR_TYPE__ u = (__UINTPTR_TYPE__)&a$#[$k]; $T *p = ($T *)u; *p = $e; out(a$#[$k]); u = \
         (__UINTPTR_TYPE__)a$#; p = ($T *)(u + sizeof($T) * $x); out(*p); out((__UINTPTR_TYPE__)&a$#[2] - u == \
         2 * sizeof *p); out(u != 0); $T l = $e; __INTPTR_TYPE__ i = (__INTPTR_TYPE__)&l; *($T *)i += 2; \
         out(l); out((__INTPTR_TYPE__)&l == i);",
    ),
    template(
        "pointer cast",
        "low bits",
        "static int a$#[4]; static long long b$#;",
        "out((__UINTPTR_TYPE__)&a$#[x & 3] % 4); out((__UINTPTR_TYPE__)&b$# & 3); __UINTPTR_TYPE__ tag = \
         (__UINTPTR_TYPE__)&a$#[1] | 1; out(tag & 3); *(int *)(tag & ~(__UINTPTR_TYPE__)1) = $e; out(a$#[1]); \
         out((unsigned)((__UINTPTR_TYPE__)&a$#[3] - (__UINTPTR_TYPE__)a$#));",
    ),
    template(
        "pointer cast",
        "truth",
        "static $T a$#;",
        "$T *p = x & 1 ? &a$# : 0; out((_Bool)p); out((_Bool)&a$#); _Bool b = p; out(b); out(!p + !&x); \
         out((p != 0) + 1); b = p && x; out(b); out((__UINTPTR_TYPE__)p == 0); out((long)(void *)0);",
    ),
    template(
        "pointer cast",
        "signed and unsigned",
        "",
        "int a[$n] = {1, -2, 3}; unsigned *p = (unsigned *)a; out(p[1] > 5u); p[$x] = $e; out(a[$x]); \
         *(unsigned *)&a[0] -= 7u; out(a[0]); unsigned char c = 200; out(*(signed char *)&c); *(char *)&c = \
         'q'; out(c); long l = $e; out(*(unsigned long *)&l);",
    ),
    template(
        "pointer cast",
        "struct and first member",
        "struct H$# { $T tag; }; struct A$# { struct H$# h; $U v; }; struct B$# { struct H$# h; char n[4]; }; \
         static $T f$#(struct H$# *h) { return h->tag == 1 ? ((struct A$# *)h)->v : ((struct B$# *)h)->n[2]; }",
        "struct A$# a = {{1}, 77}; struct B$# b = {{2}, {1, 2, 3}}; a.v = $e; b.n[2] = x; out(f$#(&a.h)); \
         out(f$#(&b.h)); struct H$# *t[2] = {&a.h, (struct H$# *)&b}; for (int i = 0; i < 2; i++) \
         out(f$#(t[i])); ((struct A$# *)t[0])->v++; out(a.v); *($T *)&b = 1; out(b.h.tag);",
    ),
];
