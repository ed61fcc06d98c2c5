//! Terms to Z3's, and Z3's values back.

use super::super::term::{Node, Symbol, Term, TermStore};
use rustc_hash::FxHashMap;
use std::ffi::{CStr, CString};
use syncline_ir::{eval, ArrayConst, BinOp, Const, FloatFormat, Scalar, Type, UnOp};
use z3_sys::*;

/// The memo table and what else translation needs. Every `Z3_ast` here is of `context`, which keeps it alive; that
/// is what makes the calls into Z3 safe.
pub(super) struct Translator {
    pub(super) context: Z3_context,
    /// Floats as bits, see [`super::floats`].
    pub(super) blast_floats: bool,
    memo: Vec<Option<Z3_ast>>,
    sorts: FxHashMap<Type, Z3_sort>,
    symbols: FxHashMap<Symbol, Z3_ast>,
    /// Formulas that define fresh symbols and are to be asserted.
    pub(super) definitions: Vec<Z3_ast>,
    pub(super) fpa2bv: Option<Z3_tactic>,
    pub(super) translated: u64,
    /// Z3 refused to build a term: it is out of memory. Nothing can be concluded any more.
    failed: bool,
    pub(super) placeholder: Z3_ast,
    /// Why a term was not even tried.
    pub(super) refused: Option<&'static str>,
}

impl Translator {
    pub(super) fn new(context: Z3_context, blast_floats: bool) -> Translator {
        // SAFETY: the context is alive.
        let placeholder = unsafe { Z3_mk_true(context) }.expect("Z3 could not be started");
        Translator {
            context,
            blast_floats,
            memo: Vec::new(),
            sorts: FxHashMap::default(),
            symbols: FxHashMap::default(),
            definitions: Vec::new(),
            fpa2bv: None,
            translated: 0,
            failed: false,
            placeholder,
            refused: None,
        }
    }

    /// Why answers would be worthless.
    pub(super) fn error(&self) -> Option<String> {
        if !self.failed {
            return None;
        }
        if let Some(reason) = self.refused {
            return Some(reason.into());
        }
        // SAFETY: the message lives until the next call.
        let message = unsafe {
            let text = Z3_get_error_msg(self.context, Z3_get_error_code(self.context));
            if text.is_null() {
                String::new()
            } else {
                CStr::from_ptr(text).to_string_lossy().into_owned()
            }
        };
        Some(format!("the solver could not build a term: {message}"))
    }

    /// A result of Z3's; a null one leaves the translator failed.
    pub(super) fn ok(&mut self, ast: Option<Z3_ast>) -> Z3_ast {
        ast.unwrap_or_else(|| {
            self.failed = true;
            self.placeholder
        })
    }

