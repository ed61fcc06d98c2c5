//! The operators against other formulations of them: literal SMT-LIB definitions over all 4-bit operands, machine
//! arithmetic for the wide ones, the host's floats.

use syncline_ir::consts::{mask, sign_extend};
use syncline_ir::eval::{binary, from_bits, to_bits, unary, update};
use syncline_ir::{ArrayConst, BinOp, Const, FloatFormat, Scalar, Type, UnOp};

const F32_NAN: u128 = 0x7fc0_0000;
const F64_NAN: u128 = 0x7ff8_0000_0000_0000;
const X87_NAN: u128 = 0x7fff_c000_0000_0000_0000;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Often near the ends of the range, where the mistakes are.
    fn wide(&mut self) -> u128 {
        let bits = (u128::from(self.next()) << 64) | u128::from(self.next());
        match self.next() % 6 {
            0 => bits % 5,
            1 => (bits % 5).wrapping_neg(),
            2 => 1u128 << (bits % 128),
            3 => (1u128 << (bits % 128)).wrapping_sub(1),
            4 => bits >> (self.next() % 128),
            _ => bits,
        }
    }

    fn f64(&mut self) -> f64 {
        let bits = self.next();
        match self.next() % 8 {
            0 => [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX][(bits % 8) as usize],
            1 => (bits as i64 >> (bits % 64)) as f64,
            2 => (bits % 4096) as f64 / 16.0 - 128.0,
            3 => f64::from_bits(bits & 0x800f_ffff_ffff_ffff),
            4 => f64::from(bits as u32 as i32) + 0.5,
            5 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        }
    }

    fn f32(&mut self) -> f32 {
        match self.next() % 2 {
            0 => self.f64() as f32,
            _ => f32::from_bits(self.next() as u32),
        }
    }
}

fn bv(width: u32, bits: u128) -> Const {
    Const::bv(width, bits)
}

fn f64c(x: f64) -> Const {
    Const::Float { format: FloatFormat::F64, bits: x.to_bits().into() }
}

fn f32c(x: f32) -> Const {
    Const::Float { format: FloatFormat::F32, bits: x.to_bits().into() }
}

fn f64_bits(x: f64) -> u128 {
    if x.is_nan() {
        F64_NAN
    } else {
        x.to_bits().into()
    }
}

fn f32_bits(x: f32) -> u128 {
    if x.is_nan() {
        F32_NAN
    } else {
        x.to_bits().into()
    }
}

/// SMT-LIB's definitions word by word, for bit-vectors of `w` bits as plain numbers.
fn reference(op: BinOp, w: u32, a: u64, b: u64) -> u64 {
    let m = 1u64 << w;
    let negative = |x: u64| x >> (w - 1) == 1;
    let neg = |x: u64| (m - x) % m;
    let abs = |x: u64| if negative(x) { neg(x) } else { x };
    let udiv = |x: u64, y: u64| x.checked_div(y).unwrap_or(m - 1);
    let urem = |x: u64, y: u64| x.checked_rem(y).unwrap_or(x);
    let signed = |x: u64| if negative(x) { x as i64 - m as i64 } else { x as i64 };
    let bitwise = |f: fn(u64, u64) -> u64| (0..w).map(|i| f(a >> i & 1, b >> i & 1) << i).sum();
    match op {
        BinOp::Add => (a + b) % m,
        BinOp::Sub => (a + neg(b)) % m,
        BinOp::Mul => (a * b) % m,
        BinOp::UDiv => udiv(a, b),
        BinOp::URem => urem(a, b),
        BinOp::SDiv if negative(a) == negative(b) => udiv(abs(a), abs(b)),
        BinOp::SDiv => neg(udiv(abs(a), abs(b))),
        BinOp::SRem if negative(a) => neg(urem(abs(a), abs(b))),
        BinOp::SRem => urem(a, abs(b)),
        BinOp::BvAnd => bitwise(|x, y| x * y),
        BinOp::BvOr => bitwise(|x, y| x.max(y)),
        BinOp::BvXor => bitwise(|x, y| (x + y) % 2),
        BinOp::Shl => (0..b).fold(a, |x, _| x * 2 % m),
        BinOp::LShr => (0..b).fold(a, |x, _| x / 2),
        BinOp::AShr => (0..b).fold(a, |x, _| x / 2 + if negative(a) { m / 2 } else { 0 }),
        BinOp::Concat => a * m + b,
        BinOp::Eq => u64::from(a == b),
        BinOp::Ult => u64::from(a < b),
        BinOp::Ule => u64::from(a <= b),
        BinOp::Slt => u64::from(signed(a) < signed(b)),
        BinOp::Sle => u64::from(signed(a) <= signed(b)),
        _ => panic!("no bit-vector operator: {op:?}"),
    }
}

