//! C programs, run by gcc and by the interpreter on their IR: what they print must agree, in 32 and in 64 bits.

mod common;

use common::{agree, lower_text, outcome, BOTH};
use syncline_frontend::lower::LowerOptions;
use syncline_frontend::types::DataModel;
use syncline_ir::interp::Outcome;
use syncline_ir::{Program, PropKind};

const HEAD: &str = "int printf(const char *, ...);\n";

fn same(body: &str) {
    for model in BOTH {
        agree(&format!("{HEAD}{body}"), model);
    }
}

#[test]
fn integer_arithmetic_and_conversions() {
    same(
        r#"
        int main(void) {
            signed char c = 200; unsigned char uc = 300; short s = 70000; unsigned short us = -1;
            int i = -7; unsigned u = 4000000000u; long l = -5; unsigned long ul = -1; long long ll = 1LL << 40;
            _Bool b = 256; _Bool z = 0.25;
            printf("%d %d %d %d %d %d\n", c, uc, s, us, b, z);
            printf("%d %d %d %d\n", i / 2, i % 2, i >> 1, i << 3);
            printf("%u %u %u\n", u / 3, u % 7, u >> 5);
            printf("%d %d %d\n", i < u, -1 < 1u, (signed char)-1 < (unsigned char)1);
            printf("%ld %lu %lld %d\n", l * 3, ul / 2, ll + i, (int)(ll >> 35));
            printf("%d %d %d\n", (int)ul, (short)0x18000, (char)0x1ff);
            i += 2147483647; i += 10; printf("%d\n", i);
            uc += 250; printf("%d\n", uc); c <<= 1; printf("%d\n", c); us >>= 3; printf("%d\n", us);
            s -= 1.5; printf("%d\n", s); b += 5; printf("%d\n", b); b--; printf("%d\n", b); b--; printf("%d\n", b);
            printf("%d %d %d\n", ~i, !i, -c);
            printf("%d %d\n", i++ + ++c, s-- - --uc);
            printf("%lld\n", (long long)u * u); printf("%llu\n", (unsigned long long)i * u);
            printf("%d %u\n", 5 > 3 ? -1 : 2u, 5 ?: 7);
            return 0;
        }"#,
    );
}

#[test]
fn control_flow() {
    same(
        r#"
        int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
        int g(a, b) char a; long b; { return a + b; }
        void dup(int n) { int i = 0; switch (n % 4) { case 0: do { i += 1; case 3: i += 10; case 2: i += 100;
            case 1: i += 1000; } while ((n -= 4) > 0); } printf("dup %d\n", i); }
        int classify(int c) { switch (c) { case -3 ... -1: return 1; case 0: case 7: return 2;
            case 100 ... 10000: return 3; default: return 4; case 'a': break; } return 5; }
        int sw(unsigned char c, long long w) { switch (w) { case 1LL << 40: return 1; case -1: return 2; }
            switch (c) { default: c++; case 255: return c; } }
        int main(void) {
            int i, j, n = 0;
            for (i = 0; i < 10; i++) { if (i == 3) continue; if (i == 8) break; for (j = i; j; j--) n += i * j; }
            while (n > 100) n /= 2;
            do n++; while (n % 7);
            printf("%d %d\n", n, f(15));
            printf("%d\n", g(300, 70000L));
            for (i = 1; i < 9; i++) dup(i);
            for (i = -5; i < 10; i++) printf("%d ", classify(i));
            printf("%d %d %d %d\n", classify(99), classify(100), classify(10000), classify('a'));
            printf("%d %d %d %d\n", sw(255, 0), sw(1, 0), sw(0, 1LL << 40), sw(0, -1));
            i = 0;
          again: if (i < 5) { printf("%d,", i); i++; goto again; }
            goto in; while (i < 10) { printf("x"); in: i += 2; }
            printf("%d\n", i);
            int k = (i = 3, i + 1); printf("%d\n", k);
            printf("%d\n", ({ int t = k * 2; t > 5 && t < 100; }));
            return 0;
        }"#,
    );
}

