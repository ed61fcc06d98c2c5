//! Calls: of functions with a body, of functions known by name, of functions that are only declared.

use super::build::FnLower;
use super::function::ResultKind;
use super::intrinsics::{self, Intrinsic};
use crate::hir::{Callee, Expr, Func, Loc};
use crate::types::{Type as CType, TypeId};
use syncline_ir::{InstData, Terminator, Value};

impl FnLower<'_, '_> {
    /// The value of a call, if it has one.
    pub fn call(&mut self, callee: &Callee, args: &[Expr], whole: &Expr) -> Option<Value> {
        self.call_wanted(callee, args, whole, true)
    }

    pub fn call_for_effect(&mut self, callee: &Callee, args: &[Expr], whole: &Expr) {
        self.call_wanted(callee, args, whole, false);
    }

    fn call_wanted(&mut self, callee: &Callee, args: &[Expr], whole: &Expr, wanted: bool) -> Option<Value> {
        let operands: Vec<&Expr> = args.iter().collect();
        self.note_order(&operands, whole.loc);
        let func = match callee {
            Callee::Direct(func) => *func,
            Callee::Indirect(pointer) => {
                self.effect(pointer);
                args.iter().for_each(|e| self.effect(e));
                self.set_loc(whole.loc);
                return Some(self.unmodelled("a call through a pointer", whole.ty));
            }
        };
        if self.cx.procs.contains_key(&func) {
            return self.call_defined(func, args, whole);
        }
        let function = &self.cx.unit.functions[func];
        match intrinsics::by_name(&function.name, &self.cx.options.error_functions) {
            Some(intrinsic) => self.intrinsic(intrinsic, func, args, whole, wanted),
            None => self.call_declared(func, args, whole, wanted),
        }
    }

    fn call_defined(&mut self, func: Func, args: &[Expr], whole: &Expr) -> Option<Value> {
        let unit = self.cx.unit;
        let function = &unit.functions[func];
        let mut passed = Vec::with_capacity(args.len());
        for (n, arg) in args.iter().enumerate() {
            match function.params.get(n) {
                Some(&param) => passed.extend(self.pass(arg, param, func, &passed)),
                // More arguments than parameters: they are only evaluated.
                None => self.effect(arg),
            }
        }
        self.set_loc(whole.loc);
        for &param in function.params.iter().skip(args.len()) {
            passed.extend(self.missing(param));
        }
        // What is referred to is read when all arguments have been evaluated.
        let mut values = Vec::with_capacity(passed.len());
        for argument in &passed {
            self.copy_in(argument, &mut values);
        }
        let callee = self.cx.procs[&func];
        let results = self.cx.result_types(func);
        let inst = self.proc.append(self.block, InstData::Call { callee, args: values }, &results, self.at);
        let results = self.proc.insts[inst].results.clone();
        let references = passed.iter().filter(|p| p.comes_back()).count();
        for (argument, &value) in
            passed.iter().filter(|p| p.comes_back()).zip(&results[results.len().saturating_sub(references)..])
        {
            self.copy_out(argument, value);
        }
        match self.cx.result_kind(func) {
            ResultKind::Void => None,
            ResultKind::Value { ty, .. } => Some(self.convert(results[0], ty, whole.ty)),
            ResultKind::Unmodelled => {
                Some(self.unmodelled("a call that returns something other than a scalar", whole.ty))
            }
        }
    }

    /// An argument as the callee's parameter takes it. Without a prototype the caller only promotes; the callee
    /// then cuts the value to the parameter's type.
    pub fn argument(&mut self, arg: &Expr, param: TypeId) -> Option<Value> {
        let scalars = self.cx.scalar(arg.ty).is_some() && self.cx.scalar(param).is_some();
        if !scalars {
            self.effect(arg);
            self.set_loc(arg.loc);
            self.unsupported(format!("an argument of type {}", self.cx.type_words(arg.ty)));
            let expected = self.cx.scalar(param)?;
            return Some(self.havoc("a value that is not modelled", expected.into()));
        }
        let value = self.expr(arg);
        self.set_loc(arg.loc);
        if self.cx.is_float(arg.ty) != self.cx.is_float(param) {
            // Passed in another kind of register: the callee finds anything there.
            return Some(self.havoc_c("argument of another type", param));
        }
        Some(self.convert(value, arg.ty, param))
    }

    /// A function without a body and without a meaning of its own.
    fn call_declared(&mut self, func: Func, args: &[Expr], whole: &Expr, wanted: bool) -> Option<Value> {
        let function = &self.cx.unit.functions[func];
        args.iter().for_each(|e| self.effect(e));
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
    fn declared_result(&mut self, func: Func, whole: &Expr, wanted: bool) -> Option<Value> {
        if !wanted || self.cx.is_void(whole.ty) {
            return None;
        }
        let name = format!("{}()", self.cx.unit.functions[func].name);
        match self.cx.ctype(whole.ty) {
            CType::Int(_) | CType::Float(_) => Some(self.havoc_c(name, whole.ty)),
            CType::Pointer(_) => Some(self.unmodelled(format!("the pointer that {name} returns"), whole.ty)),
            CType::Void
            | CType::Array { .. }
            | CType::Vla { .. }
            | CType::Function(_)
            | CType::Record(_)
            | CType::Opaque(_) => Some(self.unmodelled(format!("the result of {name}"), whole.ty)),
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
