//! Floats for Z3.
//!
//! With `blast_floats` a float term is a bit-vector, its IEEE encoding ("packed"), NaN in any of its encodings. An
//! operation is translated in Z3's theory of floats over operands read back from their bits, then `fpa2bv` turns the
//! one equation that defines the result's bits into bit-vectors. So every operation is blasted once, whatever is
//! asserted later, and the SAT solver stays incremental.
//!
//! Without it, float terms are Z3 floats.
//!
//! The x87 format is stored in 80 bits with the integer bit, packed in 79 without. Encodings that the processor calls
//! unsupported are NaN, pseudo-denormals are the numbers they stand for, as in `ir::eval`.

use super::super::term::nan_bits;
use super::translate::Translator;
use syncline_ir::{BinOp, Const, FloatFormat, Rounding, Scalar, Type, UnOp};
use z3_sys::*;

/// Bits of the IEEE encoding: without x87's integer bit.
pub(super) fn packed_bits(format: FloatFormat) -> u32 {
    format.exponent_bits() + format.significand_bits()
}

/// A canonical encoding as stored, packed.
fn pack(format: FloatFormat, stored: u128) -> u128 {
    match format {
        FloatFormat::F32 | FloatFormat::F64 => stored,
        FloatFormat::X87 => (stored >> 64 << 63) | (stored & ((1 << 63) - 1)),
    }
}

/// A packed encoding, stored.
fn unpack(format: FloatFormat, packed: u128) -> u128 {
    match format {
        FloatFormat::F32 | FloatFormat::F64 => packed,
        FloatFormat::X87 => {
            let head = packed >> 63;
            let integer = u128::from(head & 0x7fff != 0);
            head << 64 | integer << 63 | (packed & ((1 << 63) - 1))
        }
    }
}

/// The packed encoding of 2^k, or of 2^k + 1, which must be exact; infinity past the range.
fn power_bits(format: FloatFormat, k: u32, plus_one: bool) -> u128 {
    let fraction = format.significand_bits() - 1;
    let bias = (1u128 << (format.exponent_bits() - 1)) - 1;
    if k as u128 > bias {
        return ((1u128 << format.exponent_bits()) - 1) << fraction;
    }
    let one = match (plus_one, k) {
        (false, _) => 0,
        // 1 + 1 is the next power.
        (true, 0) => return power_bits(format, 1, false),
        (true, _) => 1u128 << (fraction - k),
    };
    (bias + k as u128) << fraction | one
}

impl Translator {
    /// The operand as one of Z3's floats.
    fn as_float(&mut self, format: FloatFormat, a: Z3_ast) -> Z3_ast {
        if self.blast_floats {
            self.read_packed(format, a)
        } else {
            a
        }
    }

    fn read_packed(&mut self, format: FloatFormat, bits: Z3_ast) -> Z3_ast {
        // SAFETY: `bits` is of this context, here and below.
        let ast = unsafe {
            let sort = Z3_mk_fpa_sort(self.context, format.exponent_bits(), format.significand_bits());
            sort.and_then(|sort| Z3_mk_fpa_to_fp_bv(self.context, bits, sort))
        };
        self.ok(ast)
    }

    /// The result of an operation, given in Z3's theory of floats: as it is, or the name of its bits.
    fn result(&mut self, ty: Type, ast: Option<Z3_ast>) -> Z3_ast {
        let ast = self.ok(ast);
        if !self.blast_floats {
            return ast;
        }
        let sort = self.sort(ty);
        let name = self.fresh(sort);
        let left = match ty {
            Type::Scalar(Scalar::Float(f)) => self.read_packed(f, name),
            _ => name,
        };
        let definition = self.same(left, ast);
        if self.blast(definition).is_none() {
            self.ok(None);
        }
        name
    }