#[test]
fn short_circuits_and_effects() {
    same(
        r#"
        int n; int t(int v) { n = n * 10 + v; return v; }
        int main(void) {
            int a = t(0) && t(1); int b = t(2) || t(3); int c = !(t(4) && (t(0) || t(5)));
            printf("%d %d %d %d\n", a, b, c, n); n = 0;
            if (t(1) && !t(0) && (t(2), t(3))) printf("yes %d\n", n);
            n = 0; int d = t(1) ? t(2) : t(3); int e = t(0) ?: t(7); printf("%d %d %d\n", d, e, n);
            int x = 5; a = x > 3 && x < 7; b = x == 5 || x / 0; c = x != 5 && x / 0; printf("%d%d%d\n", a, b, c);
            printf("%d %d\n", (x > 3) & (x < 4), (x > 3) ^ (x == 5));
            (void)t(9); x++ ? t(1) : t(2); printf("%d\n", n);
            int arr[4] = {0}; int i = 0; arr[i++] += 5; arr[i++]++; --arr[i]; printf("%d %d %d %d\n", arr[0], arr[1], arr[2], i);
            n = 1; n += t(4); printf("%d\n", n);
            return 0;
        }"#,
    );
}

#[test]
fn arrays_and_statics() {
    same(
        r#"
        int grid[3][4] = {{1, 2, 3}, {[2] = 9}, 7}; static const unsigned char table[] = {5, 4, 3, 2, 1};
        char text[8] = "abc"; double fs[2] = {1.5}; long double lds[3] = {1, 2, 3}; _Bool flags[3] = {1, 0, 5};
        int counter(void) { static int calls = 10; static int hist[3]; hist[calls % 3]++; return calls++ + hist[0]; }
        int cube[2][3][4];
        int main(void) {
            int i, j, k, local[] = {4, 5, grid[0][1], i = 6}, sum = 0;
            for (i = 0; i < 3; i++) for (j = 0; j < 4; j++) sum = sum * 3 + grid[i][j];
            printf("%d %d\n", sum, grid[0][6]);
            for (i = 0; i < 5; i++) printf("%d", table[i]);
            for (i = 0; i < 8; i++) printf(" %d", text[i]);
            printf(" %d\n", "hello"[1]);
            for (i = 0; i < 2; i++) for (j = 0; j < 3; j++) for (k = 0; k < 4; k++) cube[i][j][k] = i * 100 + j * 10 + k;
            sum = 0; for (unsigned char q = 0; q < 24; q++) sum += cube[0][0][q]; printf("%d %d\n", sum, cube[1][2][3]);
            printf("%d %d %d\n", local[2], local[3], (int)(fs[0] * 4 + fs[1]));
            printf("%d %d\n", (int)lds[2], flags[0] + flags[1] + flags[2]);
            counter(); counter(); counter(); printf("%d\n", counter());
            local[1] = local[0]--; *(local + 2) = 77; 3[local] ^= 5; printf("%d %d %d %d\n", local[0], local[1], local[2], local[3]);
            long long big = 2; grid[big][1] = 42; printf("%d %d\n", grid[2][1], *(grid[2] + 1));
            char shadow = 1; { int shadow = 2; { long shadow = 3; printf("%ld", shadow); } printf("%d", shadow); } printf("%d\n", shadow);
            return 0;
        }"#,
    );
}

#[test]
fn floats() {
    same(
        r#"
        double half(double x) { return x / 2; }
        float k(x) float x; { return x * 2; }
        int main(void) {
            float f = 0.1f; double d = 0.1; long double l = 0.1L; int i = 7; unsigned u = 4000000000u;
            printf("%.9f %.17g %.17g\n", f, d, (double)l);
            printf("%.9g %.17g %.17g\n", f * f + 1, d / 3 - 1e10, (double)(l * l));
            printf("%d %d %d %d\n", f == d, f < d, d != d, -0.0 == 0.0);
            printf("%d %d %u %lld\n", (int)2.99, (int)-2.99, (unsigned)3.5e9, (long long)-1e18);
            printf("%.1f %.1f %.17g\n", (float)i, (double)u, (double)(float)16777217);
            printf("%.17g %.17g\n", half(i), (double)k(1.25f));
            d = 1; d += i; d *= 1.5; d -= f; d /= 3; printf("%.17g\n", d); f++; --d; printf("%.9g %.17g\n", f, d);
            double zero = 0, inf = 1 / zero, nan = zero / zero;
            printf("%d %d %d %d\n", inf > 1e308, nan == nan, nan != nan, !nan);
            if (nan) printf("nan is true\n"); if (zero || f) printf("f\n");
            i = 10; i *= 0.35; printf("%d\n", i); i = f ? 1 : 2; printf("%d\n", i);
            unsigned long long big = 18446744073709551615ULL; printf("%.17g %.9g\n", (double)big, (float)big);
            unsigned char c = 200.7; signed char s = -100.9; printf("%d %d %d\n", c, s, (int)-f);
            return 0;
        }"#,
    );
}

