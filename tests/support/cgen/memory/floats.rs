//! Templates: floating types. Values are observed with all their bits; of a NaN only that it is one.

use super::{template, Template};

pub(super) const FLOATS: &[Template] = &[
    template(
        "float",
        "float arithmetic",
        "static float g$# = 1.1f;",
        "float a = $f, b = x + 0.3f, c = 1e-3f; bits(a + b); bits(a - b); bits(a * b); bits(a / b); g$# = g$# \
         * a + b; bits(g$#); a += 1; b -= c; c *= 3; a /= 7; bits(a); bits(b); bits(c); bits(-a); bits(+b); \
         a++; --b; bits(a); bits(b++); bits(b); bits(16777216.0f + x);",
    ),
    template(
        "float",
        "double arithmetic",
        "static double g$#[2] = {0.1, 1e-300};",
        "double a = $f, b = x + 0.3, c = 1e-3; bits(a + b); bits(a - b); bits(a * b); bits(a / b); g$#[0] = \
         g$#[0] * a + b; bits(g$#[0]); bits(g$#[1] * g$#[1] * 1e10); a += 0.1; b -= c; c *= 1e200; a /= 3; \
         bits(a); bits(b); bits(c * c); bits(-a); a--; bits(a); bits(9007199254740992.0 + x); bits(0.1 + 0.2);",
    ),
    template(
        "float",
        "long double arithmetic",
        "static long double g$# = 0.1L;",
        "long double a = $fL, b = x + 0.3L, c = 1e-3; lbits(a + b); lbits(a - b); lbits(a * b); lbits(a / b); \
         g$# = g$# * a + b; lbits(g$#); a += 1; b -= c; c *= 3; a /= 7; lbits(a); lbits(b); lbits(c); \
         lbits(-a); a++; lbits(a); lbits(0.1); lbits(0.1f); lbits(1.0L / 3); bits(1.0L / 3); bits((float)(a / \
         3)); out(a > b); out(a == a); out(c != 0); out(sizeof a);",
    ),
    template(
        "float",
        "long double memory",
        "struct P$# { char c; long double d; int i; }; static struct P$# s$#[2] = {{1, 2.5L, 3}}; static long \
         double f$#(long double a, struct P$# p) { return a * p.d + p.i; }",
        "long double a[2] = {1.25L, x}, *p = &a[x & 1]; *p += 0.1L; lbits(a[0]); lbits(a[1]); s$#[1] = \
         s$#[0]; s$#[1].d /= 3; lbits(s$#[1].d); lbits(f$#(*p, s$#[1])); out(sizeof(struct P$#)); \
         out(s$#[1].i); out((long long)(a[0] * 1000)); p = &s$#[0].d; *p -= 1; lbits(s$#[0].d); s$#[0].d = \
         2.5L;",
    ),
    template(
        "float",
        "comparisons",
        "",
        "double z = 0.0, n = z / z, i = 1 / z, v[6] = {$f, -0.0, 0.0, n, i, -i}; float w = 0.1f; for (int a = \
         0; a < 6; a++) for (int b = 0; b < 6; b++) { out((v[a] < v[b]) + 2 * (v[a] <= v[b]) + 4 * (v[a] > \
         v[b])); out((v[a] >= v[b]) + 2 * (v[a] == v[b]) + 4 * (v[a] != v[b])); } out(w == 0.1); out(w == \
         0.1f); out(n ? 1 : 2); out(!n); out(!v[1]); out(w && z); out((_Bool)w); out((_Bool)v[1]); out(x < \
         0.5); out(x == 2.0f); if (w) out(5); while (z < 3) z++; bits(z);",
    ),
    template(
        "float",
        "from integers",
        "",
        "signed char a = $e; unsigned char b = $e; short c = $e; unsigned short d = $e; int e = $e; unsigned \
         f = $e; long g = $e; unsigned long h = $e; long long i = $e; unsigned long long j = $e; _Bool k = $e; \
         bits((float)a); bits((double)b); bits((float)c); bits(d); bits((float)e); bits(e); bits((float)f); \
         bits(f); bits((float)g); bits(g); bits((float)h); bits(h); bits((float)i); bits(i); bits((float)j); \
         bits(j); bits((float)k); lbits(i); lbits(j); lbits(f); lbits(a); bits((float)0xffffffffffffffffULL); \
         bits(0x7fffffffffffffffLL); bits((float)16777217); bits((double)9007199254740993LL); \
         bits((float)0xfffffffffffffdffULL); lbits(0xffffffffffffffffULL);",
    ),
    template(
        "float",
        "to integers",
        "",
        "double d = $f; float f = $f; long double l = $f; d += x; out((signed char)d); out((unsigned char)d); \
         out((short)f); out((unsigned short)f); out((int)-d); out((unsigned)d); out((long)-f); out((unsigned \
         long)d); out((long long)-l); out((unsigned long long)l); out((int)2147483647.5); \
         out((int)-2147483648.9); out((unsigned)4294967295.9); out((long long)-9.2e18); out((unsigned long \
         long)1.8e19); out((unsigned long long)1.8e19f); out((long long)9223372036854775807.0L); out((unsigned \
         long long)18446744073709551615.0L); int i = d; i += 0.75; out(i); i *= 1.5f; out(i); unsigned char c \
         = f; c /= 0.5; out(c); out((_Bool)0.1f); out((int)(f * 10) + (int)(l * 10));",
    ),
    template(
        "float",
        "between formats",
        "",
        "double d = 0.1 + x; float f = d; long double l = d; bits(f); bits((double)f); lbits(l); lbits(f); f \
         = l; bits(f); d = f; bits(d); bits((float)1e300); bits((float)1e-46); bits((float)1.4e-45); \
         bits((double)1e-320L); bits((float)1.00000006); bits((float)1.00000005960464477539); \
         bits((double)1.00000000000000011103L); l = 1; l /= 3; d = l; bits(d); f = d; bits(f); bits((float)0.1 \
         + (float)0.2); bits((float)3.5e38); d = 1e308; d *= 10; out(d > 1e308);",
    ),
    template(
        "float",
        "special values",
        "#include <math.h>",
        "double z = 0, v[7] = {$f, z / z, 1 / z, -1 / z, -0.0, 4.9e-324, -1e-310}; for (int i = 0; i < 7; \
         i++) { out(!!isnan(v[i])); out(!!isinf(v[i])); out(!!isfinite(v[i])); out(!!isnormal(v[i])); if \
         (!isnan(v[i])) out(!!signbit(v[i])); } float f = v[2], g = v[5]; out(!!isinf(f)); out(g == 0); \
         out(!!isnan(f - f)); out(!!isnan(f * 0)); out(isnan((long double)f - f) != 0); out(!!isinf(-f)); \
         out(INFINITY > 1e38); out(NAN != NAN); bits(f); bits(fabs(v[3])); bits(fabs(-$f)); \
         out(fpclassify(v[5]) == FP_SUBNORMAL); out(fpclassify(z) == FP_ZERO); bits(HUGE_VAL);",
    ),
    template(
        "float",
        "builtin predicates",
        "",
        "double z = 0, n = z / z, i = 1 / z, d = $f; float f = i; out(!!__builtin_isnan(n)); \
         out(!!__builtin_isnan(d)); out(!!__builtin_isinf(i)); out(!!__builtin_isinf(-f)); \
         out(!!__builtin_isfinite(d)); out(!!__builtin_signbit(-d)); out(!!__builtin_signbit(-z)); \
         bits(__builtin_fabs(-d)); bits(__builtin_inf()); out(__builtin_nan(\"\") == n); out(__builtin_inff() \
         == f); out(__builtin_isunordered(n, d)); out(__builtin_isless(d, i)); out(__builtin_isgreater(n, d)); \
         bits(__builtin_huge_val());",
    ),
    template(
        "float",
        "constants",
        "static double h$# = 0x1.8p3, i$# = 0x.4p-2, j$# = -0x1p-1074; static float k$# = 0x1.fffffep127f, \
         l$# = 1e-45f; static long double m$# = 0x1.0000000000000001p0L;",
        "bits(h$#); bits(i$#); bits(j$#); bits(k$#); bits(l$#); lbits(m$#); bits(1e308 * 10); \
         bits(123456789.123456789); bits(123456789.123456789f); bits(5.e-324); bits(.1e1f); \
         bits(1.7976931348623157e308); bits(2.2250738585072014e-308); lbits(3.14159265358979323846L); \
         lbits(1e4000L); bits('a' * 1.5); bits(3 / 2 * 2.0); bits(3 / 2.0f); out(sizeof 1.0f + 10 * sizeof \
         1.0); bits(x * 1e-3);",
    ),
    template(
        "float",
        "mixed expressions",
        "static double avg$#(const float *p, int n) { double s = 0; for (int i = 0; i < n; i++) s += p[i]; \
         return n ? s / n : -1; } static float poly$#(float v) { return (0.5f * v + 2) * v - 1.25f; }",
        "float a[$n] = {1.5f, -2.25f, 3.1f}; a[$x] = x; bits(avg$#(a, $n)); bits(avg$#(a, 0)); \
         bits(poly$#(a[$k])); bits(poly$#(x)); double d = x & 1 ? 1 : 2.5; bits(d); bits((x > 1 ? 1.5f : 2) * \
         3); int i = 7; i = i / 2.0 + x; out(i); bits(i % 4 + 0.5); d = i = 3.9; bits(d); unsigned u = 3; \
         bits(u - 4 + 0.0); bits(-1 * 1.0f * u); float *p = a; *p++ *= 2; bits(a[0]); bits(*p); bits((a[0] < \
         a[1]) * 0.5); long long big = 1LL << 53; bits(big + 1 + 0.0); bits(big + 1 + 0.0f);",
    ),
    template(
        "float",
        "in memory",
        "struct P$# { float f; char c; double d[2]; }; static struct P$# g$# = {1.5f, 2, {3.5}}; static void \
         scale$#(struct P$# *p, double k) { p->f *= k; for (int i = 0; i < 2; i++) p->d[i] += k; }",
        "struct P$# s = g$#, *p = &s; scale$#(p, 0.1); scale$#(&g$#, x); bits(s.f); bits(s.d[1]); \
         bits(g$#.f); bits(g$#.d[0]); unsigned u; memcpy(&u, &s.f, sizeof u); out(u); u += 3; memcpy(&s.f, &u, \
         4); bits(s.f); unsigned long long w; memcpy(&w, &s.d[0], 8); out(w); unsigned char *b = (unsigned \
         char *)&s.d[1]; out(b[7]); b[7] ^= 0x80; bits(s.d[1]); double *q = s.d + 1; *q = *q * 3; bits(q[-1]); \
         bits(*q); g$#.f = 1.5f; float *h = malloc(2 * sizeof *h); h[1] = s.f; h[0] = h[1] / 3; bits(h[0]); \
         free(h);",
    ),
    template(
        "float",
        "printf %a",
        "",
        "double d = $f + x; float f = d / 3; printf(\"%a\\n\", d); printf(\"%a %d\\n\", f, x); \
         printf(\"%.3f\\n\", d);",
    ),
    template(
        "float",
        "loops",
        "",
        "double s = 0; for (float f = 0; f < 2; f += 0.25f) { s += f * f; if (s > 3) break; } bits(s); int n \
         = 0; for (double d = 1; d > 1e-6; d /= 10) n++; out(n); double y = 2 + x, r = y; for (int i = 0; i < \
         5; i++) r = (r + y / r) / 2; bits(r); float e = 1; while (1 + e != 1) e /= 2; bits(e); long double t \
         = 1; for (int i = 1; i < 6; i++) t = t * i / (i + 1); lbits(t); float a = 0; do a += 0.1f; while (a < \
         1); bits(a);",
    ),
];