    /// Turns a formula with floats into definitions without.
    fn blast(&mut self, formula: Z3_ast) -> Option<()> {
        let c = self.context;
        // SAFETY: goals and results are kept alive by their reference counts while in use.
        unsafe {
            let tactic = match self.fpa2bv {
                Some(tactic) => tactic,
                None => {
                    let tactic = Z3_mk_tactic(c, c"fpa2bv".as_ptr())?;
                    Z3_tactic_inc_ref(c, tactic);
                    *self.fpa2bv.insert(tactic)
                }
            };
            let goal = Z3_mk_goal(c, true, false, false)?;
            Z3_goal_inc_ref(c, goal);
            Z3_goal_assert(c, goal, formula);
            let applied = Z3_tactic_apply(c, tactic, goal)?;
            Z3_apply_result_inc_ref(c, applied);
            for i in 0..Z3_apply_result_get_num_subgoals(c, applied) {
                let sub = Z3_apply_result_get_subgoal(c, applied, i)?;
                Z3_goal_inc_ref(c, sub);
                for j in 0..Z3_goal_size(c, sub) {
                    self.definitions.push(Z3_goal_formula(c, sub, j)?);
                }
                Z3_goal_dec_ref(c, sub);
            }
            Z3_apply_result_dec_ref(c, applied);
            Z3_goal_dec_ref(c, goal);
        }
        Some(())
    }

    pub(super) fn float_constant(&mut self, format: FloatFormat, stored: u128) -> Z3_ast {
        let bits = self.numeral(packed_bits(format), pack(format, stored));
        if self.blast_floats {
            bits
        } else {
            self.read_packed(format, bits)
        }
    }

    pub(super) fn float_unary(&mut self, op: UnOp, from: Type, a: Z3_ast) -> Z3_ast {
        let c = self.context;
        let result = op.result(from).unwrap_or(from);
        let x = match from {
            Type::Scalar(Scalar::Float(f)) => self.as_float(f, a),
            _ => a,
        };
        // SAFETY: all operands are of this context.
        let ast = unsafe {
            match (op, from) {
                (UnOp::FNeg, _) => Z3_mk_fpa_neg(c, x),
                (UnOp::FIsNan, _) => Z3_mk_fpa_is_nan(c, x),
                (UnOp::FIsInf, _) => Z3_mk_fpa_is_infinite(c, x),
                (UnOp::FSign, _) => Z3_mk_fpa_is_negative(c, x),
                (UnOp::FSqrt, _) => self.nearest().and_then(|rm| Z3_mk_fpa_sqrt(c, rm, x)),
                (UnOp::FRound(mode), _) => self.mode(mode).and_then(|rm| Z3_mk_fpa_round_to_integral(c, rm, x)),
                (UnOp::FToF(f), _) => self.nearest().and_then(|rm| Z3_mk_fpa_to_fp_float(c, rm, x, fp_sort(c, f)?)),
                (UnOp::SToF(f), _) => self.nearest().and_then(|rm| Z3_mk_fpa_to_fp_signed(c, rm, x, fp_sort(c, f)?)),
                (UnOp::UToF(f), _) => self.nearest().and_then(|rm| Z3_mk_fpa_to_fp_unsigned(c, rm, x, fp_sort(c, f)?)),
                (UnOp::FToS(w), Type::Scalar(Scalar::Float(f))) => self.truncated(f, w, true, x),
                (UnOp::FToU(w), Type::Scalar(Scalar::Float(f))) => self.truncated(f, w, false, x),
                (UnOp::FromBits(f), _) => return self.read_stored(f, a),
                (UnOp::ToBits, Type::Scalar(Scalar::Float(f))) => return self.stored(f, a),
                _ => None,
            }
        };
        self.result(result, ast)
    }

