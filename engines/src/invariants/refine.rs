//! What a condition says: from the value that is known back through its operators to what it was computed from, and to
//! the variables that still hold such a value.
//!
//! Going back to an operand is always right: whenever a value is used, its operands still are those it was computed
//! from, since their definitions dominate its own. Going over to a variable needs the state's equalities, which a write
//! ends.

use super::domain::{bounded, Abs, Num};
use super::ops;
use super::state::{Bound, State, UNBOUNDED};
use super::tables::Tables;
use std::rc::Rc;
use syncline_ir::{BinOp, Block, InstData, UnOp, Value};

/// Values looked at for one condition.
const MAX_STEPS: usize = 256;
/// Disjunctions within disjunctions.
const MAX_DEPTH: u32 = 4;
/// Cases of a disjunction about different variables.
const FEW_CASES: usize = 3;
/// Steps from a value to a variable it is a constant away from.
const MAX_OFFSETS: usize = 4;

type Work = Vec<(Value, Abs)>;

/// Keeps the states in which the value is one of `abs`; false if there are none.
pub(super) fn constrain(tables: &Tables<'_>, state: &mut State, at: Block, value: Value, abs: Abs) -> bool {
    Refiner { tables, at }.run(state, vec![(value, abs)], 0)
}

/// Keeps the states in which the value is none of these.
pub(super) fn exclude(tables: &Tables<'_>, state: &mut State, at: Block, value: Value, cases: &[u128]) -> bool {
    let mut abs = (*state.value(tables, at, value)).clone();
    let mut sorted = cases.to_vec();
    sorted.sort_unstable();
    // Bounds shrink from one end, so both directions.
    for &case in sorted.iter().chain(sorted.iter().rev()) {
        abs = abs.without(case, tables.scalar(value));
    }
    constrain(tables, state, at, value, abs)
}

/// What the state knows of a comparison beyond the bounds of its operands.
pub(super) fn decide(tables: &Tables<'_>, state: &State, at: Block, op: BinOp, args: [Value; 2]) -> Abs {
    let refiner = Refiner { tables, at };
    let known = refiner.difference(state, args[0], args[1]);
    let nonnegative = |v: Value| refiner.signed(state, v).is_some_and(|s| s.0 >= 0);
    let signed = match op {
        BinOp::Slt | BinOp::Sle | BinOp::Eq => true,
        _ => args.into_iter().all(nonnegative),
    };
    let answer = |yes: bool, no: bool| match (yes, no) {
        (true, _) => Abs::bool(true),
        (_, true) => Abs::bool(false),
        (false, false) => Abs::Top,
    };
    match op {
        _ if !signed => Abs::Top,
        BinOp::Slt | BinOp::Ult => answer(known.hi < 0, known.lo >= 0),
        BinOp::Sle | BinOp::Ule => answer(known.hi <= 0, known.lo > 0),
        BinOp::Eq => answer(known.lo == 0 && known.hi == 0, known.lo > 0 || known.hi < 0),
        _ => Abs::Top,
    }
}

/// Variables the value is a constant away from, as mathematical numbers read as signed.
pub(super) fn offsets(tables: &Tables<'_>, state: &State, at: Block, value: Value) -> Vec<(u32, i128)> {
    Refiner { tables, at }.offsets(state, value)
}

struct Refiner<'t, 'a> {
    tables: &'t Tables<'a>,
    at: Block,
}

impl Refiner<'_, '_> {
    fn run(&self, state: &mut State, mut work: Work, depth: u32) -> bool {
        let mut steps = 0;
        while let Some((value, abs)) = work.pop() {
            steps += 1;
            if steps > MAX_STEPS {
                return true;
            }
            if abs == Abs::Top || self.tables.body.value_type(value).is_array() {
                continue;
            }
            let known = state.value(self.tables, self.at, value);
            let new = known.meet(&abs, self.tables.scalar(value));
            if new == Abs::Bottom {
                return false;
            }
            if new != *known && !self.spread(state, value, &new, &mut work) {
                return false;
            }
            if !self.back(state, value, &new, &mut work, depth) {
                return false;
            }
        }
        true
    }

    /// Gives what is known of a value to everything equal to it.
    fn spread(&self, state: &mut State, value: Value, new: &Abs, work: &mut Work) -> bool {
        let Some(node) = self.tables.node(self.at, value) else { return true };
        let ty = self.tables.scalar(value);
        for &equal in state.equal_nodes(node).iter() {
            let own = state.get(equal).meet(new, ty);
            if own == Abs::Bottom {
                return false;
            }
            if own != *state.get(equal) {
                state.set(equal, &Rc::new(own.clone()));
                let other = self.tables.value_of(self.at, equal).filter(|&v| v != value);
                work.extend(other.map(|v| (v, own)));
            }
        }
        true
    }

