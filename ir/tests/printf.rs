//! The formats of `print` against those of the C library.

use std::ffi::{c_char, c_int, CString};
use syncline_ir::interp::printf::format;
use syncline_ir::{Const, FloatFormat};

extern "C" {
    fn snprintf(buffer: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
}

macro_rules! libc_format {
    ($format:expr, $($arg:expr),*) => {{
        let format = CString::new($format).unwrap();
        let mut buffer = vec![0u8; 2048];
        // SAFETY: the buffer has the size given, and the arguments are those the format asks for.
        let len = unsafe { snprintf(buffer.as_mut_ptr().cast(), buffer.len(), format.as_ptr(), $($arg),*) };
        String::from_utf8(buffer[..len as usize].to_vec()).unwrap()
    }};
}

fn double(x: f64) -> Const {
    Const::Float { format: FloatFormat::F64, bits: x.to_bits().into() }
}

fn flags() -> impl Iterator<Item = String> {
    (0..32).map(|set| "-+ #0".chars().enumerate().filter(|(n, _)| set >> n & 1 == 1).map(|(_, c)| c).collect())
}

#[test]
fn integers() {
    let numbers =
        [0u64, 1, 9, 255, 127, 128, 65535, 0x7fff_ffff, 0x8000_0000, u64::MAX, 1 << 63, 0x1234_5678_9abc_def0];
    for flags in flags() {
        for size in ["", "1", "8", "20", ".0", ".3", "12.7", "5."] {
            for conversion in ["d", "i", "u", "x", "X", "o"] {
                for &n in &numbers {
                    for length in ["", "h", "hh"] {
                        let f = format!("<%{flags}{size}{length}{conversion}>");
                        assert_eq!(format(&f, &[Const::bv(32, n.into())]), libc_format!(&*f, n as u32), "{f} {n}");
                    }
                    for length in ["l", "ll", "z", "j", "t"] {
                        let f = format!("<%{flags}{size}{length}{conversion}>");
                        assert_eq!(format(&f, &[Const::bv(64, n.into())]), libc_format!(&*f, n), "{f} {n}");
                    }
                }
            }
        }
    }
    // ILP32: a long is as wide as the argument.
    assert_eq!(format("%ld %lu", &[Const::bv(32, u32::MAX.into()), Const::bv(32, u32::MAX.into())]), "-1 4294967295");
    assert_eq!(format("%lld %d", &[Const::bv(32, u32::MAX.into()), Const::bv(64, 1 << 32)]), "-1 0");
    assert_eq!(format("%d %u", &[Const::TRUE, Const::bv(8, 255)]), "1 255");
}

#[test]
fn floats() {
    let mut seed = 88172645463325252u64;
    let mut numbers = vec![
        0.0,
        -0.0,
        0.5,
        1.5,
        2.5,
        -2.5,
        0.125,
        0.375,
        1.0,
        10.0,
        99999.95,
        999999.5,
        1e5,
        1e6,
        123456789.0,
        1e-4,
        1e-5,
        0.1,
        1e100,
        1e308,
        5e-324,
        f64::MAX,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        3.0e-7,
        100.0,
        1234.5678,
    ];
    for _ in 0..100 {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        numbers.push(f64::from_bits(seed));
        numbers.push(seed as i64 as f64 / 1e13);
    }
    for flags in flags() {
        for size in ["", "12", "30", ".0", ".1", ".3", "20.10", ".17"] {
            for conversion in ["f", "F", "e", "E", "g", "G", "lf"] {
                let f = format!("<%{flags}{size}{conversion}>");
                for &x in &numbers {
                    let x = if x.is_nan() { f64::NAN } else { x };
                    // glibc drops the zeros `#` asks for when rounding carries into the next exponent.
                    if flags.contains('#') && conversion.eq_ignore_ascii_case("g") && x == 999999.5 {
                        continue;
                    }
                    assert_eq!(format(&f, &[double(x)]), libc_format!(&*f, x), "{f} {x:e}");
                }
            }
        }
    }
    let single = Const::Float { format: FloatFormat::F32, bits: 0.25f32.to_bits().into() };
    assert_eq!(format("%g", &[single]), "0.25");
}

#[test]
fn the_rest() {
    let n = |bits| Const::bv(32, bits);
    assert_eq!(format("100%% of %c%c%5c|%-3c|", &[n(104), n(105), n(33), n(63)]), "100% of hi    !|?  |");
    assert_eq!(format("%*d|%-*d|%.*f", &[n(5), n(42), n(4), n(7), n(2), double(1.0)]), "   42|7   |1.00");
    assert_eq!(format("%*d|", &[n(u32::MAX as u128 - 3), n(42)]), "42  |");
    assert_eq!(format("%p %p", &[Const::bv(64, 0xbeef), Const::bv(64, 0)]), "0xbeef (nil)");
    // What cannot be converted stays.
    assert_eq!(format("%d %d", &[n(1)]), "1 %d");
    assert_eq!(format("%s %k %é %", &[n(1)]), "%s %k %é %");
    assert_eq!(format("%-5.", &[]), "%-5.");
    assert_eq!(format("äö %d ü", &[n(3)]), "äö 3 ü");
    assert_eq!(format("%d", &[double(1.0)]), "%d");
}
