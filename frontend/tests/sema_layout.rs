//! Record layout against gcc itself: generated records, sizes, alignments, offsets and the bits of bit-fields.

use std::fmt::Write as _;
use std::process::Command;
use syncline_frontend::layout;
use syncline_frontend::sema::{analyse_source, Options};
use syncline_frontend::types::{DataModel, Type};

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

const SCALARS: &[&str] = &[
    "char",
    "short",
    "int",
    "long",
    "long long",
    "float",
    "double",
    "long double",
    "void *",
    "_Bool",
    "unsigned char",
];
const INTEGERS: &[(&str, u64)] =
    &[("char", 8), ("unsigned short", 16), ("int", 32), ("unsigned", 32), ("long long", 64), ("_Bool", 1)];

/// The text of record `n`; earlier ones may be members.
fn record(random: &mut Random, n: usize) -> String {
    let keyword = if random.below(5) == 0 { "union" } else { "struct" };
    let mut text = String::new();
    let pragma = random.below(8) == 0;
    if pragma {
        writeln!(text, "#pragma pack(push, {})", 1 << random.below(4)).unwrap();
    }
    let before = random.pick(&["", "", "", "__attribute__((packed)) ", "__attribute__((aligned(16))) "]);
    writeln!(text, "typedef {keyword} {before}R{n} {{").unwrap();
    for f in 0..1 + random.below(7) {
        match random.below(8) {
            0 if n > 0 => writeln!(text, "  R{} f{f};", random.below(n as u64)).unwrap(),
            1 => writeln!(text, "  {} f{f}[{}];", random.pick(SCALARS), 1 + random.below(4)).unwrap(),
            2..=4 => {
                let (ty, bits) = INTEGERS[random.below(INTEGERS.len() as u64) as usize];
                match random.below(6) {
                    0 => writeln!(text, "  {ty} : 0;").unwrap(),
                    1 => writeln!(text, "  {ty} : {};", 1 + random.below(bits)).unwrap(),
                    _ => writeln!(text, "  {ty} f{f} : {};", 1 + random.below(bits)).unwrap(),
                }
            }
            5 => writeln!(text, "  {} f{f} __attribute__((aligned({})));", random.pick(SCALARS), 1 << random.below(5))
                .unwrap(),
            _ => writeln!(text, "  {} f{f};", random.pick(SCALARS)).unwrap(),
        }
    }
    let after = random.pick(&["", "", "", " __attribute__((packed))", " __attribute__((aligned(8)))"]);
    writeln!(text, "}}{after} R{n};").unwrap();
    if pragma {
        text.push_str("#pragma pack(pop)\n");
    }
    text
}

/// What we say of each record and field, one line each, and the program that makes gcc say the same.
fn both(source: &str, records: usize, model: DataModel) -> (String, String) {
    let objects: String = (0..records).map(|n| format!("R{n} r{n};\n")).collect();
    let unit = analyse_source("layout.c", &format!("{source}{objects}"), &Options::new(model)).expect("must analyse");
    let mut ours = String::new();
    let mut program = format!(
        "{source}int printf(const char *, ...); void *memset(void *, int, unsigned long);\n\
         static void dump(const void *p, unsigned n) {{ const unsigned char *c = p; unsigned i; int first = -1, last = 0;\n\
         for (i = 0; i < n * 8; i++) if (c[i / 8] >> i % 8 & 1) {{ if (first < 0) first = i; last = i; }}\n\
         printf(\"bits %d %d\\n\", first, last - first + 1); }}\nint main(void) {{\n"
    );
    for object in unit.objects.values() {
        let Type::Record(record) = unit.types[object.ty.ty] else { panic!("not a record") };
        let n = &object.name[1..];
        let found = unit.types.records[record].layout.as_ref().expect("complete");
        let align = layout::align_of(&unit.types, object.ty.ty);
        writeln!(ours, "R{n} size {} align {align}", found.size).unwrap();
        writeln!(program, "printf(\"R{n} size %d align %d\\n\", (int)sizeof(R{n}), (int)_Alignof(R{n}));").unwrap();
        for field in &found.fields {
            let f = &field.name;
            match field.bits {
                Some(bits) => {
                    writeln!(ours, "bits {} {}", field.offset * 8 + u64::from(bits.offset), bits.width).unwrap();
                    writeln!(program, "{{ R{n} v; memset(&v, 0, sizeof v); v.{f} = -1; dump(&v, sizeof v); }}")
                        .unwrap();
                }
                None => {
                    writeln!(ours, "{f} at {}", field.offset).unwrap();
                    writeln!(program, "printf(\"{f} at %d\\n\", (int)__builtin_offsetof(R{n}, {f}));").unwrap();
                }
            }
        }
    }
    program.push_str("return 0; }\n");
    (ours, program)
}

fn gcc_says(program: &str, flag: &str, name: &str) -> String {
    let dir = std::env::temp_dir().join(format!("syncline-layout-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary directory");
    let (source, binary) = (dir.join("a.c"), dir.join("a"));
    std::fs::write(&source, program).expect("written");
    let built = Command::new("gcc").args(["-std=gnu11", "-w", flag, "-o"]).arg(&binary).arg(&source).output().unwrap();
    assert!(built.status.success(), "{}\n{program}", String::from_utf8_lossy(&built.stderr));
    let output = Command::new(&binary).output().expect("runs");
    std::fs::remove_dir_all(&dir).expect("removed");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn records_are_laid_out_as_gcc_does() {
    for (model, flag) in [(DataModel::Ilp32, "-m32"), (DataModel::Lp64, "-m64")] {
        let mut random = Random(2024);
        let records = 400;
        let source: String = (0..records).map(|n| record(&mut random, n)).collect();
        let (ours, program) = both(&source, records, model);
        let gcc = gcc_says(&program, flag, "records");
        let mut current = "";
        for (a, b) in ours.lines().zip(gcc.lines()) {
            if b.starts_with('R') {
                current = b;
            }
            if a != b {
                let name = current.split(' ').next().unwrap();
                let at = source.find(&format!(" {name};\n")).unwrap();
                let from = source[..at].rfind("typedef").unwrap().saturating_sub(40);
                panic!("{flag}: in {current}: ours `{a}`, gcc `{b}`\n{}", &source[from..at + 8]);
            }
        }
        assert_eq!(ours.lines().count(), gcc.lines().count());
    }
}
