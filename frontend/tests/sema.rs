//! What `sema` makes of programs: initialisers, flags, linking, odd syntax, errors and their places, limits.

use std::fmt::Write as _;
use syncline_frontend::error::Errors;
use syncline_frontend::hir::*;
use syncline_frontend::parse::on_big_stack;
use syncline_frontend::sema::{analyse_source, analyse_sources, Options};
use syncline_frontend::tokens::nesting::{MAX_BRACES, MAX_PARENS};
use syncline_frontend::types::{DataModel, Type};

fn lp64() -> Options {
    Options::new(DataModel::Lp64)
}

fn unit(text: &str) -> Unit {
    analyse_source("t.c", text, &lp64()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn errors(text: &str) -> Vec<String> {
    match analyse_source("t.c", text, &lp64()) {
        Ok(_) => Vec::new(),
        Err(Errors(list)) => list.iter().map(|e| format!("{}:{} {}", e.loc.line, e.loc.column, e.message)).collect(),
    }
}

fn object<'a>(unit: &'a Unit, name: &str) -> &'a Object {
    unit.objects.values().find(|o| o.name == name).unwrap_or_else(|| panic!("no object {name}"))
}

/// `offset=value` for each item, bit-fields as `offset.bit`.
fn show(init: &Init) -> String {
    let mut text = String::new();
    for item in &init.items {
        write!(text, "{}", item.offset).unwrap();
        if let Some(bits) = item.bits {
            write!(text, ".{}", bits.offset).unwrap();
        }
        match &item.value {
            InitValue::Expr(e) => match &e.kind {
                ExprKind::Int(v) => write!(text, "={v} "),
                _ => write!(text, "=e "),
            },
            InitValue::Str { len, .. } => write!(text, "=str{len} "),
        }
        .unwrap();
    }
    text.push_str(if init.zero_rest { "0.." } else { "all" });
    text
}

fn init_of(declaration: &str) -> String {
    let unit = unit(&format!("struct s {{ int a, b[2]; }};\nstruct t {{ char c; struct s s; union {{ int i; char d; }}; }};\nint g;\n{declaration}"));
    let object = object(&unit, "x");
    show(object.init.as_ref().expect("an initialiser"))
}

#[test]
fn initialisers_are_flattened() {
    let table = [
        ("int x = 3;", "0=3 all"),
        ("int x = {3};", "0=3 all"),
        ("int *x = &g + 1;", "0=e all"),
        ("int x[3] = {1, 2};", "0=1 4=2 0.."),
        ("int x[] = {1, 0, 3};", "0=1 8=3 0.."),
        ("int x[5] = {[3] = 1, 2, [0] = 7};", "0=7 12=1 16=2 0.."),
        ("int x[4] = {1, 2, [0] = 9};", "0=9 4=2 0.."),
        ("int x[] = {[1 ... 3] = 5, 6};", "4=5 8=5 12=5 16=6 0.."),
        ("int x[2][2] = {1, 2, 3};", "0=1 4=2 8=3 0.."),
        ("int x[][2] = {{1}, {2, 3}};", "0=1 8=2 12=3 0.."),
        ("char x[] = \"ab\";", "0=str3 0.."),
        ("char x[2][4] = {\"ab\", {\"c\"}};", "0=str4 4=str4 0.."),
        ("struct s x = {1, 2, 3};", "0=1 4=2 8=3 0.."),
        ("struct s x = {1, {2}};", "0=1 4=2 0.."),
        ("struct s x[] = {1, 2, 3, 4};", "0=1 4=2 8=3 12=4 0.."),
        ("struct t x = {1, 2, 3, 4, 5};", "0=1 4=2 8=3 12=4 16=5 0.."),
        ("struct t x = {.s.b[1] = 4, .c = 1};", "0=1 12=4 0.."),
        ("struct t x = {.i = 4, .d = 1};", "16=1 0.."),
        ("struct { int a : 3, b : 5; } x = {1, 2};", "0.0=1 0.3=2 0.."),
        ("struct s x = {b: {1}};", "4=1 0.."),
        ("long x = 'a' + sizeof(int) * 2;", "0=105 all"),
        ("_Bool x = 0.5;", "0=1 all"),
        ("unsigned char x = -1;", "0=255 all"),
        ("double x = 0.1f;", "0=e all"),
    ];
    for (declaration, expected) in table {
        assert_eq!(init_of(declaration), expected, "{declaration}");
    }
}

