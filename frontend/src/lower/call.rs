//! Calls: of functions with a body, directly and through pointers, of functions known by name, of functions that are
//! only declared.
//!
//! A call through a pointer is a choice among the functions the pointer can stand for. A null pointer ends the run;
//! a pointer to anything else is an obligation.

use super::build::FnLower;
use super::function::ResultKind;
use super::intrinsics::{self, Intrinsic};
use super::system;
use crate::hir::{Callee, Expr, Func, Loc, Obj};
use crate::leaves;
use crate::points::{self, Item};
use crate::types::{Type as CType, TypeId};
use syncline_ir::{BinOp, BlockCall, InstData, PropKind, Scalar, Terminator, Type, UnOp, Value};

/// An evaluated argument: a scalar, or the leaves of a record.
struct Argument {
    ty: TypeId,
    values: Vec<Value>,
    loc: Loc,
}

impl FnLower<'_, '_> {
    /// The value of a call, if it has one that is a scalar.
    pub fn call(&mut self, callee: &Callee, args: &[Expr], whole: &Expr) -> Option<Value> {
        self.call_values(callee, args, whole, true).first().copied()
    }

    pub fn call_for_effect(&mut self, callee: &Callee, args: &[Expr], whole: &Expr) {
        self.call_values(callee, args, whole, false);
    }

    /// The scalars a call returns: one, the leaves of a record, or none.
    pub fn call_values(&mut self, callee: &Callee, args: &[Expr], whole: &Expr, wanted: bool) -> Vec<Value> {
        let operands: Vec<&Expr> = args.iter().collect();
        self.note_order(&operands, whole.loc);
        let func = match callee {
            Callee::Direct(func) => *func,
            Callee::Indirect(pointer) => return self.call_pointer(pointer, args, whole),
        };
        if self.cx.procs.contains_key(&func) {
            if let Some((ty, times)) = points::typed_bytes(self.cx.unit, func, args) {
                return vec![self.typed_bytes(ty, times, func, args, whole)];
            }
            let args = self.arguments(args);
            self.set_loc(whole.loc);
            return self.call_defined(func, &args, whole);
        }
        if let Some((word, _)) = system::call_of(self.cx.unit, whole) {
            self.misplaced(word, whole.loc);
            return vec![self.unmodelled("a word of synchronous C", whole.ty)];
        }
        let function = &self.cx.unit.functions[func];
        let result = match intrinsics::by_name(&function.name, &self.cx.options.error_functions) {
            Some(intrinsic) => self.intrinsic(intrinsic, func, args, whole, wanted),
            None => {
                args.iter().for_each(|e| self.effect(e));
                return self.call_declared(func, whole, wanted);
            }
        };
        result.into_iter().collect()
    }

    fn arguments(&mut self, args: &[Expr]) -> Vec<Argument> {
        let evaluate = |arg: &Expr| {
            let values = match self.cx.is_record(arg.ty) {
                true => self.record(arg),
                false if self.cx.scalar(arg.ty).is_some() => vec![self.expr(arg)],
                false => {
                    self.effect(arg);
                    Vec::new()
                }
            };
            Argument { ty: arg.ty, values, loc: arg.loc }
        };
        args.iter().map(evaluate).collect()
    }

    fn call_defined(&mut self, func: Func, args: &[Argument], whole: &Expr) -> Vec<Value> {
        let unit = self.cx.unit;
        let mut values = Vec::new();
        let rest = unit.functions[func].rest;
        let (args, further) = match rest {
            Some(_) => args.split_at((unit.functions[func].params.len() - 1).min(args.len())),
            // Arguments beyond the parameters are only evaluated.
            None => (args, &[][..]),
        };
        for (n, &param) in unit.functions[func].params.iter().enumerate() {
            let object = &unit.objects[param];
            let types = self.cx.passed_types(object.ty.ty).unwrap_or_default();
            match args.get(n) {
                None if rest == Some(param) => values.push(self.further_arguments(param, further, whole.loc)),
                Some(arg) => self.pass(arg, object.ty.ty, &types, &mut values),
                None => {
                    let name = format!("missing argument {}", object.name);
                    values.extend(types.into_iter().map(|ty| self.havoc(&name, ty)));
                }
            }
        }
        self.set_loc(whole.loc);
        let callee = self.cx.procs[&func];
        let results = self.cx.result_types(func);
        let inst = self.proc.append(self.block, InstData::Call { callee, args: values }, &results, self.at);
        let results = self.proc.insts[inst].results.to_vec();
        match self.cx.result_kind(func) {
            ResultKind::Void => Vec::new(),
            ResultKind::Value { ty, .. } => vec![self.convert(results[0], ty, whole.ty)],
            ResultKind::Record(_) => results,
            ResultKind::Unmodelled => {
                vec![self.unmodelled("a call that returns something other than a scalar", whole.ty)]
            }
        }
    }