    pub(super) fn float_binary(&mut self, op: BinOp, format: FloatFormat, a: Z3_ast, b: Z3_ast) -> Z3_ast {
        let c = self.context;
        let (x, y) = (self.as_float(format, a), self.as_float(format, b));
        let rm = self.nearest();
        // SAFETY: all operands are of this context.
        let ast = unsafe {
            match op {
                BinOp::FAdd => rm.and_then(|rm| Z3_mk_fpa_add(c, rm, x, y)),
                // x + (-y) is the same, and `fpa2bv` 5.4 builds an ill-sorted term for `fp.sub`.
                BinOp::FSub => rm.and_then(|rm| Z3_mk_fpa_add(c, rm, x, Z3_mk_fpa_neg(c, y)?)),
                BinOp::FMul => rm.and_then(|rm| Z3_mk_fpa_mul(c, rm, x, y)),
                BinOp::FDiv => rm.and_then(|rm| Z3_mk_fpa_div(c, rm, x, y)),
                // Z3 divides numbers as long as the exponents' range: gigabytes for double, more for x87.
                BinOp::FRem if format == FloatFormat::F32 => Z3_mk_fpa_rem(c, x, y),
                BinOp::FRem => {
                    self.refused = Some("the solver does not take remainders of doubles and long doubles");
                    None
                }
                BinOp::FEq => Z3_mk_fpa_eq(c, x, y),
                BinOp::FLt => Z3_mk_fpa_lt(c, x, y),
                BinOp::FLe => Z3_mk_fpa_leq(c, x, y),
                // Identity of values is the theory's equality.
                BinOp::Eq => Z3_mk_eq(c, x, y),
                _ => None,
            }
        };
        let float = Type::float(format);
        let ty = op.result(float, float).unwrap_or(Type::BOOL);
        self.result(ty, ast)
    }

    fn nearest(&self) -> Option<Z3_ast> {
        self.mode(Rounding::Even)
    }

    fn mode(&self, mode: Rounding) -> Option<Z3_ast> {
        // SAFETY: the context is alive.
        unsafe {
            match mode {
                Rounding::Even => Z3_mk_fpa_round_nearest_ties_to_even(self.context),
                Rounding::Away => Z3_mk_fpa_round_nearest_ties_to_away(self.context),
                Rounding::Zero => Z3_mk_fpa_round_toward_zero(self.context),
                Rounding::Up => Z3_mk_fpa_round_toward_positive(self.context),
                Rounding::Down => Z3_mk_fpa_round_toward_negative(self.context),
            }
        }
    }

    /// Truncation, 0 out of range (SMT-LIB leaves that open).
    fn truncated(&mut self, format: FloatFormat, width: u32, signed: bool, x: Z3_ast) -> Option<Z3_ast> {
        let c = self.context;
        let magnitude = if signed { width - 1 } else { width };
        let zero = self.numeral(width, 0);
        // Above -1 for unsigned. For signed above -2^k - 1 if the format tells that from -2^k, else from -2^k on.
        let exact = signed && format.significand_bits() > width;
        let sign = 1u128 << (packed_bits(format) - 1);
        let upper = self.packed_constant(format, power_bits(format, magnitude, false));
        let lower = match signed {
            true => power_bits(format, magnitude, exact),
            false => power_bits(format, 0, false),
        };
        let lower = self.packed_constant(format, sign | lower);
        // SAFETY: all operands are of this context.
        unsafe {
            let below = Z3_mk_fpa_lt(c, x, upper)?;
            let above = if signed && !exact { Z3_mk_fpa_leq(c, lower, x)? } else { Z3_mk_fpa_lt(c, lower, x)? };
            let fits = Z3_mk_and(c, 2, [below, above].as_ptr())?;
            let rm = Z3_mk_fpa_round_toward_zero(c)?;
            let value = if signed { Z3_mk_fpa_to_sbv(c, rm, x, width)? } else { Z3_mk_fpa_to_ubv(c, rm, x, width)? };
            Z3_mk_ite(c, fits, value, zero)
        }
    }

    fn packed_constant(&mut self, format: FloatFormat, packed: u128) -> Z3_ast {
        let bits = self.numeral(packed_bits(format), packed);
        self.read_packed(format, bits)
    }

    /// A stored encoding, read.
    fn read_stored(&mut self, format: FloatFormat, bits: Z3_ast) -> Z3_ast {
        let packed = match format {
            FloatFormat::F32 | FloatFormat::F64 => bits,
            FloatFormat::X87 => {
                let packed = self.pack_x87(bits);
                self.ok(packed)
            }
        };
        if self.blast_floats {
            packed
        } else {
            self.read_packed(format, packed)
        }
    }

