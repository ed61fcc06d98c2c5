//! Square root, rounding to integral values and remainder are what gcc's library computes, in every format, on
//! special and random operands. The fields of a long double that are no part of its 80 bits are left out.

use std::io::Write;
use std::process::{Command, Stdio};
use syncline_ir::{eval, BinOp, Const, FloatFormat, Rounding, Scalar, Type, UnOp};

const PROGRAM: &str = r#"
#include <math.h>
#include <stdio.h>
#include <string.h>
typedef unsigned long long u64;
static void show(const void *p, int n) {
    u64 w[2] = {0, 0};
    memcpy(w, p, n);
    printf(" %llx:%llx", w[1], w[0]);
}
#define ALL(T, S, N) { T x, y; memcpy(&x, a, N); memcpy(&y, b, N); T r[] = { sqrt##S(x), rint##S(x), round##S(x), \
    trunc##S(x), ceil##S(x), floor##S(x), remainder##S(x, y), remainder##S(y, x) }; \
    for (int i = 0; i < 8; i++) { if (isnan(r[i])) printf(" nan"); else show(&r[i], N); } puts(""); }
int main(void) {
    char format[8];
    u64 a[2], b[2];
    while (scanf("%7s %llx:%llx %llx:%llx", format, &a[1], &a[0], &b[1], &b[0]) == 5) {
        if (!strcmp(format, "f32")) ALL(float, f, 4)
        else if (!strcmp(format, "f64")) ALL(double, , 8)
        else ALL(long double, l, 10)
    }
    return 0;
}
"#;

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

fn canonical(format: FloatFormat, bits: u128) -> u128 {
    eval::to_bits(&eval::from_bits(Scalar::Float(format), bits))
}

/// Zeros, small and halved integers, ends of ranges, numbers with few or many bits and any exponent.
fn operand(rng: &mut Rng, format: FloatFormat) -> u128 {
    let field = format.storage_bits() - 1 - format.exponent_bits();
    let sign = u128::from(rng.next() & 1) << (format.storage_bits() - 1);
    let bias = (1u128 << (format.exponent_bits() - 1)) - 1;
    let exponent = match rng.next() % 8 {
        0 => 0,
        1 => 2 * bias + 1,
        2 => u128::from(rng.next()) % (2 * bias + 1),
        // Where numbers have fractions, and where they just have none left.
        _ => bias - 4 + u128::from(rng.next()) % 72,
    };
    let fraction = match rng.next() % 4 {
        0 => 0,
        1 => u128::from(rng.next()) << (rng.next() % 64),
        2 => !(u128::from(rng.next() % 4)),
        _ => u128::from(rng.next()),
    } & ((1 << field) - 1);
    let leading = if format == FloatFormat::X87 && exponent > 0 { 1 << 63 } else { 0 };
    canonical(format, sign | exponent << field | fraction | leading)
}

fn ours(format: FloatFormat, x: u128, y: u128) -> Vec<u128> {
    let (x, y) = (Const::Float { format, bits: x }, Const::Float { format, bits: y });
    let mut results = vec![eval::unary(UnOp::FSqrt, &x)];
    results.extend(Rounding::ALL.map(|mode| eval::unary(UnOp::FRound(mode), &x)));
    results.extend([eval::binary(BinOp::FRem, &x, &y), eval::binary(BinOp::FRem, &y, &x)]);
    results.iter().map(eval::to_bits).collect()
}

#[test]
fn agrees_with_the_c_library() {
    let folder = std::env::temp_dir().join(format!("syncline-float-gcc-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the program");
    let (source, program) = (folder.join("floats.c"), folder.join("floats"));
    std::fs::write(&source, PROGRAM).expect("a file for the program");
    let gcc =
        Command::new("gcc").args(["-O0", "-fno-builtin"]).arg(&source).arg("-o").arg(&program).arg("-lm").status();
    assert!(gcc.expect("gcc starts").success());

    let mut rng = Rng(0x5eed_f10a_7000_0001);
    let mut cases = Vec::new();
    for (format, count) in [(FloatFormat::F32, 20_000), (FloatFormat::F64, 20_000), (FloatFormat::X87, 5_000)] {
        cases.extend((0..count).map(|_| (format, operand(&mut rng, format), operand(&mut rng, format))));
    }
    let mut input = String::new();
    for &(format, x, y) in &cases {
        let half = |v: u128| format!("{:x}:{:x}", v >> 64, v as u64);
        input += &format!("{} {} {}\n", Scalar::Float(format), half(x), half(y));
    }
    let child = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.expect("the program starts");
    let mut stdin = child.stdin.take().expect("its input");
    let feed = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("its output");
    feed.join().expect("the input is written").expect("the input is written");
    // What cannot be removed stays in the folder for temporary files.
    let _ = std::fs::remove_dir_all(&folder);

    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(text.lines().count(), cases.len());
    for (line, &(format, x, y)) in text.lines().zip(&cases) {
        let nan = eval::to_bits(&eval::binary(
            BinOp::FDiv,
            &Const::zero(Type::float(format)),
            &Const::zero(Type::float(format)),
        ));
        let read = |word: &str| match word.split_once(':') {
            Some((high, low)) => {
                let part = |s| u128::from_str_radix(s, 16).expect("a number");
                part(high) << 64 | part(low)
            }
            None => nan,
        };
        let theirs: Vec<u128> = line.split_whitespace().map(read).collect();
        assert_eq!(ours(format, x, y), theirs, "{} of {x:#x}, {y:#x}", Scalar::Float(format));
    }
}
