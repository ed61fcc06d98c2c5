//! The types of expressions against gcc: every operator on every pair of arithmetic types, on both data models.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use syncline_frontend::sema::{analyse_source, Options};
use syncline_frontend::types::{DataModel, IntKind, Type};
use syncline_ir::FloatFormat;

const TYPES: &[&str] = &[
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "long double",
];
const INTEGERS: usize = 12;
const OPERATORS: &[&str] = &["+", "*", "/", "%", "&", "<<", "==", "<", "&&", "-"];
const CONSTANTS: &[&str] = &[
    "1",
    "1u",
    "1l",
    "1ul",
    "1ll",
    "1ull",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "0x7fffffff",
    "0x80000000",
    "0xffffffff",
    "0x100000000",
    "0x8000000000000000",
    "017777777777",
    "037777777777",
    "0b1",
    "'a'",
    "L'a'",
    "u'a'",
    "U'a'",
    "1.0",
    "1.0f",
    "1.0l",
    "0x1p3",
    "sizeof(int)",
    "(char)1",
    "-1u",
    "!1.0",
    "~(short)1",
    "(long)1 - (unsigned)1",
    "1 ? 1 : 2l",
    "bf.narrow",
    "bf.full",
    "+bf.narrow",
    "+bf.full",
    "+bf.signed_full",
    "bf.wide + 1",
    "bf.bit + 0",
    "(&bf.plain - &bf.plain)",
    "__builtin_expect(1, 1)",
];

fn name(ty: &Type) -> &'static str {
    match ty {
        Type::Int(kind) => match kind {
            IntKind::Bool => "_Bool",
            IntKind::Char => "char",
            IntKind::SChar => "signed char",
            IntKind::UChar => "unsigned char",
            IntKind::Short => "short",
            IntKind::UShort => "unsigned short",
            IntKind::Int => "int",
            IntKind::UInt => "unsigned",
            IntKind::Long => "long",
            IntKind::ULong => "unsigned long",
            IntKind::LongLong => "long long",
            IntKind::ULongLong => "unsigned long long",
            IntKind::Int128 => "__int128",
            IntKind::UInt128 => "unsigned __int128",
            IntKind::Field { .. } => "bit-field",
        },
        Type::Float(FloatFormat::F32) => "float",
        Type::Float(FloatFormat::F64) => "double",
        Type::Float(FloatFormat::X87) => "long double",
        other => panic!("not arithmetic: {other:?}"),
    }
}

fn expressions() -> Vec<String> {
    let mut list = Vec::new();
    for (i, _) in TYPES.iter().enumerate() {
        for (j, _) in TYPES.iter().enumerate() {
            for (o, op) in OPERATORS.iter().enumerate() {
                let integers_only = (3..=5).contains(&o);
                if !integers_only || (i < INTEGERS && j < INTEGERS) {
                    list.push(format!("v{i} {op} v{j}"));
                }
            }
            list.push(format!("v0 ? v{i} : v{j}"));
            list.push(format!("v{i} = v{j}"));
        }
        list.push(format!("+v{i}"));
        list.push(format!("v{i}++"));
    }
    // A bit-field by itself has a type of its own width in gcc, which `_Generic` sees; `+` promotes it.
    list.extend(CONSTANTS.iter().filter(|c| !c.starts_with("bf.") || c.contains('+')).map(|c| c.to_string()));
    list
}

#[test]
fn types_of_expressions_are_gccs() {
    let expressions = expressions();
    for (model, flag) in [(DataModel::Ilp32, "-m32"), (DataModel::Lp64, "-m64")] {
        let mut head = String::from(
            "struct { unsigned narrow : 5; unsigned full : 32; int signed_full : 32; long long wide : 20; _Bool bit : 1; \
             int plain; } bf;\n",
        );
        for (i, ty) in TYPES.iter().enumerate() {
            writeln!(head, "{ty} v{i};").unwrap();
        }
        let mut ours = head.clone();
        for (i, e) in expressions.iter().enumerate() {
            writeln!(ours, "__typeof__({e}) r{i};").unwrap();
        }
        let unit = analyse_source("types.c", &ours, &Options::new(model)).expect("must analyse");
        let mut checks = head;
        checks.push_str("void check(void) {\n");
        for object in unit.objects.values() {
            if let Some(i) = object.name.strip_prefix('r').and_then(|n| n.parse::<usize>().ok()) {
                let (e, ty) = (&expressions[i], name(&unit.types[object.ty.ty]));
                writeln!(checks, "_Static_assert(_Generic(({e}), {ty}: 1, default: 0), \"{e} is not {ty}\");").unwrap();
            }
        }
        checks.push_str("}\n");
        let mut gcc = Command::new("gcc")
            .args(["-std=gnu11", "-w", "-fsyntax-only", "-x", "c", flag, "-"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("gcc runs");
        gcc.stdin.take().unwrap().write_all(checks.as_bytes()).unwrap();
        let output = gcc.wait_with_output().unwrap();
        assert!(output.status.success(), "{flag}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