    fn pack_x87(&mut self, stored: Z3_ast) -> Option<Z3_ast> {
        let c = self.context;
        let (zero, one, top) = (self.numeral(15, 0), self.numeral(15, 1), self.numeral(15, 0x7fff));
        let (set, no_fraction) = (self.numeral(1, 1), self.numeral(63, 0));
        let nan = self.numeral(79, pack(FloatFormat::X87, nan_bits(FloatFormat::X87)));
        // SAFETY: all operands are of this context.
        unsafe {
            let sign = Z3_mk_extract(c, 79, 79, stored)?;
            let exponent = Z3_mk_extract(c, 78, 64, stored)?;
            let integer = Z3_mk_eq(c, Z3_mk_extract(c, 63, 63, stored)?, set)?;
            let fraction = Z3_mk_extract(c, 62, 0, stored)?;
            let is_zero = Z3_mk_eq(c, exponent, zero)?;
            let is_top = Z3_mk_eq(c, exponent, top)?;
            let is_whole = Z3_mk_eq(c, fraction, no_fraction)?;
            // Infinity wants the integer bit and no fraction; numbers other than denormals want the integer bit.
            let infinity = Z3_mk_and(c, 2, [integer, is_whole].as_ptr())?;
            let number = Z3_mk_or(c, 2, [is_zero, integer].as_ptr())?;
            let valid = Z3_mk_ite(c, is_top, infinity, number)?;
            let pseudo = Z3_mk_and(c, 2, [is_zero, integer].as_ptr())?;
            let exponent = Z3_mk_ite(c, pseudo, one, exponent)?;
            let packed = Z3_mk_concat(c, sign, Z3_mk_concat(c, exponent, fraction)?)?;
            Z3_mk_ite(c, valid, packed, nan)
        }
    }

    /// The stored encoding of a float, the canonical one of NaN.
    fn stored(&mut self, format: FloatFormat, a: Z3_ast) -> Z3_ast {
        let c = self.context;
        let x = self.as_float(format, a);
        // SAFETY: all operands are of this context.
        let is_nan = unsafe { Z3_mk_fpa_is_nan(c, x) };
        let is_nan = self.result(Type::BOOL, is_nan);
        let nan = self.numeral(format.storage_bits(), nan_bits(format));
        // SAFETY: as above.
        let packed = if self.blast_floats { Some(a) } else { unsafe { Z3_mk_fpa_to_ieee_bv(c, a) } };
        let packed = self.ok(packed);
        let stored = match format {
            FloatFormat::F32 | FloatFormat::F64 => packed,
            FloatFormat::X87 => {
                let stored = self.unpack_x87(packed);
                self.ok(stored)
            }
        };
        // SAFETY: as above.
        let ast = unsafe { Z3_mk_ite(c, is_nan, nan, stored) };
        self.ok(ast)
    }

    fn unpack_x87(&mut self, packed: Z3_ast) -> Option<Z3_ast> {
        let c = self.context;
        let (zero, clear, set) = (self.numeral(15, 0), self.numeral(1, 0), self.numeral(1, 1));
        // SAFETY: all operands are of this context.
        unsafe {
            let head = Z3_mk_extract(c, 78, 63, packed)?;
            let denormal = Z3_mk_eq(c, Z3_mk_extract(c, 77, 63, packed)?, zero)?;
            let integer = Z3_mk_ite(c, denormal, clear, set)?;
            let fraction = Z3_mk_extract(c, 62, 0, packed)?;
            Z3_mk_concat(c, head, Z3_mk_concat(c, integer, fraction)?)
        }
    }

    /// A float value of a model.
    pub(super) fn float_value(&self, model: Z3_model, ast: Z3_ast, format: FloatFormat) -> Option<Const> {
        let packed = if self.blast_floats {
            self.bits(ast)?
        } else {
            let mut bits = None;
            // SAFETY: the model is alive, all operands are of this context.
            unsafe {
                let encoding = Z3_mk_fpa_to_ieee_bv(self.context, ast)?;
                if !Z3_model_eval(self.context, model, encoding, true, (&mut bits as *mut Option<Z3_ast>).cast()) {
                    return None;
                }
            }
            self.bits(bits?)?
        };
        Some(Translator::float_const(format, unpack(format, packed)))
    }
}

fn fp_sort(context: Z3_context, format: FloatFormat) -> Option<Z3_sort> {
    // SAFETY: the context is alive.
    unsafe { Z3_mk_fpa_sort(context, format.exponent_bits(), format.significand_bits()) }
}