    /// What follows for the operands; false if nothing is left.
    fn back(&self, state: &mut State, value: Value, new: &Abs, work: &mut Work, depth: u32) -> bool {
        let Some(def) = self.tables.def(value) else { return true };
        match def {
            InstData::Unary { op, arg } => self.unary(value, *op, *arg, new, work),
            InstData::Binary { op, args } => return self.binary(state, value, (*op, *args), new, work, depth),
            InstData::Ite { cond, then, other } => {
                let side =
                    |v: Value| state.value(self.tables, self.at, v).meet(new, self.tables.scalar(v)) != Abs::Bottom;
                match (side(*then), side(*other)) {
                    (true, true) => {}
                    (true, false) => work.extend([(*cond, Abs::bool(true)), (*then, new.clone())]),
                    (false, true) => work.extend([(*cond, Abs::bool(false)), (*other, new.clone())]),
                    (false, false) => return self.tables.body.value_type(value).is_array(),
                }
            }
            InstData::Const(_)
            | InstData::Update { .. }
            | InstData::Havoc { .. }
            | InstData::Read { .. }
            | InstData::Write { .. }
            | InstData::Load { .. }
            | InstData::Store { .. }
            | InstData::Call { .. }
            | InstData::Assume { .. }
            | InstData::Assert { .. }
            | InstData::Unsupported { .. }
            | InstData::Print { .. } => {}
        }
        true
    }

    fn unary(&self, value: Value, op: UnOp, arg: Value, new: &Abs, work: &mut Work) {
        let (ty, from) = (self.tables.scalar(value), self.tables.scalar(arg));
        let extended = |signed: bool| {
            let (Some(narrow), Some(wide)) = (bounded(from), bounded(ty)) else { return Abs::Top };
            let num = new.bounds(wide);
            match signed {
                true => Num::within_signed(narrow, num.signed.0, num.signed.1),
                false => Num::within_unsigned(narrow, num.unsigned.0, num.unsigned.1),
            }
        };
        match (op, new) {
            (UnOp::Not | UnOp::BvNot | UnOp::BvNeg, _) => work.push((arg, ops::unary(op, ty, new))),
            // Value by value, those that are an extension.
            (UnOp::ZExt(_) | UnOp::SExt(_), Abs::Set(values)) => {
                let Some(width) = bounded(from) else { return };
                let cut: Vec<u128> = values.iter().map(|&v| syncline_ir::consts::mask(width, v)).collect();
                let is_extension = |bits: u128| ops::unary(op, from, &Abs::value(bits));
                let fits = |bits: &u128| is_extension(*bits).single().is_some_and(|v| values.contains(&v));
                work.push((arg, Abs::set(from, cut.into_iter().filter(fits).collect())));
            }
            (UnOp::ZExt(_), _) => work.push((arg, extended(false))),
            (UnOp::SExt(_), _) => work.push((arg, extended(true))),
            (
                UnOp::Extract { .. }
                | UnOp::FNeg
                | UnOp::FIsNan
                | UnOp::FIsInf
                | UnOp::FSign
                | UnOp::FSqrt
                | UnOp::FRound(_)
                | UnOp::FToF(_)
                | UnOp::SToF(_)
                | UnOp::UToF(_)
                | UnOp::FToS(_)
                | UnOp::FToU(_)
                | UnOp::FromBits(_)
                | UnOp::ToBits,
                _,
            ) => {}
        }
    }

