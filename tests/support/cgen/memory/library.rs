//! Templates: function pointers, the heap, the library's memory and string functions, string constants.

use super::{template, Template};

pub(super) const CALLS: &[Template] = &[
    template(
        "function pointer",
        "table",
        "static $T add$#($T a, $T b) { return a + b; } static $T sub$#($T a, $T b) { return a - b; } static \
         $T max$#($T a, $T b) { return a > b ? a : b; } static $T (*const t$#[])($T, $T) = {add$#, sub$#, \
         &max$#};",
        "for (int i = 0; i < 3; i++) out(t$#[i]($e, 3)); out((*t$#[x % 3])(x, $e)); out((**t$#[1])(5, 2)); \
         out(sizeof t$# / sizeof *t$#); $T r = 1; for (unsigned i = 0; i < 6; i++) r = t$#[(i + x) % 3](r, i); \
         out(r);",
    ),
    template(
        "function pointer",
        "in struct",
        "struct P$# { $T v; $T (*op)($T); void (*set)(struct P$# *, $T); }; static $T neg$#($T a) { return \
         -a; } static $T dbl$#($T a) { return a * 2; } static void put$#(struct P$# *p, $T v) { p->v = v; } \
         static void inc$#(struct P$# *p, $T v) { p->v += v; p->op = dbl$#; } static struct P$# g$# = {$c, \
         neg$#, put$#};",
        "struct P$# s = {1, dbl$#, inc$#}, *p = x & 1 ? &s : &g$#; p->set(p, $e); out(p->v); out(p->op(3)); \
         s.set(&s, 4); out(s.op(s.v)); g$#.set = x > 1 ? inc$# : put$#; g$#.set(&g$#, 5); out(g$#.v); \
         out(g$#.op(7)); s = g$#; (*s.set)(&s, 2); out(s.v); out(s.set == g$#.set);",
    ),
    template(
        "function pointer",
        "parameter",
        "static void each$#($T *a, int n, $T (*f)($T, void *), void *c) { for (int i = 0; i < n; i++) a[i] = \
         f(a[i], c); } static $T sum$#($T v, void *c) { *($T *)c += v; return v; } static $T plus$#($T v, void \
         *c) { return v + *(const $T *)c; }",
        "$T a[$n] = {$L}, s = 0; each$#(a, $n, sum$#, &s); out(s); each$#(a, $n, plus$#, &s); each$#(a + 1, \
         2, &plus$#, a); each$#(a, $k, x & 1 ? sum$# : plus$#, &a[$m]); for (int i = 0; i < $n; i++) \
         out(a[i]); out(s);",
    ),
    template(
        "function pointer",
        "returned, typedef",
        "typedef $T fn$#($T); typedef fn$# *pf$#; static $T a$#($T v) { return v + 1; } static $T b$#($T v) { \
         return v * 3; } static pf$# pick$#(int k) { return k & 1 ? a$# : b$#; } static $T (*other$#(pf$# \
         f))($T) { return f == a$# ? b$# : a$#; }",
        "out(pick$#(x)($e)); out(pick$#(x + 1)(4)); pf$# f = pick$#(0); out(f(2)); f = other$#(f); out(f(2)); \
         fn$# *g = &a$#; out(g == f); out(other$#(g)(g(5))); pf$# t[2] = {f, g}; pf$# *p = t; p[1] = b$#; \
         out((*p)(1) + p[1](1));",
    ),
    template(
        "function pointer",
        "null, comparison",
        "static void hook$#($T v) { out(v + 1); } static void (*h$#)($T); static int has$#(void) { return h$# \
         != 0; }",
        "out(has$#()); if (h$#) h$#(1); h$# = x & 1 ? hook$# : 0; if (h$# != 0) h$#($e); out(h$# == hook$#); \
         out(!h$#); h$# = hook$#; out(h$# ? 4 : 5); h$# && (h$#(3), 1); out(has$#()); h$# = (void *)0; out(h$# \
         == 0);",
    ),
    template(
        "function pointer",
        "state machine",
        "struct M$# { int n; struct M$# *peer; void (*state)(struct M$# *, int); }; static void off$#(struct \
         M$# *, int); static void on$#(struct M$# *m, int e) { m->n += e; if (e > 2) m->state = off$#; } \
         static void off$#(struct M$# *m, int e) { m->n--; if (m->peer) m->peer->n += 10; if (e) m->state = \
         on$#; }",
        "struct M$# b = {0, 0, on$#}, a = {x, &b, off$#}, *all[2] = {&a, &b}; static const int ev[] = {0, 1, \
         2, 3, 0, 4}; for (unsigned i = 0; i < 6; i++) { all[i & 1]->state(all[i & 1], ev[i]); \
         all[0]->state(&a, x); out(a.n * 100 + b.n); out(a.state == on$#); }",
    ),
    template(
        "function pointer",
        "recursion, void",
        "struct N$# { $T v; struct N$# *l, *r; }; static void visit$#(const struct N$# *n, void (*f)(const $T \
         *)) { if (n) { visit$#(n->l, f); (*f)(&n->v); visit$#(n->r, f); } } static $T total$#; static void \
         tot$#(const $T *v) { total$# = total$# * 2 + *v; } static void show$#(const $T *v) { out(*v); } \
         static int down$#(int d, int (*f)(int)) { return d > 0 ? f(d) + down$#(d - 1, f) : 0; } static int \
         sq$#(int d) { return d * d; }",
        "struct N$# c = {$c, 0, 0}, b = {$c, 0, &c}, d = {4, 0, 0}, a = {$c, &b, &d}; visit$#(&a, show$#); \
         total$# = x; visit$#(&a, tot$#); out(total$#); c.v = $e; visit$#(x & 1 ? &b : &a, &tot$#); \
         out(total$#); out(down$#(3 + x, sq$#));",
    ),
    template(
        "function pointer",
        "floats and structs",
        "struct P$# { $F a; $T b; }; static struct P$# mk$#($F a, $T b) { return (struct P$#){a / 2, b}; } \
         static $F get$#(struct P$# p) { return p.a + p.b % 7; } static struct { struct P$# (*m)($F, $T); $F \
         (*g)(struct P$#); } v$# = {mk$#, get$#};",
        "struct P$# p = v$#.m(2.5, $e); real(v$#.g(p)); out(p.b); struct P$# (*f)($F, $T) = v$#.m; real(f(x, \
         3).a); $F (*g[2])(struct P$#) = {get$#, v$#.g}; real(g[x & 1](f(1, 5)));",
    ),
];