#[test]
fn array_sizes_come_from_initialisers() {
    let unit =
        unit("int a[] = {1, 2, [9] = 3}; char s[] = \"abc\" \"d\"; int m[][3] = {{1}, {2}}; int late[]; int late[7];");
    let len = |name| match unit.types[object(&unit, name).ty.ty] {
        Type::Array { len, .. } => len,
        _ => None,
    };
    assert_eq!(["a", "s", "m", "late"].map(len), [Some(10), Some(5), Some(2), Some(7)]);
}

#[test]
fn constants_are_gccs() {
    unit(
        "_Static_assert('\\377' == -1 && 'ab' == 24930 && '\\e' == 27 && L'x' == 120 && '\\x41' == 65, \"\");
         _Static_assert(-1 > 0u && -1l < 0u && (char)200 == -56 && (unsigned char)-1 == 255, \"\");
         _Static_assert(-7 / 2 == -3 && -7 % 2 == -1 && -8 >> 1 == -4 && 1u << 31 == 2147483648u, \"\");
         _Static_assert(2147483647 + 1 < 0 && 0x7fffffff * 2 == -2, \"\");
         _Static_assert((int)3.99 == 3 && (float)0.1 != 0.1 && 0x1.8p1 == 3.0 && 1e3f == 1000, \"\");
         enum e { A, B = 5, C, D = -2 }; enum u { X = 1, Y = 0xffffffff }; enum w { W = 1ll << 40 };
         _Static_assert(C == 6 && D == -2 && sizeof(enum w) == 8 && (enum u)-1 > 0 && (enum e)-1 < 0, \"\");
         _Static_assert(sizeof(\"a\" \"bc\") == 4 && sizeof(int[3][4]) == 48 && sizeof 'a' == 4, \"\");
         struct s { char a; long b; struct { int c[4]; }; };
         _Static_assert(__builtin_offsetof(struct s, c[2]) == 24 && (unsigned long)&((struct s *)0)->b == 8, \"\");
         _Static_assert(_Generic(1.0f, double: 1, float: 2, default: 3) == 2, \"\");
         _Static_assert(__builtin_types_compatible_p(int, const signed) && !__builtin_types_compatible_p(int, long), \"\");
         _Static_assert((1 ? 2 : 1 / 0) == 2 && (0 && 1 / 0) == 0 && (3 ?: 4) == 3, \"\");
         int a[(1 << 4) / 2 - 1]; _Static_assert(sizeof a == 28);",
    );
    assert_eq!(errors("_Static_assert(1 == 2, \"no\");"), ["1:1 static assertion failed: no"]);
}

#[test]
fn odd_syntax_is_taken() {
    let unit = unit(
        "\u{feff}\x0casm(\".globl x\");
         static __thread int tls; __extension__ typedef long long ll; ll q;
         typedef struct __attribute__((packed)) { char a; int b; } __attribute__((aligned(2))) P;
         _Static_assert(sizeof(P) == 6);
         enum __attribute__ (( packed )) E { A, B = 200 }; _Static_assert(sizeof(enum E) == 1, \"\");
         unsigned __int128 big; __int128_t sb; _Static_assert(sizeof big == 16 && __alignof__(sb) == 16, \"\");
         k(a, b) char a; short b; { return a + b; }
         static n; const cc = 5; extern ext();
         extern int lib(int) __asm__(\"lib2\") __attribute__((noreturn));
         [[noreturn]] void stop(void);
         int f(int x) {
           __label__ out;
           int y = x ?: 4; __auto_type z = y * 2.0; _Static_assert(sizeof z == 8, \"\");
           void *lab = &&out;
           if (x) goto *lab;
           asm volatile (\"nop\" : \"=r\"(x) : \"r\"(y) : \"memory\");
           if (x) asm(\"nop\"); else asm goto (\"jmp %l0\" : : : : out);
           switch (x) { case 1: __attribute__((fallthrough)); case 2 ... 5: break; case 7: int w = 3; x += w; default: }
           P p = (P){}; char s[] = \"\\e\\q\"; _Static_assert(sizeof s == 3, \"\");
           int c = ((x)) + (x == 1) + ((x * 2) < (y + 1));
           typeof(x) xx = ({ int t = x; t + 1; });
         out: __attribute__((unused)) return y + z + xx + c + p.b;
         }",
    );
    let texts: Vec<String> = unsupported(&unit);
    for text in ["the address of a label", "computed goto", "inline assembly"] {
        assert!(texts.iter().any(|t| t == text), "{text} in {texts:?}");
    }
    assert_eq!(texts.iter().filter(|t| *t == "inline assembly").count(), 3);
    assert!(unit.functions.values().any(|f| f.name == "stop" && f.noreturn));
    assert!(unit.functions.values().any(|f| f.name == "lib" && f.noreturn));
}

/// The texts of all `Unsupported` nodes, by way of the debug form.
fn unsupported(unit: &Unit) -> Vec<String> {
    let text = format!("{:?}", unit.functions);
    text.split("Unsupported(\"").skip(1).map(|s| s.split('"').next().unwrap_or("").to_string()).collect()
}

#[test]
fn what_is_not_modelled_stays_in_the_program() {
    let unit = unit(
        "int f(int n) { __builtin_va_list ap; __builtin_va_start(ap, n); int a = __builtin_clz(n);
         __sync_fetch_and_add(&a, 1); typedef int T[n]; return a + sizeof(T); }",
    );
    let texts = unsupported(&unit).join(", ");
    for text in ["va_start", "__builtin_clz", "__sync_fetch_and_add", "the size"] {
        assert!(texts.contains(text), "{text} in {texts}");
    }
}

#[test]
fn further_arguments_have_a_parameter_where_they_are_read() {
    let unit = unit(
        "int f(int n, ...) { __builtin_va_list ap, b; __builtin_va_start(ap, n); __builtin_va_copy(b, ap);
         int r = __builtin_va_arg(ap, int); __builtin_va_end(ap); return r; }
         int g(int n, ...) { int a[n]; return sizeof a; }",
    );
    assert_eq!(unsupported(&unit), Vec::<String>::new());
    let function = |name: &str| unit.functions.values().find(|f| f.name == name).expect(name);
    assert_eq!(function("f").rest, function("f").params.last().copied());
    assert_eq!(function("f").params.len(), 2);
    assert_eq!((function("g").rest, function("g").params.len()), (None, 1));
}

#[test]
fn indexing_takes_no_address() {
    let unit = unit(
        "int a[4], b[2][3], c[4], d, e, k[2], o[2], *p; struct { int m[3]; int n; } s, t;
         void use(int *); 
         int f(int i) { a[i] = b[i][1] + s.m[i]; use(c); p = &d; int z = sizeof(o) + sizeof(&e); *k = 1; use(&t.n);
           return a[0] + z; }",
    );
    let taken = |name| object(&unit, name).address_taken;
    let names = ["a", "b", "c", "d", "e", "k", "o", "s", "t"];
    assert_eq!(names.map(taken), [false, false, true, true, false, false, false, false, true]);
    let written = |name| object(&unit, name).written;
    assert_eq!(["a", "b", "k", "p"].map(written), [true, false, true, true]);
}

#[test]
fn files_are_linked() {
    let a = "struct n { int v; struct n *next; }; extern int shared; static int own = 1; int get(void);
             struct n head; int main(void) { return shared + own + get() + head.v; }";
    let b = "struct n { int v; struct n *next; }; int shared = 4; static int own = 2; extern struct n head;
             int get(void) { static int calls; calls++; return own + calls + head.v; }";
    let unit = analyse_sources(&[("a.c", a), ("b.c", b)], &lp64()).expect("links");
    let mut names: Vec<&str> = unit.objects.values().map(|o| o.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["get.calls", "head", "own", "own.2", "shared"]);
    assert_eq!(unit.functions.values().filter(|f| f.body.is_some()).count(), 2);
    assert_eq!(unit.functions.len(), 2);
    let conflict = analyse_sources(&[("a.c", "int x;"), ("b.c", "\nlong x;")], &lp64()).unwrap_err();
    assert_eq!(conflict.to_string(), "b.c:2:6: error: conflicting types for `x`: `int` and `long`");
    let twice = analyse_sources(&[("a.c", "int f(void) { return 1; }"), ("b.c", "int f(void) { return 2; }")], &lp64());
    assert!(twice.unwrap_err().to_string().contains("defined twice"));
}

#[test]
fn errors_have_places() {
    assert_eq!(
        errors("int f(int x) {\n  return y + x + y;\n}\nint g(void) { int *p = 3.0; return p * 2; }\n"),
        [
            "2:10 `y` is not declared",
            "4:24 `double` cannot be converted to `int *`",
            "4:38 the operator does not take `int *` and `int`"
        ]
    );
    assert_eq!(errors("struct s q;\nint f(void) { break; }\nint f(void) { goto no; }\n").len(), 3);
    assert_eq!(errors("int main(void) {\n  int x = 3 +;\n}\n"), ["2:14 syntax error before `;`"]);
    assert_eq!(errors("# 10 \"a.h\"\nint x =\n\n;\n"), ["12:1 syntax error before `;`"]);
    assert_eq!(
        errors("int f(int a); int g(void) { return f(); }"),
        ["1:36 the call has 0 arguments, the function takes 1"]
    );
    assert_eq!(errors("int f(int c) { switch (c) { case 1: case 1: ; } return 0; }"), ["1:37 this case occurs twice"]);
    assert_eq!(errors("int f(void) { int a; int a; return 0; }"), ["1:26 `a` is declared twice in one block"]);
    assert_eq!(errors("int g(void); int x = g();"), ["1:22 the initialiser of a static object must be constant"]);
}

#[test]
fn nesting_is_limited() {
    let parens = |n: usize| format!("int x = {}1{};", "(".repeat(n), ")".repeat(n));
    let blocks = |n: usize| format!("void f(void) {{ {} {} }}", "if (1) {".repeat(n), "}".repeat(n));
    let calls = |n: usize| format!("int f(int); int g(int x) {{ return {}x{}; }}", "f(1+".repeat(n), ")".repeat(n));
    let counts = on_big_stack(|| {
        let check = |text: String| errors(&text).join("");
        let (parens_max, braces_max) = (MAX_PARENS as usize, MAX_BRACES as usize);
        assert_eq!(check(parens(parens_max)), "");
        assert_eq!(check(calls(200)), "");
        assert_eq!(check(blocks(braces_max - 1)), "");
        assert_eq!(check(format!("int f(int x) {{ return {}x; }}", "- ".repeat(50_000))), "");
        assert_eq!(check(format!("int f(int x) {{ return {}x; }}", "x + ".repeat(50_000))), "");
        assert_eq!(check(format!("int f(int x) {{ {}x++; return x; }}", "x++, ".repeat(150_000))), "");
        let chain: String = (0..20_000).map(|i| format!("else if (x == {i}) x = {i};\n")).collect();
        assert_eq!(check(format!("void f(int x) {{ if (x < 0) x = 1;\n{chain} }}")), "");
        [parens(parens_max + 1), parens(1_000_000), blocks(braces_max), "(".repeat(5_000_000)].map(check)
    })
    .expect("a thread");
    assert_eq!(counts[0], format!("1:{} more than 1000 nested parentheses and brackets", 9 + MAX_PARENS));
    assert!(counts[1].contains("more than 1000 nested parentheses"));
    assert!(counts[2].contains("nested braces"));
    assert!(counts[3].starts_with("1:1001 more than"));
}

#[test]
fn large_tables_are_compact() {
    let mut text = String::from("int t[] = {");
    for i in 0..200_000 {
        write!(text, "{},", i % 2).unwrap();
    }
    text.push_str("};");
    let unit = unit(&text);
    let table = object(&unit, "t");
    assert_eq!(unit.types[table.ty.ty], Type::Array { elem: qual_of(&unit, table), len: Some(200_000) });
    assert_eq!(table.init.as_ref().map(|i| i.items.len()), Some(100_000));
}

fn qual_of(unit: &Unit, object: &Object) -> syncline_frontend::types::Qual {
    match unit.types[object.ty.ty] {
        Type::Array { elem, .. } => elem,
        _ => object.ty,
    }
}

#[test]
fn parentheses_that_matter_stay() {
    let unit = unit(
        "int f(int a, int b, int c) { return a - (b - c); }
         int g(int a, int b, int c) { return (a - b) - c; }
         int i(int k, int x, int y) { return k - (x++ | y / 2) - (k == (x-- && y)); }
         int j(int k, int x, int y) { return x-- && y ? k++ && x : (k++ || x) == y; }
         typedef int T; int h(int a, int b) { return (T)-(a + b) * (b - a); }",
    );
    let shape = |name: &str| {
        let function = unit.functions.values().find(|f| f.name == name).expect("defined");
        match &function.body.as_ref().expect("a body")[0].kind {
            StmtKind::Return(Some(e)) => tree(e),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(shape("f"), "(x Sub (x Sub x))");
    assert_eq!(shape("g"), "((x Sub x) Sub x)");
    assert_eq!(shape("i"), "((x Sub (x Or (x Div x))) Sub (x Eq x))");
    assert_eq!(shape("j"), "x");
    assert_eq!(shape("h"), "(Neg(x Add x) Mul (x Sub x))");
}

fn tree(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Binary { op, left, right } => format!("({} {op:?} {})", tree(left), tree(right)),
        ExprKind::Unary { op, arg } => format!("{op:?}{}", tree(arg)),
        ExprKind::Cast(arg) => tree(arg),
        _ => "x".to_string(),
    }
}