#[test]
fn out_parameters() {
    same(
        r#"
        int total;
        void split(int n, int *hi, char *lo) { *hi = n / 10; *lo = n % 10; total += n; if (n > 50) return; (*hi)++; }
        void twice(int n, int *r, char *s) { split(n, r, s); split(n + *r, r, s); }
        int ignores(int *p, char *q[], int n) { return n; }
        void swap(int a[], int i, int j) { int t = a[i]; a[i] = a[j]; a[j] = t; }
        void sort(int a[], int n) { for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) if (a[j] < a[i]) swap(a, i, j); }
        int trace(int m[3][3], int *last) { int s = 0; for (int i = 0; i < 3; i++) s += m[i][i]; m[1][0] = *last = s; return s; }
        int first(int *p) { return (*p)++; }
        int matrix[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}; int global = 9;
        void fill(char *p) { p[0] += 3; }
        int add(int *acc, int n) { return n ? *acc += n, add(acc, n - 1) : *acc; }
        int main(void) {
            int a = 1, b; char c, arr[5];
            split(42, &a, &c); printf("%d %d %d\n", a, c, total);
            twice(a * 20, &a, &c); printf("%d %d %d\n", a, c, total);
            b = 100; a = ignores(&b, 0, 4) + add(&b, 5); printf("%d %d\n", a, b);
            printf("%d\n", ignores(arr, 0, 7));
            int v[6] = {5, 3, 9, 1, 7, 2}; sort(v, 6); for (int i = 0; i < 6; i++) printf("%d ", v[i]);
            b = trace(matrix, &a); printf("%d %d %d\n", b, matrix[1][0], a);
            b = first(v); a = first(&global); fill(&c); printf("%d %d %d %d %d\n", b, v[0], a, global, c);
            return 0;
        }"#,
    );
}

#[test]
fn what_is_outside_a_passed_array_stays_outside() {
    let program = load(
        "int get(int *p, int i) { p[i + 1] = 5; return p[i]; }
         int main(void) { int x = 3, a[2] = {1, 2}; return get(&x, 0) + get(a, 2) + x + a[0] + a[1]; }",
    );
    assert!(program.obligations.is_empty());
    assert_eq!(outcome(&program), Outcome::Returned(vec![syncline_ir::Const::bv(32, 9)]));
}

#[test]
fn printing() {
    same(
        r#"
        int puts(const char *); int putchar(int);
        int main(void) {
            printf("%s=%5d|%-5d|%05d|%x|%X|%o|%c|%%|%+d|%*d\n", "100%", 42, 42, 42, 255, 255, 8, 'q', 7, 6, 9);
            printf("%hhd %hd %ld %lld %lu %zu\n", (signed char)-1, (short)-2, -3L, -4LL, 5UL, sizeof(int));
            puts("50% done"); putchar('A'); putchar('\n');
            printf("%f %e %g %8.3f %.0f\n", 1.5, 12345.678, 0.0001, 3.14159, 2.5);
            return 0;
        }"#,
    );
}

fn load(text: &str) -> Program {
    lower_text(text, DataModel::Lp64, &LowerOptions::default())
}

fn names(program: &Program) -> Vec<&str> {
    program.props.values().map(|p| p.name.as_str()).collect()
}