pub(super) const HEAP: &[Template] = &[
    template(
        "heap",
        "array",
        "",
        "$T *p = malloc($n * sizeof *p), *q = malloc($n * sizeof($T)); for (int i = 0; i < $n; i++) { p[i] = \
         i + x; *(q + i) = p[i] * 3; } p[$x] = $e; q[$x] -= 1; out(p != q); $T *e = p + $n; for ($T *r = p; r \
         < e; r++) out(*r); for (int i = 0; i < $n; i++) out(q[i]); free(p); p = q; out(p[$k]); free(p);",
    ),
    template(
        "heap",
        "calloc",
        "struct P$# { $T a; $U b[2]; };",
        "struct P$# *p = calloc($n, sizeof *p); out(p[$x].a); out(p[$k].b[1]); p[$k].b[0] = $e; p[1].a = $e; \
         for (int i = 0; i < $n; i++) { out(p[i].a); out(p[i].b[0]); out(p[i].b[1]); } struct P$# c = p[1]; \
         free(p); out(c.a); free(0);",
    ),
    template(
        "heap",
        "linked list",
        "struct N$# { $T v; struct N$# *next; }; static struct N$# *push$#(struct N$# *h, $T v) { struct N$# \
         *n = malloc(sizeof *n); n->v = v; n->next = h; return n; } static struct N$# *rev$#(struct N$# *h) { \
         struct N$# *r = 0; while (h) { struct N$# *n = h->next; h->next = r; r = h; h = n; } return r; }",
        "struct N$# *h = 0; for (int i = 0; i < $n; i++) h = push$#(h, i * i + x); h = push$#(h, $e); for \
         (struct N$# *p = h; p != 0; p = p->next) out(p->v); h = rev$#(h); h->next->v = $e; struct N$# **pp = \
         &h; while (*pp) { if ((*pp)->v & 1) { struct N$# *d = *pp; *pp = d->next; free(d); } else pp = \
         &(*pp)->next; } $T s = 0; while (h) { struct N$# *n = h->next; s += h->v; out(h->v); free(h); h = n; \
         } out(s);",
    ),
    template(
        "heap",
        "queue",
        "struct N$# { struct N$# *next, *prev; $T v; }; static struct N$# head$#; static int len$#; static \
         void add$#($T v) { struct N$# *n = malloc(sizeof(struct N$#)); n->v = v; n->prev = head$#.prev; \
         n->next = &head$#; head$#.prev->next = n; head$#.prev = n; len$#++; } static $T take$#(void) { struct \
         N$# *n = head$#.next; $T v = n->v; n->next->prev = n->prev; n->prev->next = n->next; free(n); \
         len$#--; return v; }",
        "head$#.next = head$#.prev = &head$#; for (int i = 0; i < 4; i++) { add$#($e); add$#(i); if (i & 1) \
         out(take$#()); } out(len$#); for (struct N$# *p = head$#.prev; p != &head$#; p = p->prev) out(p->v); \
         while (len$#) out(take$#()); out(head$#.next == &head$#);",
    ),
    template(
        "heap",
        "tree",
        "struct N$# { $T key; struct N$# *kid[2]; }; static struct N$# *ins$#(struct N$# *n, $T k) { if (!n) \
         { n = calloc(1, sizeof *n); n->key = k; } else if (k != n->key) { int side = k > n->key; n->kid[side] \
         = ins$#(n->kid[side], k); } return n; } static int walk$#(struct N$# *n) { if (!n) return 0; int d = \
         walk$#(n->kid[0]); out(n->key); int e = walk$#(n->kid[1]); free(n); return (d > e ? d : e) + 1; }",
        "struct N$# *r = 0; static const $T k[] = {5, 2, 8, 1, 9, 3}; for (unsigned i = 0; i < 6; i++) r = \
         ins$#(r, k[i] + x); r = ins$#(r, $e); out(r->kid[0]->key); out(walk$#(r));",
    ),
    template(
        "heap",
        "nested blocks",
        "struct P$# { int n; $T *a; struct P$# *sub; char *name; }; static struct P$# *make$#(int n) { struct \
         P$# *p = malloc(sizeof *p); p->n = n; p->a = malloc(n * sizeof *p->a); for (int i = 0; i < n; i++) \
         p->a[i] = n - i; p->sub = n > 1 ? make$#(n - 1) : 0; p->name = malloc(4); strcpy(p->name, \"ab\"); \
         p->name[0] += n; return p; }",
        "struct P$# *p = make$#(3); p->sub->a[1] = $e; p->sub->sub->a[0] += 4; p->a[2] = p->sub->a[0]; \
         out(p->name[0] + p->sub->name[1]); while (p) { struct P$# *s = p->sub; for (int i = 0; i < p->n; i++) \
         out(p->a[i]); out(strlen(p->name)); free(p->a); free(p->name); free(p); p = s; }",
    ),
    template(
        "heap",
        "blocks in array",
        "static $T *t$#[3];",
        "for (int i = 0; i < 3; i++) { t$#[i] = malloc(sizeof($T) * 2); t$#[i][0] = i; t$#[i][1] = x; } $T *s \
         = t$#[0]; t$#[0] = t$#[2]; t$#[2] = s; t$#[x % 3][0] = $e; for (int i = 0; i < 3; i++) out(t$#[i][0] \
         + t$#[i][1]); for (int i = 0; i < 3; i++) { free(t$#[i]); t$#[i] = 0; } out(t$#[1] == 0); void *v = \
         malloc(sizeof(int)); *(int *)v = $e; int *w = v; out(*w); free(v);",
    ),
];