    /// The address of an object that holds the arguments beyond the parameters.
    fn further_arguments(&mut self, rest: Obj, args: &[Argument], loc: Loc) -> Value {
        let bits = self.cx.pointer_bits();
        self.set_loc(loc);
        let target = self.cx.points.parameter_target(rest).filter(|_| !args.is_empty());
        let Some(target) = target else { return self.bv(bits, 0) };
        let slots: Vec<u64> = args.iter().map(|a| leaves::slot_bytes(&self.cx.unit.types, a.ty).unwrap_or(8)).collect();
        let size = self.bv(bits, i128::from(slots.iter().sum::<u64>()));
        let address = self.make_object(target.node, size);
        let mut bit = 0;
        for (arg, bytes) in args.iter().zip(slots) {
            match (self.cx.scalar(arg.ty), &arg.values[..], self.cx.leaves_of(arg.ty)) {
                (Some(scalar), &[value], _) => self.put(target.node, address, bit, scalar, value, arg.loc),
                (None, values, Some(leaves)) if values.len() == leaves.len() => {
                    for (leaf, &value) in leaves.iter().zip(values) {
                        self.put(target.node, address, bit + leaf.bit, leaf.scalar, value, arg.loc);
                    }
                }
                _ => self.unsupported(format!("an argument of type {}", self.cx.type_words(arg.ty))),
            }
            bit += bytes * 8;
        }
        address
    }

    /// An argument as the callee's parameter takes it. Without a prototype the caller only promotes; the callee
    /// then cuts the value to the parameter's type.
    fn pass(&mut self, arg: &Argument, param: TypeId, types: &[Type], values: &mut Vec<Value>) {
        self.set_loc(arg.loc);
        let alike = arg.values.len() == types.len() && arg.values.iter().zip(types).all(|(v, t)| self.ty(*v) == *t);
        match (&arg.values[..], self.cx.scalar(param)) {
            (&[value], Some(_)) if self.cx.scalar(arg.ty).is_some() => {
                if self.cx.is_float(arg.ty) != self.cx.is_float(param) {
                    // Passed in another kind of register: the callee finds anything there.
                    values.push(self.havoc_c("argument of another type", param));
                } else {
                    values.push(self.convert(value, arg.ty, param));
                }
            }
            (all, None) if alike && !types.is_empty() => values.extend(all),
            _ => {
                self.unsupported(format!("an argument of type {}", self.cx.type_words(arg.ty)));
                values.extend(types.iter().map(|&ty| self.havoc("a value that is not modelled", ty)));
            }
        }
    }

    /// A call through a pointer: one function after the other is tried.
    fn call_pointer(&mut self, pointer: &Expr, args: &[Expr], whole: &Expr) -> Vec<Value> {
        let address = self.expr(pointer);
        let args = self.arguments(args);
        self.set_loc(whole.loc);
        let bits = self.cx.pointer_bits();
        let types = match self.cx.is_void(whole.ty) {
            true => Vec::new(),
            false => self.cx.passed_types(whole.ty).unwrap_or_else(|| vec![Type::bv(8)]),
        };
        let join = self.new_block();
        let results: Vec<Value> = types.iter().map(|&ty| self.proc.add_param(join, ty)).collect();
        let mut found = false;
        for func in self.cx.points.callees(pointer) {
            if !self.can_call(func, &args, &types) {
                continue;
            }
            found = true;
            let own = self.cx.function_address(func);
            let own = self.bv(bits, i128::from(own));
            let hit = self.bin(BinOp::Eq, address, own);
            let (call, rest) = (self.new_block(), self.new_block());
            self.branch_on(hit, call, rest);
            self.switch_to(call);
            let values = match self.cx.procs.contains_key(&func) {
                true => self.call_defined(func, &args, whole),
                false => self.call_declared(func, whole, true),
            };
            self.proc.set_term(self.block, Terminator::Jump(BlockCall::new(join, values)), self.at);
            self.switch_to(rest);
        }
        let valid = self.truth(address);
        self.check(PropKind::Pointer, valid, "the function pointer is not null", whole.loc);
        self.assume(valid);
        match found {
            true => {
                let text = "a call through a pointer that is none of the functions it can be ends the run";
                self.cx.assume_line(text.into(), whole.loc);
            }
            false => self.unsupported("a call through a pointer to no function that fits"),
        }
        self.proc.set_term(self.block, Terminator::Stop, self.at);
        self.switch_to(join);
        results
    }

    /// Whether a function can be called with such arguments, and returns what is expected.
    fn can_call(&self, func: Func, args: &[Argument], results: &[Type]) -> bool {
        let function = &self.cx.unit.functions[func];
        let CType::Function(signature) = self.cx.ctype(function.ty) else { return false };
        let known = intrinsics::by_name(&function.name, &self.cx.options.error_functions).is_some();
        let has_body = self.cx.procs.contains_key(&func);
        if !has_body && known {
            return false;
        }
        let own = match has_body {
            true => self.cx.result_types(func),
            false if self.cx.is_void(signature.result) => Vec::new(),
            false => self.cx.passed_types(signature.result).unwrap_or_default(),
        };
        own == results && (!signature.prototyped || signature.variadic || signature.params.len() == args.len())
    }

