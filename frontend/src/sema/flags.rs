//! Which objects have their address taken, and which are written: one walk over the finished tree, so that what
//! is not evaluated (`sizeof`) does not count.
//!
//! Indexing an array directly, also `a[i][j]` and `s.a[i]`, does not take its address.

use crate::hir::*;
use cranelift_entity::SecondaryMap;

struct Walk {
    address: SecondaryMap<Obj, bool>,
    written: SecondaryMap<Obj, bool>,
}

pub(super) fn compute(unit: &mut Unit) {
    let mut walk = Walk { address: SecondaryMap::new(), written: SecondaryMap::new() };
    for function in unit.functions.values() {
        for stmt in function.body.iter().flatten() {
            walk.stmt(stmt);
        }
    }
    for object in unit.objects.values() {
        walk.init(object.init.as_ref());
    }
    for (obj, object) in unit.objects.iter_mut() {
        object.address_taken = walk.address[obj];
        object.written = walk.written[obj];
    }
}

impl Walk {
    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Unsupported(_) => {}
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Decl { init, .. } => self.init(init.as_ref()),
            StmtKind::Vla { dims, .. } => dims.iter().for_each(|e| self.expr(e)),
            StmtKind::If { cond, then, other } => {
                self.expr(cond);
                self.stmt(then);
                if let Some(other) = other {
                    self.stmt(other);
                }
            }
            StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
                self.expr(cond);
                self.stmt(body);
            }
            StmtKind::For { init, cond, step, body } => {
                self.stmts(init);
                cond.iter().chain(step).for_each(|e| self.expr(e));
                self.stmt(body);
            }
            StmtKind::Switch { value, body } => {
                self.expr(value);
                self.stmt(body);
            }
            StmtKind::Case { body, .. } | StmtKind::Default(body) | StmtKind::Labeled { body, .. } => self.stmt(body),
            StmtKind::Return(e) => e.iter().for_each(|e| self.expr(e)),
            StmtKind::Block(stmts) => self.stmts(stmts),
        }
    }

    fn init(&mut self, init: Option<&Init>) {
        for item in init.iter().flat_map(|i| &i.items) {
            match &item.value {
                InitValue::Expr(e) => self.expr(e),
                InitValue::Str { .. } => {}
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float { .. } | ExprKind::FuncAddr(_) | ExprKind::Unsupported(_) => {}
            ExprKind::Load(lval) => self.place(lval),
            ExprKind::AddrOf(lval) | ExprKind::Decay(lval) => {
                if let Some(obj) = root(lval) {
                    self.address[obj] = true;
                }
                self.place(lval);
            }
            ExprKind::Unary { arg, .. } | ExprKind::Cast(arg) => self.expr(arg),
            ExprKind::Binary { left, right, .. }
            | ExprKind::PtrDiff { left, right }
            | ExprKind::PtrAdd { ptr: left, index: right, .. }
            | ExprKind::LogAnd(left, right)
            | ExprKind::LogOr(left, right)
            | ExprKind::Comma(left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Cond { cond, then, other } => {
                self.expr(cond);
                if let Some(then) = then {
                    self.expr(then);
                }
                self.expr(other);
            }
            ExprKind::Assign { lval, value } => self.write(lval, Some(value)),
            ExprKind::AssignOp { lval, right, .. } => self.write(lval, Some(right)),
            ExprKind::PtrAssign { lval, index, .. } => self.write(lval, Some(index)),
            ExprKind::IncDec { lval, .. } => self.write(lval, None),
            ExprKind::Call { callee, args } => {
                if let Callee::Indirect(e) = callee {
                    self.expr(e);
                }
                args.iter().for_each(|arg| self.expr(arg));
            }
            ExprKind::StmtExpr { body, value } => {
                self.stmts(body);
                if let Some(value) = value {
                    self.expr(value);
                }
            }
        }
    }

    fn write(&mut self, lval: &Lval, value: Option<&Expr>) {
        if let Some(obj) = root(lval) {
            self.written[obj] = true;
        }
        self.place(lval);
        if let Some(value) = value {
            self.expr(value);
        }
    }

    /// Visits what computing the place evaluates; naming it takes no address.
    fn place(&mut self, lval: &Lval) {
        match &lval.kind {
            LvalKind::Object(_) | LvalKind::Str(_) => {}
            LvalKind::Deref(pointer) => match &pointer.kind {
                ExprKind::Decay(array) => self.place(array),
                ExprKind::PtrAdd { ptr, index, .. } => {
                    match &ptr.kind {
                        ExprKind::Decay(array) => self.place(array),
                        _ => self.expr(ptr),
                    }
                    self.expr(index);
                }
                _ => self.expr(pointer),
            },
            LvalKind::Member { base, .. } => self.place(base),
            LvalKind::Compound { init, .. } => self.init(Some(init)),
            LvalKind::Temp(value) => self.expr(value),
        }
    }
}

/// The object that a place is part of, if no pointer is followed to it.
fn root(lval: &Lval) -> Option<Obj> {
    let mut at = lval;
    loop {
        at = match &at.kind {
            LvalKind::Object(obj) | LvalKind::Compound { obj, .. } => return Some(*obj),
            LvalKind::Member { base, .. } => base,
            LvalKind::Deref(pointer) => match &pointer.kind {
                ExprKind::Decay(array) => array,
                ExprKind::PtrAdd { ptr, .. } => match &ptr.kind {
                    ExprKind::Decay(array) => array,
                    _ => return None,
                },
                _ => return None,
            },
            LvalKind::Str(_) | LvalKind::Temp(_) => return None,
        };
    }
}