pub(super) const LIBRARY: &[Template] = &[
    template(
        "library",
        "memset",
        "struct P$# { $T a; $U b[3]; };",
        "$T a[$n] = {$L}; memset(a, 0, sizeof a); out(a[$x]); memset(a + 1, 0x41, sizeof a[0]); out(a[1]); \
         memset(a, -1, 2); out(a[0]); struct P$# s; memset(&s, 0, sizeof s); s.a = $e; out(s.a); out(s.b[2]); \
         char *p = memset(&s.b[1], x + 1, sizeof s.b[1]); out(*p); out(s.b[1]); out(s.b[0]); memset(a, 5, x); \
         for (int i = 0; i < $n; i++) out(a[i]);",
    ),
    template(
        "library",
        "memcpy",
        "struct P$# { $T a[$n]; char t; }; static struct P$# g$#;",
        "$T a[$n] = {$L}, b[$n]; memcpy(b, a, sizeof a); b[$k] = $e; memcpy(a + 1, b + 2, sizeof *a); \
         out(a[1]); memcpy(&b[1], &a[0], 2 * sizeof a[0]); for (int i = 0; i < $n; i++) out(a[i] + 2 * b[i]); \
         struct P$# s = {{$L}, 4}; $T *p = memcpy(g$#.a, s.a, sizeof s.a); out(p[$k]); memcpy(&g$#, &s, sizeof \
         s); out(g$#.t); unsigned char c[sizeof($T)]; memcpy(c, &a[$k], sizeof c); out(c[0]); c[sizeof c - 1] \
         ^= 1; memcpy(&b[0], c, sizeof c); out(b[0]); memcpy(b, a, x * sizeof *a); out(b[1]);",
    ),
    template(
        "library",
        "memmove",
        "",
        "$T a[$n] = {$L}; memmove(a + 1, a, $m * sizeof *a); for (int i = 0; i < $n; i++) out(a[i]); a[$x] = \
         $e; memmove(a, &a[1], $m * sizeof a[0]); for (int i = 0; i < $n; i++) out(a[i]); char s[12] = \
         \"abcdefgh\"; memmove(s + 2, s, 5 + x); out(s[4] * 100 + s[7]); memmove(s, s + 3, 4); for (int i = 0; \
         i < 12; i++) out(s[i]); memmove(s, s, 3); out(*(char *)memmove(s + x, s + 1, 2));",
    ),
    template(
        "library",
        "memcmp",
        "static int sign$#(int v) { return (v > 0) - (v < 0); }",
        "unsigned char a[5] = {1, 2, 200, 4}, b[5] = {1, 2, 100, 4}; out(sign$#(memcmp(a, b, 5))); \
         out(sign$#(memcmp(b, a, 3))); out(memcmp(a, b, 2)); a[2] = $e; out(sign$#(memcmp(a + 2, b + 2, 1 + x \
         % 3))); $T p[2] = {$c, 1}, q[2] = {$e, 1}; out(memcmp(p, q, sizeof p) == 0); q[0] = p[0]; \
         out(memcmp(p, q, sizeof p)); out(!memcmp(\"abc\", \"abd\", 2)); out(memcmp(p, p, 0));",
    ),
    template(
        "library",
        "strlen",
        "static const char *t$#[3] = {\"\", \"one\", \"a\\0b\"}; static char b$#[] = $S;",
        "out(strlen(t$#[x % 3])); out(strlen(b$#)); out(sizeof b$#); char s[8] = \"abc\"; out(strlen(s)); s[x \
         & 3] = 0; out(strlen(s)); s[x & 3] = 'z'; s[3] = 'q'; out((int)strlen(s + 1)); out(strlen(\"literal\" \
         + x)); out(strlen($S));",
    ),
    template(
        "library",
        "strcmp",
        "static int sign$#(int v) { return (v > 0) - (v < 0); } static const char *t$#[] = {\"apple\", \
         \"app\", \"b\", \"\", \"apple\", \"\\377\"};",
        "for (int i = 0; i < 6; i++) for (int j = 0; j < 6; j++) out(sign$#(strcmp(t$#[i], t$#[j]))); char \
         s[8] = \"app\"; out(strcmp(s, t$#[1])); s[1] += x; out(sign$#(strcmp(s, \"app\"))); out(!strcmp(s, \
         s)); out(sign$#(strcmp($S, $S)));",
    ),
    template(
        "library",
        "strcpy",
        "struct P$# { char n[10]; $T v; }; static struct P$# g$#;",
        "char a[10], b[10] = \"0123456\"; strcpy(a, $S); out(a[0]); out(strlen(a)); strcpy(g$#.n, \"ab\"); \
         strcpy(g$#.n + 2, a + 1 - 1); out(strlen(g$#.n)); out(strcpy(b + 1, \"xy\")[1]); for (int i = 0; i < \
         8; i++) out(b[i]); strcpy(b, \"\"); out(b[0] + b[1]); strcpy(b, x & 1 ? \"p\" : \"rst\"); out(b[2]); \
         out(g$#.v);",
    ),
    template(
        "library",
        "abs",
        "",
        "out(abs($e % 1000)); out(abs(-x)); out(abs(0)); int v = abs(x - 2); out(v); out(abs(-2147483647));",
    ),
    template(
        "string",
        "constants",
        "static const char *p$# = \"global\"; static char t$#[2][4] = {\"ab\", \"cde\"};",
        "out(\"abc\"[x % 3]); const char *s = \"x\\ty\\n\\\\\\\"\\x41\\101\"; for (int i = 0; s[i]; i++) \
         out(s[i]); out(*s); out(sizeof \"hello\"); out(p$#[x]); p$# = \"other\" + 1; out(*p$#); p$# = \"glo\" \
         \"bal\"; out(\"\"[0]); out(*(\"pq\" + 1)); for (s = $S; *s; s++) out(*s); out(t$#[x & 1][2]); \
         out(sizeof t$#); out((x & 1 ? \"yes\" : \"no\")[1]);",
    ),
    template(
        "string",
        "array of strings",
        "static const char *const n$#[] = {\"red\", \"green\", \"blue\", 0}; static char w$#[][6] = {\"one\", \
         \"three\"}; struct P$# { const char *k; int v; }; static struct P$# d$#[] = {{\"a\", 1}, {\"bb\", 2}, \
         {0, 0}};",
        "for (const char *const *p = n$#; *p; p++) out((*p)[1]); out(n$#[x % 3][x % 3]); out(sizeof n$# / \
         sizeof *n$#); w$#[1][0] = 'T'; out(w$#[x & 1][0]); for (struct P$# *p = d$#; p->k; p++) { \
         out(p->k[0]); out(p->v + (int)strlen(p->k)); } d$#[1].k = n$#[2]; out(d$#[1].k[3]); printf(\"%s\\n\", \
         n$#[1]);",
    ),
    template(
        "string",
        "hand-written loops",
        "static int len$#(const char *s) { const char *p = s; while (*p) p++; return p - s; } static char \
         *copy$#(char *d, const char *s) { char *r = d; while ((*d++ = *s++)) ; return r; } static void \
         turn$#(char *s) { char *e = s + len$#(s); while (s < e) { char c = *s; *s++ = *--e; *e = c; } } \
         static unsigned hash$#(const unsigned char *s) { unsigned h = 5381; for (; *s; ++s) h = h * 33 ^ *s; \
         return h; }",
        "char b[16] = \"\"; out(len$#(copy$#(b, $S))); turn$#(b); out(b[0]); out(hash$#((unsigned char *)b)); \
         copy$#(b + 3, \"tail\"); b[x] = '-'; out(hash$#((const unsigned char *)b)); turn$#(b + 1); for (int i \
         = 0; b[i]; i++) out(b[i]); int n = 0; for (const char *p = \"1234\"; *p >= '0' && *p <= '9'; p++) n = \
         n * 10 + (*p - '0'); out(n);",
    ),
];