#[test]
fn every_bit_vector_operator_on_all_small_operands() {
    for w in 1..=5 {
        let mut checked = 0;
        for op in BinOp::ALL.into_iter().filter(|op| op.result(Type::bv(w), Type::bv(w)).is_some()) {
            for (a, b) in (0..1u64 << w).flat_map(|a| (0..1u64 << w).map(move |b| (a, b))) {
                let got = binary(op, &bv(w, a.into()), &bv(w, b.into()));
                assert_eq!(to_bits(&got), reference(op, w, a, b).into(), "{op:?} {a} {b} at {w} bits");
                assert_eq!(Some(got.ty()), op.result(Type::bv(w), Type::bv(w)));
            }
            checked += 1;
        }
        assert_eq!(checked, 19);
    }
}

#[test]
fn unary_operators_on_all_small_operands() {
    for a in 0..16u128 {
        let x = bv(4, a);
        assert_eq!(unary(UnOp::BvNot, &x), bv(4, 15 - a));
        assert_eq!(unary(UnOp::BvNeg, &x), bv(4, 16 - a));
        for to in [4, 5, 8, 64, 127, 128] {
            assert_eq!(unary(UnOp::ZExt(to), &x), bv(to, a));
            let copies = if a < 8 { a } else { a.wrapping_sub(16) };
            assert_eq!(unary(UnOp::SExt(to), &x), bv(to, copies));
        }
        for (lo, hi) in (0..4).flat_map(|lo| (lo..4).map(move |hi| (lo, hi))) {
            let expected = (lo..=hi).map(|i| (a >> i & 1) << (i - lo)).sum();
            assert_eq!(unary(UnOp::Extract { hi, lo }, &x), bv(hi - lo + 1, expected));
        }
    }
}

#[test]
fn booleans_and_arrays() {
    for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
        let (x, y) = (Const::Bool(a), Const::Bool(b));
        assert_eq!(binary(BinOp::And, &x, &y), Const::Bool(a && b));
        assert_eq!(binary(BinOp::Or, &x, &y), Const::Bool(a || b));
        assert_eq!(binary(BinOp::Xor, &x, &y), Const::Bool(a != b));
        assert_eq!(binary(BinOp::Eq, &x, &y), Const::Bool(a == b));
        assert_eq!(unary(UnOp::Not, &x), Const::Bool(!a));
    }
    let array = Const::Array(ArrayConst::filled(8, bv(16, 3)));
    let changed = update(&array, &bv(8, 200), &bv(16, 5));
    assert_eq!(binary(BinOp::Select, &changed, &bv(8, 200)), bv(16, 5));
    assert_eq!(binary(BinOp::Select, &changed, &bv(8, 201)), bv(16, 3));
    assert_eq!(update(&changed, &bv(8, 200), &bv(16, 3)), array);
}