    fn binary(
        &self,
        state: &mut State,
        value: Value,
        (op, args): (BinOp, [Value; 2]),
        new: &Abs,
        work: &mut Work,
        depth: u32,
    ) -> bool {
        let [a, b] = args;
        let truth = new.single().map(|bits| bits != 0);
        let of = |v: Value| state.value(self.tables, self.at, v);
        let types = (self.tables.scalar(a), self.tables.scalar(b));
        match op {
            BinOp::And | BinOp::Or => {
                let Some(truth) = truth else { return true };
                if truth == (op == BinOp::And) {
                    work.extend(args.map(|v| (v, Abs::bool(truth))));
                    return true;
                }
                return self.either(state, value, truth, depth);
            }
            BinOp::Eq | BinOp::Xor => {
                let Some(truth) = truth else { return true };
                return self.equality(state, args, truth == (op == BinOp::Eq), work);
            }
            BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle => {
                let Some(truth) = truth else { return true };
                return self.order(state, op, args, truth, work);
            }
            BinOp::Add => {
                work.push((a, ops::binary(BinOp::Sub, types, new, &of(b))));
                work.push((b, ops::binary(BinOp::Sub, types, new, &of(a))));
            }
            BinOp::Sub => {
                work.push((a, ops::binary(BinOp::Add, types, new, &of(b))));
                work.push((b, ops::binary(BinOp::Sub, types, &of(a), new)));
            }
            BinOp::BvXor => {
                work.push((a, ops::binary(BinOp::BvXor, types, new, &of(b))));
                work.push((b, ops::binary(BinOp::BvXor, types, new, &of(a))));
            }
            BinOp::Mul
            | BinOp::UDiv
            | BinOp::SDiv
            | BinOp::URem
            | BinOp::SRem
            | BinOp::BvAnd
            | BinOp::BvOr
            | BinOp::Shl
            | BinOp::LShr
            | BinOp::AShr
            | BinOp::Concat
            | BinOp::FAdd
            | BinOp::FSub
            | BinOp::FMul
            | BinOp::FDiv
            | BinOp::FRem
            | BinOp::FEq
            | BinOp::FLt
            | BinOp::FLe
            | BinOp::Select => {}
        }
        true
    }

    /// One of these holds: the join of the cases. Only a few, or those about one variable, are worth it.
    fn either(&self, state: &mut State, value: Value, truth: bool, depth: u32) -> bool {
        let cases = self.cases(state, value, truth);
        let subject = |case: &(Value, bool)| self.subject(case.0);
        let first = cases.first().and_then(subject);
        let one_subject = first.is_some() && cases.iter().all(|case| subject(case) == first);
        if depth >= MAX_DEPTH || (cases.len() > FEW_CASES && !one_subject) {
            return true;
        }
        let mut found: Option<State> = None;
        for (value, truth) in cases {
            let mut copy = state.clone();
            if self.run(&mut copy, vec![(value, Abs::bool(truth))], depth + 1) {
                found = Some(match found {
                    Some(first) => first.join(&copy, self.tables, self.at),
                    None => copy,
                });
            }
        }
        match found {
            Some(found) => {
                *state = found;
                true
            }
            None => false,
        }
    }

    /// The parts of a disjunction that may hold.
    fn cases(&self, state: &State, value: Value, truth: bool) -> Vec<(Value, bool)> {
        let (mut found, mut stack) = (Vec::new(), vec![(value, truth)]);
        while let Some((value, truth)) = stack.pop() {
            let known = state.value(self.tables, self.at, value);
            // The whole is known to hold: that says nothing of its parts.
            if !known.may_be(u128::from(truth)) {
                continue;
            }
            match self.tables.def(value) {
                Some(InstData::Unary { op: UnOp::Not, arg }) => stack.push((*arg, !truth)),
                Some(InstData::Binary { op: BinOp::And, args }) if !truth => stack.extend(args.map(|a| (a, false))),
                Some(InstData::Binary { op: BinOp::Or, args }) if truth => stack.extend(args.map(|a| (a, true))),
                Some(_) | None => found.push((value, truth)),
            }
            if found.len() + stack.len() > MAX_STEPS {
                return vec![(value, truth), (value, !truth)];
            }
        }
        found
    }

    /// The variable a comparison is about.
    fn subject(&self, value: Value) -> Option<u32> {
        match self.tables.def(value)? {
            InstData::Binary { args: [a, b], .. } => match (self.tables.constant(*a), self.tables.constant(*b)) {
                (None, Some(_)) => self.tables.variable(*a),
                (Some(_), None) => self.tables.variable(*b),
                (None, None) | (Some(_), Some(_)) => None,
            },
            _ => None,
        }
    }

    /// Operands that are equal, or are not.
    fn equality(&self, state: &mut State, [a, b]: [Value; 2], equal: bool, work: &mut Work) -> bool {
        let (x, y) = (state.value(self.tables, self.at, a), state.value(self.tables, self.at, b));
        if equal {
            work.extend([(a, (*y).clone()), (b, (*x).clone())]);
            if let (Some(n), Some(m)) = (self.tables.node(self.at, a), self.tables.node(self.at, b)) {
                state.make_equal(n, m);
            }
            return self.restrict(state, a, b, Bound { lo: 0, hi: 0 });
        }
        let ty = self.tables.scalar(a);
        work.extend(y.single().map(|bits| (a, x.without(bits, ty))));
        work.extend(x.single().map(|bits| (b, y.without(bits, ty))));
        let known = self.difference(state, a, b);
        if known.hi == 0 {
            return self.restrict(state, a, b, Bound { lo: -UNBOUNDED, hi: -1 });
        }
        if known.lo == 0 {
            return self.restrict(state, a, b, Bound { lo: 1, hi: UNBOUNDED });
        }
        true
    }