    /// `memcpy`, `memmove` and `memset` of whole objects of one type, leaf by leaf.
    fn typed_bytes(&mut self, ty: TypeId, times: u64, func: Func, args: &[Expr], whole: &Expr) -> Value {
        let to = self.expr(&args[0]);
        let other = self.expr(&args[1]);
        self.effect(&args[2]);
        self.set_loc(whole.loc);
        let Some(leaves) = self.cx.leaves_of(ty) else {
            return self.unmodelled("a copy of a large object", whole.ty);
        };
        let bytes = crate::layout::size_of(&self.cx.unit.types, ty).unwrap_or(1);
        let mut loaded = Vec::new();
        let fills = self.cx.unit.functions[func].name == "memset";
        for n in 0..times {
            if fills {
                let byte = self.cut(other, 8);
                loaded.push(leaves.iter().map(|l| self.filled(byte, l.bit, l.scalar)).collect());
                continue;
            }
            let mut path = self.pointer_path(&args[1], other);
            path.off += n * bytes;
            path.cell += n * bytes;
            loaded.push(self.load_leaves(&path, &leaves, whole.loc));
        }
        for (n, values) in (0..times).zip(loaded) {
            let mut path = self.pointer_path(&args[0], to);
            path.off += n * bytes;
            path.cell += n * bytes;
            self.store_leaves(&path, &leaves, &values, whole.loc);
        }
        to
    }

    /// The scalar that lies at a bit of memory full of one byte.
    fn filled(&mut self, byte: Value, bit: u64, scalar: Scalar) -> Value {
        let below = (bit % 8) as u32;
        match scalar {
            Scalar::Bv(width) if below > 0 || width % 8 != 0 => {
                let bits = self.repeated(byte, Scalar::Bv(below + width));
                self.un(UnOp::Extract { hi: below + width - 1, lo: below }, bits)
            }
            _ => self.repeated(byte, scalar),
        }
    }

    /// A function without a body and without a meaning of its own.
    fn call_declared(&mut self, func: Func, whole: &Expr, wanted: bool) -> Vec<Value> {
        let function = &self.cx.unit.functions[func];
        self.set_loc(whole.loc);
        let name = &function.name;
        if self.cx.options.strict_calls {
            self.unsupported(format!("call of `{name}`, which is only declared"));
        } else {
            let text = format!("`{name}` is only declared: it returns any value of its type and changes nothing");
            self.cx.assume_once(text, function.loc);
        }
        if function.noreturn {
            self.terminate(Terminator::Stop);
        }
        self.declared_result(func, whole, wanted)
    }

    /// Any value of the declared type.
    fn declared_result(&mut self, func: Func, whole: &Expr, wanted: bool) -> Vec<Value> {
        if !wanted || self.cx.is_void(whole.ty) {
            return Vec::new();
        }
        let name = format!("{}()", self.cx.unit.functions[func].name);
        if self.cx.is_pointer(whole.ty) {
            return vec![self.returned_pointer(&name, whole)];
        }
        if self.cx.scalar(whole.ty).is_some() {
            return vec![self.havoc_c(name, whole.ty)];
        }
        match self.cx.passed_types(whole.ty) {
            Some(types) => types.into_iter().map(|ty| self.havoc(&name, ty)).collect(),
            None => vec![self.unmodelled(format!("the result of {name}"), whole.ty)],
        }
    }

    /// An unknown pointer that a call returns.
    pub fn returned_pointer(&mut self, name: &str, whole: &Expr) -> Value {
        let made = |t: &points::Target| {
            self.cx.points.graph.data(t.node).items.contains(&Item::Made(std::ptr::from_ref(whole)))
        };
        match self.cx.points.target(whole).filter(made) {
            Some(target) => self.unknown_pointer(name, target.node, whole.loc),
            None => self.unmodelled(format!("the pointer that {name} returns"), whole.ty),
        }
    }

    fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        func: Func,
        args: &[Expr],
        whole: &Expr,
        wanted: bool,
    ) -> Option<Value> {
        if let Some(count) = intrinsic.arguments() {
            if args.len() < count {
                args.iter().for_each(|e| self.effect(e));
                self.set_loc(whole.loc);
                let name = &self.cx.unit.functions[func].name;
                return Some(self.unmodelled(format!("`{name}` called with too few arguments"), whole.ty));
            }
        }
        self.lower_intrinsic(intrinsic, func, args, whole, wanted)
    }

    /// The run ends; what follows is lowered into a block nothing reaches.
    pub fn stop(&mut self, loc: Loc) {
        self.set_loc(loc);
        self.terminate(Terminator::Stop);
    }
}