    pub(super) fn translate(&mut self, store: &TermStore, root: Term) -> Z3_ast {
        if self.memo.len() < store.len() {
            self.memo.resize(store.len(), None);
        }
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.memo[t.index()].is_some() {
                stack.pop();
                continue;
            }
            let node = store.node(t);
            let before = stack.len();
            stack.extend(node.args().filter(|a| self.memo[a.index()].is_none()));
            if stack.len() > before {
                continue;
            }
            let ast = self.build(store, t, node);
            self.memo[t.index()] = Some(ast);
            self.translated += 1;
            stack.pop();
        }
        self.done(root)
    }

    /// The translation of a term that has one.
    fn done(&self, t: Term) -> Z3_ast {
        self.memo[t.index()].unwrap_or(self.placeholder)
    }

    fn build(&mut self, store: &TermStore, t: Term, node: Node) -> Z3_ast {
        match node {
            Node::Const(id) => self.constant(store.const_value(id)),
            Node::Var(s) => {
                let sort = self.sort(store.ty(t));
                // SAFETY: see the type.
                let ast = unsafe {
                    Z3_mk_int_symbol(self.context, s.index() as i32).and_then(|n| Z3_mk_const(self.context, n, sort))
                };
                let ast = self.ok(ast);
                self.symbols.insert(s, ast);
                ast
            }
            Node::Un(op, a) => self.unary(op, store.ty(a), self.done(a)),
            Node::Bin(op, a, b) => self.binary(op, store.ty(b), self.done(a), self.done(b)),
            Node::Ite(c, a, b) => {
                // SAFETY: see the type.
                let ast = unsafe { Z3_mk_ite(self.context, self.done(c), self.done(a), self.done(b)) };
                self.ok(ast)
            }
            Node::Store(a, i, v) => {
                // SAFETY: see the type.
                let ast = unsafe { Z3_mk_store(self.context, self.done(a), self.done(i), self.done(v)) };
                self.ok(ast)
            }
        }
    }

    fn unary(&mut self, op: UnOp, from: Type, a: Z3_ast) -> Z3_ast {
        let c = self.context;
        let width = from.width().unwrap_or(0);
        // SAFETY: see the type.
        let ast = unsafe {
            match op {
                UnOp::Not => Z3_mk_not(c, a),
                UnOp::BvNot => Z3_mk_bvnot(c, a),
                UnOp::BvNeg => Z3_mk_bvneg(c, a),
                UnOp::ZExt(to) => Z3_mk_zero_ext(c, to - width, a),
                UnOp::SExt(to) => Z3_mk_sign_ext(c, to - width, a),
                UnOp::Extract { hi, lo } => Z3_mk_extract(c, hi, lo, a),
                UnOp::FNeg
                | UnOp::FSqrt
                | UnOp::FRound(_)
                | UnOp::FIsNan
                | UnOp::FIsInf
                | UnOp::FSign
                | UnOp::FToF(_)
                | UnOp::SToF(_)
                | UnOp::UToF(_)
                | UnOp::FToS(_)
                | UnOp::FToU(_)
                | UnOp::FromBits(_)
                | UnOp::ToBits => return self.float_unary(op, from, a),
            }
        };
        self.ok(ast)
    }

    /// `ty` is the second operand's type.
    fn binary(&mut self, op: BinOp, ty: Type, a: Z3_ast, b: Z3_ast) -> Z3_ast {
        let c = self.context;
        let pair = [a, b];
        // SAFETY: see the type.
        let ast = unsafe {
            match op {
                BinOp::And => Z3_mk_and(c, 2, pair.as_ptr()),
                BinOp::Or => Z3_mk_or(c, 2, pair.as_ptr()),
                BinOp::Xor => Z3_mk_xor(c, a, b),
                BinOp::Eq => match ty {
                    Type::Scalar(Scalar::Float(f)) => return self.float_binary(op, f, a, b),
                    _ => Z3_mk_eq(c, a, b),
                },
                BinOp::Add => Z3_mk_bvadd(c, a, b),
                BinOp::Sub => Z3_mk_bvsub(c, a, b),
                BinOp::Mul => Z3_mk_bvmul(c, a, b),
                BinOp::UDiv => Z3_mk_bvudiv(c, a, b),
                BinOp::SDiv => Z3_mk_bvsdiv(c, a, b),
                BinOp::URem => Z3_mk_bvurem(c, a, b),
                BinOp::SRem => Z3_mk_bvsrem(c, a, b),
                BinOp::BvAnd => Z3_mk_bvand(c, a, b),
                BinOp::BvOr => Z3_mk_bvor(c, a, b),
                BinOp::BvXor => Z3_mk_bvxor(c, a, b),
                BinOp::Shl => Z3_mk_bvshl(c, a, b),
                BinOp::LShr => Z3_mk_bvlshr(c, a, b),
                BinOp::AShr => Z3_mk_bvashr(c, a, b),
                BinOp::Concat => Z3_mk_concat(c, a, b),
                BinOp::Ult => Z3_mk_bvult(c, a, b),
                BinOp::Ule => Z3_mk_bvule(c, a, b),
                BinOp::Slt => Z3_mk_bvslt(c, a, b),
                BinOp::Sle => Z3_mk_bvsle(c, a, b),
                BinOp::Select => Z3_mk_select(c, a, b),
                BinOp::FAdd
                | BinOp::FSub
                | BinOp::FMul
                | BinOp::FDiv
                | BinOp::FRem
                | BinOp::FEq
                | BinOp::FLt
                | BinOp::FLe => match ty {
                    Type::Scalar(Scalar::Float(f)) => return self.float_binary(op, f, a, b),
                    _ => None,
                },
            }
        };
        self.ok(ast)
    }

    pub(super) fn implies(&mut self, a: Z3_ast, b: Z3_ast) -> Z3_ast {
        // SAFETY: see the type.
        let ast = unsafe { Z3_mk_implies(self.context, a, b) };
        self.ok(ast)
    }

    pub(super) fn same(&mut self, a: Z3_ast, b: Z3_ast) -> Z3_ast {
        // SAFETY: see the type.
        let ast = unsafe { Z3_mk_eq(self.context, a, b) };
        self.ok(ast)
    }

    pub(super) fn fresh_bool(&mut self) -> Z3_ast {
        let sort = self.sort(Type::BOOL);
        self.fresh(sort)
    }

    pub(super) fn fresh(&mut self, sort: Z3_sort) -> Z3_ast {
        // SAFETY: see the type.
        let ast = unsafe { Z3_mk_fresh_const(self.context, c"t".as_ptr(), sort) };
        self.ok(ast)
    }

    // Sorts and constants

    pub(super) fn sort(&mut self, ty: Type) -> Z3_sort {
        if let Some(&sort) = self.sorts.get(&ty) {
            return sort;
        }
        let c = self.context;
        // SAFETY: see the type.
        let sort = unsafe {
            match ty {
                Type::Scalar(Scalar::Bool) => Z3_mk_bool_sort(c),
                Type::Scalar(Scalar::Bv(w)) => Z3_mk_bv_sort(c, w),
                Type::Scalar(Scalar::Float(f)) if self.blast_floats => Z3_mk_bv_sort(c, super::floats::packed_bits(f)),
                Type::Scalar(Scalar::Float(f)) => Z3_mk_fpa_sort(c, f.exponent_bits(), f.significand_bits()),
                Type::Array { index, elem } => {
                    let (index, elem) = (self.sort(Type::bv(index)), self.sort(elem.into()));
                    Z3_mk_array_sort(c, index, elem)
                }
            }
        };
        // Sorts are made while there is memory; later ones come out of the table.
        let sort = sort.expect("Z3 could not build a sort");
        self.sorts.insert(ty, sort);
        sort
    }

    fn constant(&mut self, value: &Const) -> Z3_ast {
        let c = self.context;
        match value {
            Const::Bool(b) => {
                // SAFETY: see the type.
                let ast = unsafe {
                    if *b {
                        Z3_mk_true(c)
                    } else {
                        Z3_mk_false(c)
                    }
                };
                self.ok(ast)
            }
            Const::Bv { width, bits } => self.numeral(*width, *bits),
            Const::Float { format, bits } => self.float_constant(*format, *bits),
            Const::Array(array) => self.array_constant(array),
        }
    }

    pub(super) fn numeral(&mut self, width: u32, bits: u128) -> Z3_ast {
        let sort = self.sort(Type::bv(width));
        // SAFETY: see the type.
        let ast = unsafe {
            match u64::try_from(bits) {
                Ok(small) => Z3_mk_unsigned_int64(self.context, small, sort),
                Err(_) => CString::new(bits.to_string())
                    .ok()
                    .and_then(|digits| Z3_mk_numeral(self.context, digits.as_ptr(), sort)),
            }
        };
        self.ok(ast)
    }

    fn array_constant(&mut self, array: &ArrayConst) -> Z3_ast {
        let index = self.sort(Type::bv(array.index));
        let default = self.constant(array.default_cell());
        // SAFETY: see the type.
        let base = unsafe { Z3_mk_const_array(self.context, index, default) };
        let mut ast = self.ok(base);
        for (i, value) in array.cells() {
            let (i, value) = (self.numeral(array.index, i), self.constant(value));
            // SAFETY: see the type.
            let next = unsafe { Z3_mk_store(self.context, ast, i, value) };
            ast = self.ok(next);
        }
        ast
    }

    // Values

    /// The value of a symbol in a model; zero where the model leaves it open.
    pub(super) fn symbol_value(&self, model: Z3_model, store: &TermStore, s: Symbol) -> Const {
        let ty = store.symbol_type(s);
        let zero = || Const::zero(ty);
        let Some(&ast) = self.symbols.get(&s) else { return zero() };
        // SAFETY: the model is alive, the symbol a constant of this context.
        let value = unsafe {
            Z3_to_app(self.context, ast)
                .and_then(|app| Z3_get_app_decl(self.context, app))
                .and_then(|decl| Z3_model_get_const_interp(self.context, model, decl))
        };
        value.and_then(|v| self.value(model, v, ty)).unwrap_or_else(zero)
    }

    fn value(&self, model: Z3_model, ast: Z3_ast, ty: Type) -> Option<Const> {
        match ty {
            Type::Scalar(Scalar::Bool) => {
                // SAFETY: see the type.
                Some(Const::Bool(unsafe { Z3_get_bool_value(self.context, ast) } == Z3_L_TRUE))
            }
            Type::Scalar(Scalar::Bv(w)) => Some(Const::bv(w, self.bits(ast)?)),
            Type::Scalar(Scalar::Float(f)) => self.float_value(model, ast, f),
            Type::Array { index, elem } => self.array_value(model, ast, index, elem),
        }
    }

    /// The bits of a numeral.
    pub(super) fn bits(&self, ast: Z3_ast) -> Option<u128> {
        let mut small = 0u64;
        // SAFETY: see the type; the string lives until the next call.
        unsafe {
            if Z3_get_ast_kind(self.context, ast) != AstKind::Numeral {
                return None;
            }
            if Z3_get_numeral_uint64(self.context, ast, &mut small) {
                return Some(small as u128);
            }
            let text = Z3_get_numeral_string(self.context, ast);
            if text.is_null() {
                None
            } else {
                CStr::from_ptr(text).to_str().ok()?.parse().ok()
            }
        }
    }

    pub(super) fn float_const(format: FloatFormat, bits: u128) -> Const {
        eval::from_bits(Scalar::Float(format), bits)
    }

    /// An array value: Z3 writes stores over a constant array.
    fn array_value(&self, model: Z3_model, ast: Z3_ast, index: u32, elem: Scalar) -> Option<Const> {
        let mut cells = Vec::new();
        let mut ast = ast;
        loop {
            // SAFETY: see the type.
            let (kind, args) = unsafe {
                let app = Z3_to_app(self.context, ast)?;
                let kind = Z3_get_decl_kind(self.context, Z3_get_app_decl(self.context, app)?);
                let n = Z3_get_app_num_args(self.context, app);
                (kind, (0..n).filter_map(|i| Z3_get_app_arg(self.context, app, i)).collect::<Vec<_>>())
            };
            match (kind, &args[..]) {
                (DeclKind::Store, &[inner, i, value]) => {
                    cells.push((self.bits(i)?, self.value(model, value, elem.into())?));
                    ast = inner;
                }
                (DeclKind::ConstArray, &[default]) => {
                    let mut array = ArrayConst::filled(index, self.value(model, default, elem.into())?);
                    cells.into_iter().rev().for_each(|(i, v)| array.set(i, v));
                    return Some(Const::Array(array));
                }
                _ => return None,
            }
        }
    }
}