/// Machine arithmetic of one width.
fn machine(op: BinOp, w: u32, a: u128, b: u128) -> Option<u128> {
    macro_rules! at {
        ($u:ty, $s:ty) => {{
            let (x, y, sx, sy) = (a as $u, b as $u, a as $s, b as $s);
            Some(match op {
                BinOp::Add => x.wrapping_add(y) as u128,
                BinOp::Sub => x.wrapping_sub(y) as u128,
                BinOp::Mul => x.wrapping_mul(y) as u128,
                BinOp::UDiv => x.checked_div(y)? as u128,
                BinOp::URem => x.checked_rem(y)? as u128,
                BinOp::SDiv => (y != 0).then(|| sx.wrapping_div(sy))? as $u as u128,
                BinOp::SRem => (y != 0).then(|| sx.wrapping_rem(sy))? as $u as u128,
                BinOp::Shl => x.checked_shl(u32::try_from(y).ok()?)? as u128,
                BinOp::LShr => x.checked_shr(u32::try_from(y).ok()?)? as u128,
                BinOp::AShr => sx.checked_shr(u32::try_from(y).ok()?)? as $u as u128,
                BinOp::BvAnd => (x & y) as u128,
                BinOp::BvOr => (x | y) as u128,
                BinOp::BvXor => (x ^ y) as u128,
                BinOp::Eq => (x == y).into(),
                BinOp::Ult => (x < y).into(),
                BinOp::Ule => (x <= y).into(),
                BinOp::Slt => (sx < sy).into(),
                BinOp::Sle => (sx <= sy).into(),
                _ => return None,
            })
        }};
    }
    match w {
        8 => at!(u8, i8),
        16 => at!(u16, i16),
        32 => at!(u32, i32),
        64 => at!(u64, i64),
        _ => at!(u128, i128),
    }
}

#[test]
fn wide_operators_are_those_of_the_machine() {
    let mut random = Random(0x9e3779b97f4a7c15);
    for _ in 0..20_000 {
        for w in [8, 16, 32, 64, 128] {
            let (a, b) = (mask(w, random.wide()), mask(w, random.wide()));
            let shift = mask(w, b % (u128::from(w) + 2));
            for op in BinOp::ALL {
                for b in [b, shift] {
                    if let Some(expected) = machine(op, w, a, b) {
                        assert_eq!(to_bits(&binary(op, &bv(w, a), &bv(w, b))), expected, "{op:?} {a} {b} at {w}");
                    }
                }
            }
            let all = mask(w, u128::MAX);
            let sign = sign_extend(w, a) < 0;
            assert_eq!(binary(BinOp::UDiv, &bv(w, a), &bv(w, 0)), bv(w, all));
            assert_eq!(binary(BinOp::SDiv, &bv(w, a), &bv(w, 0)), bv(w, if sign { 1 } else { all }));
            assert_eq!(binary(BinOp::SRem, &bv(w, a), &bv(w, 0)), bv(w, a));
            for by in [u128::from(w), all] {
                assert_eq!(binary(BinOp::Shl, &bv(w, a), &bv(w, by)), bv(w, 0));
                assert_eq!(binary(BinOp::LShr, &bv(w, a), &bv(w, by)), bv(w, 0));
                assert_eq!(binary(BinOp::AShr, &bv(w, a), &bv(w, by)), bv(w, if sign { all } else { 0 }));
            }
        }
        let (a, b) = (random.wide() as u64, random.wide() as u64);
        let joined = binary(BinOp::Concat, &bv(64, a.into()), &bv(64, b.into()));
        assert_eq!(joined, bv(128, (u128::from(a) << 64) | u128::from(b)));
    }
}