#[test]
fn properties_are_counted_by_function_and_kind() {
    let program = load(
        "void reach_error(void); void __assert_fail(const char *, const char *, unsigned, const char *);
         void f(int x) { if (x) reach_error(); ((x < 1) ? (void)0 : __assert_fail(\"x < 1\", \"f.c\", 1, \"f\")); reach_error(); }
         void unused(void) { reach_error(); }
         int main(void) { f(0); for (int i = 0; i < 3; __VERIFIER_assert(i < 5)) { __VERIFIER_assert(i < 4); i++; } }",
    );
    assert_eq!(names(&program), ["f.reach.1", "f.assertion.1", "f.reach.2", "main.assertion.2", "main.assertion.1"]);
    assert_eq!(program.props.values().nth(1).map(|p| p.description.as_str()), Some("x < 1"));
    assert!(matches!(outcome(&program), Outcome::Violated(p) if program.props[p].name == "f.reach.2"));
}

#[test]
fn a_defined_function_is_never_an_intrinsic() {
    let text = "int printf(const char *f, ...) { return 3; } void abort(void) {} void reach_error(void) {}
         int __VERIFIER_nondet_int(void) { return 41; }
         int main(void) { abort(); reach_error(); return printf(\"x\") + __VERIFIER_nondet_int(); }";
    let program = load(text);
    assert!(program.props.is_empty());
    assert_eq!(outcome(&program), Outcome::Returned(vec![syncline_ir::Const::bv(32, 44)]));
    let named = LowerOptions { error_functions: vec!["reach_error".into()], ..LowerOptions::default() };
    let program = lower_text(text, DataModel::Lp64, &named);
    assert_eq!(names(&program), ["reach_error.reach.1"]);
    assert!(matches!(outcome(&program), Outcome::Violated(_)));
}

#[test]
fn traps_end_the_run() {
    for text in [
        "int main(void) { int z = 0; return 5 / z; }",
        "int main(void) { int z = -1, m = -2147483647 - 1; return m % z; }",
        "int main(void) { unsigned z = 0; z /= z; return 1; }",
    ] {
        assert!(matches!(outcome(&load(text)), Outcome::AssumeFailed(_)), "{text}");
        let checked = LowerOptions { checks: vec![PropKind::Division], ..LowerOptions::default() };
        let program = lower_text(text, DataModel::Lp64, &checked);
        assert!(matches!(outcome(&program), Outcome::Violated(_)), "{text}");
    }
}

#[test]
fn checks_become_properties() {
    let run = |text: &str, kind| {
        let options = LowerOptions { checks: vec![kind], ..LowerOptions::default() };
        let program = lower_text(text, DataModel::Ilp32, &options);
        match outcome(&program) {
            Outcome::Violated(p) => program.props[p].kind == kind,
            _ => false,
        }
    };
    let overflow = PropKind::Overflow;
    assert!(run("int main(void) { int x = 2147483647; x++; return 0; }", overflow));
    assert!(run("int main(void) { long long x = 1LL << 62; x *= -3; return 0; }", overflow));
    assert!(run("int main(void) { int x = -2147483647 - 1; return -x; }", overflow));
    assert!(!run(
        "int main(void) { unsigned x = -1; x++; short s = 32767; s++; int y = 46340; y *= y; return 0; }",
        overflow
    ));
    assert!(run("int main(void) { int n = 32; return 1 << n; }", PropKind::Shift));
    assert!(run("int main(void) { int n = -1; return 1LL >> n; }", PropKind::Shift));
    assert!(!run("int main(void) { int n = 31; return 1 << n; }", PropKind::Shift));
    assert!(run("int a[3]; int main(void) { int i = 3; return a[i]; }", PropKind::Bounds));
    assert!(run("int a[3]; int main(void) { int i = -1; a[i] = 0; }", PropKind::Bounds));
    assert!(run("int a[3][4]; int main(void) { int i = 1 << 30; a[i][0] = 0; }", PropKind::Bounds));
    assert!(!run("int a[3][4]; int main(void) { int i = 2, j = -8; return a[i][j]; }", PropKind::Bounds));
}

#[test]
fn what_is_outside_an_array_stays_outside() {
    // 2^30 rows of 4 are 2^32 elements: in 32 bits the index must not wrap back to element 0.
    let text = "int a[3][4]; void reach_error(void);
        int main(void) { unsigned i = 1u << 30; long long w = 1LL << 32; a[i][0] = 7; a[0][w] = 7;
            if (a[0][0] != 0) reach_error(); return a[i][0]; }";
    for model in BOTH {
        let program = lower_text(text, model, &LowerOptions::default());
        assert_eq!(outcome(&program), Outcome::Returned(vec![syncline_ir::Const::bv(32, 0)]));
        assert!(program.assumptions.iter().any(|(_, text)| text.contains("`a`")));
    }
}

#[test]
fn inputs_and_assumptions() {
    let program = load(
        "extern int missing; volatile int sensor; int ask(int *); volatile int out;
         int main(int argc, char **argv) { int u; out = 1; return missing + sensor + sensor + ask(&u) + u + out + argc; }",
    );
    let sites: Vec<&str> = program.sites.values().map(|s| s.name.as_str()).collect();
    for expected in ["missing", "argc", "argv is null", "u", "ask()"] {
        assert_eq!(sites.iter().filter(|s| **s == expected).count(), 1, "{expected} in {sites:?}");
    }
    assert_eq!(sites.iter().filter(|s| **s == "sensor").count(), 2, "{sites:?}");
    for expected in
        ["`missing` is defined nowhere", "`sensor` is never written", "`ask` is only declared", "pointer argv"]
    {
        assert!(program.assumptions.iter().any(|(_, a)| a.contains(expected)), "{expected}: {:?}", program.assumptions);
    }
    assert!(program.obligations.is_empty());
    let strict = LowerOptions { strict_calls: true, ..LowerOptions::default() };
    let program = lower_text("int ask(void); int main(void) { return ask(); }", DataModel::Lp64, &strict);
    assert_eq!(program.obligations.len(), 1);
}

#[test]
fn a_jump_over_a_declaration_leaves_any_value() {
    let program = load("int main(void) { goto l; { int x = 5; l: return x; } }");
    assert_eq!(program.sites.values().next().map(|s| s.name.as_str()), Some("x"));
    let program = load("int main(void) { int x = 5; goto l; l: return x; }");
    assert!(program.sites.is_empty());
}

#[test]
fn what_is_not_modelled_is_an_obligation() {
    for text in [
        "double sin(double); int main(void) { return sin(1.0) > 0; }",
        "int main(void) { __asm__(\"nop\"); return 0; }",
        "int fork(void); int main(void) { return fork(); }",
        "int main(void) { void *p = &&l; goto *p; l: return 0; }",
        "int (*p)(void); int main(void) { p = (int (*)(void)) 64; return p(); }",
    ] {
        let program = load(text);
        assert!(!program.obligations.is_empty(), "{text}");
        assert!(matches!(outcome(&program), Outcome::Unsupported(_)), "{text}");
    }
}

#[test]
fn memory_is_modelled() {
    for (text, result) in [
        ("struct s { int a; } x; int main(void) { x.a = 1; return x.a; }", 1),
        ("int x = 3; int main(void) { int *p = &x; *p += 1; return x; }", 4),
        ("int x = 2, *p = &x; int main(void) { return *p; }", 2),
        ("int main(void) { char *s = \"abc\"; return s[1]; }", 98),
        ("int f(int x) { return x + 1; } int main(void) { int (*p)(int) = f; return p(4); }", 5),
        ("void *malloc(unsigned long); int main(void) { int *p = malloc(4); *p = 7; return *p; }", 7),
        ("void f(int *p, int *q) { *p = *q + 1; } int main(void) { int x = 1; f(&x, &x); return x; }", 2),
        ("int g; void f(int *p) { g = 2; *p += 1; } int main(void) { f(&g); return g; }", 3),
        ("void f(int *p, int n) { *p = n; if (n) f(p + 1, n - 1); } int main(void) { int a[3]; f(a, 2); return a[1]; }", 1),
        ("int f(int n) { int x = n, *p = &x; if (n) f(n - 1); return *p; } int main(void) { return f(3); }", 3),
        ("union u { int i; char c[4]; }; int main(void) { union u u; u.i = 258; return u.c[1]; }", 1),
        ("struct b { unsigned x : 3, y : 4; }; int main(void) { struct b b = { 9, 5 }; b.y++; return b.x * 10 + b.y; }", 16),
    ] {
        let program = load(text);
        assert!(program.obligations.is_empty(), "{text}");
        assert_eq!(outcome(&program), Outcome::Returned(vec![syncline_ir::Const::bv(32, result)]), "{text}");
    }
}

#[test]
fn an_entry_that_calls_itself_is_started_by_a_procedure_of_its_own() {
    let program = load("int main(int n, char **v) { return n > 0 ? main(n - 1, 0) + 1 : 7; }");
    assert_eq!(program.procs.len(), 2);
    assert_eq!(outcome(&program), Outcome::Returned(vec![syncline_ir::Const::bv(32, 7)]));
}