    fn order(&self, state: &mut State, op: BinOp, [a, b]: [Value; 2], truth: bool, work: &mut Work) -> bool {
        // `low <= high - gap`
        let strict = matches!(op, BinOp::Ult | BinOp::Slt);
        let (low, high, gap) = if truth { (a, b, i128::from(strict)) } else { (b, a, i128::from(!strict)) };
        let signed = matches!(op, BinOp::Slt | BinOp::Sle);
        let Some(width) = bounded(self.tables.scalar(a)) else { return true };
        let bounds = |v: Value| state.value(self.tables, self.at, v).bounds(width);
        let (x, y) = (bounds(low), bounds(high));
        let (below, above) = match signed {
            true => (
                Num::within_signed(width, x.signed.0, y.signed.1 - gap),
                Num::within_signed(width, x.signed.0 + gap, y.signed.1),
            ),
            false => (
                Num::within_unsigned(width, x.unsigned.0, y.unsigned.1 - gap),
                Num::within_unsigned(width, x.unsigned.0 + gap, y.unsigned.1),
            ),
        };
        if below == Abs::Bottom || above == Abs::Bottom {
            return false;
        }
        work.extend([(low, below), (high, above)]);
        // Below a number that is not negative the unsigned order is the signed one.
        if signed || y.unsigned.1 < y.size() / 2 {
            return self.restrict(state, low, high, Bound { lo: -UNBOUNDED, hi: -gap });
        }
        true
    }

    fn signed(&self, state: &State, value: Value) -> Option<(i128, i128)> {
        let width = bounded(self.tables.scalar(value))?;
        Some(state.value(self.tables, self.at, value).bounds(width).signed)
    }

    fn offsets(&self, state: &State, mut value: Value) -> Vec<(u32, i128)> {
        let (tables, mut found, mut offset) = (self.tables, Vec::new(), 0);
        for _ in 0..MAX_OFFSETS {
            let Some(width) = bounded(tables.scalar(value)) else { break };
            if let Some(node) = tables.node(self.at, value) {
                let equal = state.equals(node).map_or(&[][..], |list| list);
                found.extend(equal.iter().filter(|&&n| !tables.pairs_of(n).is_empty()).map(|&n| (n, offset)));
            }
            let (arg, by) = match tables.def(value) {
                Some(InstData::Unary { op: UnOp::SExt(_), arg }) => (*arg, 0),
                Some(InstData::Unary { op: UnOp::ZExt(_), arg })
                    if self.signed(state, *arg).is_some_and(|s| s.0 >= 0) =>
                {
                    (*arg, 0)
                }
                Some(InstData::Binary { op: BinOp::Add, args: [a, b] }) => {
                    match (tables.signed_constant(*a), tables.signed_constant(*b)) {
                        (_, Some(c)) => (*a, c),
                        (Some(c), None) => (*b, c),
                        (None, None) => break,
                    }
                }
                Some(InstData::Binary { op: BinOp::Sub, args: [a, b] }) => match tables.signed_constant(*b) {
                    Some(c) => (*a, -c),
                    None => break,
                },
                Some(_) | None => break,
            };
            let (Some(range), full) = (self.signed(state, arg), Num::full(width).signed) else { break };
            if range.0 + by < full.0 || range.1 + by > full.1 {
                break;
            }
            offset += by;
            value = arg;
        }
        found
    }

    /// Bounds of `a - b` by way of variables.
    fn difference(&self, state: &State, a: Value, b: Value) -> Bound {
        let (left, right) = (self.offsets(state, a), self.offsets(state, b));
        let mut bound = Bound::NONE;
        for &(n, k) in &left {
            for &(m, l) in &right {
                bound = bound.meet(state.difference(self.tables, n, m).shifted(k - l));
            }
        }
        bound
    }

    /// Adds bounds of `a - b` to the variables they are about.
    fn restrict(&self, state: &mut State, a: Value, b: Value, bound: Bound) -> bool {
        let (left, right) = (self.offsets(state, a), self.offsets(state, b));
        for &(n, k) in &left {
            for &(m, l) in &right {
                if n == m {
                    continue;
                }
                if !state.restrict(self.tables, n, m, bound.shifted(l - k)) {
                    return false;
                }
            }
        }
        true
    }
}