#[test]
fn floats_are_those_of_the_host() {
    let mut random = Random(77);
    for _ in 0..30_000 {
        let (x, y) = (random.f64(), random.f64());
        let (a, b) = (f64c(x), f64c(y));
        let results = [(BinOp::FAdd, x + y), (BinOp::FSub, x - y), (BinOp::FMul, x * y), (BinOp::FDiv, x / y)];
        for (op, expected) in results {
            assert_eq!(to_bits(&binary(op, &a, &b)), f64_bits(expected), "{op:?} {x:e} {y:e}");
        }
        let tests = [(BinOp::FEq, x == y), (BinOp::FLt, x < y), (BinOp::FLe, x <= y)];
        for (op, expected) in tests.into_iter().chain([(BinOp::Eq, f64_bits(x) == f64_bits(y))]) {
            assert_eq!(binary(op, &a, &b), Const::Bool(expected), "{op:?} {x:e} {y:e}");
        }
        assert_eq!(to_bits(&unary(UnOp::FNeg, &a)), f64_bits(-x));
        assert_eq!(unary(UnOp::FIsNan, &a), Const::Bool(x.is_nan()));
        assert_eq!(unary(UnOp::FIsInf, &a), Const::Bool(x.is_infinite()));
        assert_eq!(unary(UnOp::FSign, &a), Const::Bool(x.is_sign_negative() && !x.is_nan()));
        assert_eq!(unary(UnOp::ToBits, &a), bv(64, f64_bits(x)));
        assert_eq!(
            unary(UnOp::FromBits(FloatFormat::F64), &bv(64, x.to_bits().into())),
            from_bits(a.ty().scalar().unwrap(), f64_bits(x))
        );

        let (x, y) = (random.f32(), random.f32());
        let results = [(BinOp::FAdd, x + y), (BinOp::FSub, x - y), (BinOp::FMul, x * y), (BinOp::FDiv, x / y)];
        for (op, expected) in results {
            assert_eq!(to_bits(&binary(op, &f32c(x), &f32c(y))), f32_bits(expected), "{op:?} {x:e} {y:e}");
        }
        assert_eq!(binary(BinOp::FLe, &f32c(x), &f32c(y)), Const::Bool(x <= y));
    }
}

#[test]
fn conversions_are_those_of_the_host() {
    let mut random = Random(4242);
    for _ in 0..30_000 {
        let x = random.f64();
        let a = f64c(x);
        assert_eq!(to_bits(&unary(UnOp::FToF(FloatFormat::F32), &a)), f32_bits(x as f32));
        let extended = unary(UnOp::FToF(FloatFormat::X87), &a);
        assert_eq!(to_bits(&unary(UnOp::FToF(FloatFormat::F64), &extended)), f64_bits(x));
        let narrow = random.f32();
        assert_eq!(to_bits(&unary(UnOp::FToF(FloatFormat::F64), &f32c(narrow))), f64_bits(narrow.into()));

        // `as` saturates, so a value at either end is checked by going back.
        for (w, smallest, largest) in
            [(8, -128.0, 128.0), (32, -2147483648.0, 2147483648.0), (64, -2f64.powi(63), 2f64.powi(63))]
        {
            let t = x.trunc();
            let expected = if t >= smallest && t < largest { mask(w, (t as i128) as u128) } else { 0 };
            for value in [&a, &extended] {
                assert_eq!(unary(UnOp::FToS(w), value), bv(w, expected), "{x:e} to {w} bits");
            }
            let expected = if t >= 0.0 && t < 2.0 * largest { t as u128 } else { 0 };
            assert_eq!(unary(UnOp::FToU(w), &a), bv(w, expected), "{x:e} to {w} bits");
        }
        let n = random.wide();
        assert_eq!(to_bits(&unary(UnOp::UToF(FloatFormat::F64), &bv(128, n))), f64_bits(n as f64));
        assert_eq!(to_bits(&unary(UnOp::SToF(FloatFormat::F64), &bv(128, n))), f64_bits(n as i128 as f64));
        assert_eq!(to_bits(&unary(UnOp::SToF(FloatFormat::F32), &bv(64, n))), f32_bits(n as i64 as f32));
        assert_eq!(to_bits(&unary(UnOp::UToF(FloatFormat::F32), &bv(32, n))), f32_bits(n as u32 as f32));
        // The 64-bit significand holds every 64-bit integer.
        let exact = unary(UnOp::SToF(FloatFormat::X87), &bv(64, n));
        assert_eq!(unary(UnOp::FToS(64), &exact), bv(64, n));
    }
}

#[test]
fn conversions_to_integers_at_the_ends_of_the_range() {
    let two127 = f64c(2f64.powi(127));
    assert_eq!(unary(UnOp::FToU(128), &two127), bv(128, 1 << 127));
    assert_eq!(unary(UnOp::FToS(128), &two127), bv(128, 0));
    assert_eq!(unary(UnOp::FToS(128), &unary(UnOp::FNeg, &two127)), bv(128, 1 << 127));
    assert_eq!(unary(UnOp::FToU(128), &f64c(2f64.powi(128))), bv(128, 0));
    assert_eq!(unary(UnOp::FToS(1), &f64c(-1.0)), bv(1, 1));
    assert_eq!(unary(UnOp::FToS(1), &f64c(1.0)), bv(1, 0));
    assert_eq!(unary(UnOp::FToU(1), &f64c(1.5)), bv(1, 1));
    assert_eq!(unary(UnOp::FToS(8), &f64c(-128.9)), bv(8, 128));
    assert_eq!(unary(UnOp::FToS(8), &f64c(-129.0)), bv(8, 0));
    assert_eq!(unary(UnOp::FToU(8), &f64c(-0.9)), bv(8, 0));
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(unary(UnOp::FToS(64), &f64c(odd)), bv(64, 0));
        assert_eq!(unary(UnOp::FToU(64), &f64c(odd)), bv(64, 0));
    }
}

#[test]
fn there_is_one_nan() {
    let formats = [
        (FloatFormat::F32, F32_NAN, vec![0x7f80_0001, 0xffc1_2345, 0xff80_0001]),
        (FloatFormat::F64, F64_NAN, vec![0x7ff0_0000_0000_0001, 0xfff8_0000_0000_0000]),
        // A signalling NaN, a negative one, a pseudo-infinity, an unnormal number.
        (
            FloatFormat::X87,
            X87_NAN,
            vec![0x7fff_8000_0000_0000_0001, 0xffff_c000_0000_0000_0000, 0x7fff_0000_0000_0000_0000, 0x4000 << 64],
        ),
    ];
    for (format, nan, others) in formats {
        let canonical = Const::Float { format, bits: nan };
        for bits in others {
            let odd = Const::Float { format, bits };
            assert_eq!(to_bits(&odd), nan);
            assert_eq!(unary(UnOp::FIsNan, &odd), Const::TRUE);
            assert_eq!(unary(UnOp::FNeg, &odd), canonical);
            assert_eq!(unary(UnOp::FSign, &odd), Const::FALSE);
            assert_eq!(binary(BinOp::FAdd, &odd, &odd), canonical);
            assert_eq!(binary(BinOp::Eq, &odd, &canonical), Const::TRUE);
            assert_eq!(binary(BinOp::FEq, &odd, &odd), Const::FALSE);
            assert_eq!(unary(UnOp::FromBits(format), &bv(format.storage_bits(), bits)), canonical);
            assert_eq!(unary(UnOp::ToBits, &odd), bv(format.storage_bits(), nan));
        }
        let zero = Const::zero(Type::Scalar(Scalar::Float(format)));
        let minus = unary(UnOp::FNeg, &zero);
        assert_eq!(binary(BinOp::FDiv, &zero, &zero), canonical);
        assert_eq!(binary(BinOp::Eq, &zero, &minus), Const::FALSE);
        assert_eq!(binary(BinOp::FEq, &zero, &minus), Const::TRUE);
        assert_eq!(unary(UnOp::FSign, &minus), Const::TRUE);
    }
}
