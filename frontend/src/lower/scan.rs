//! What a function's body contains, before it is lowered: whom it calls, what it uses, how it jumps.

use crate::hir::{Callee, Expr, ExprKind, Func, Init, InitValue, Lval, LvalKind, Obj, Stmt, StmtKind, Unit};
use crate::points::Points;
use rustc_hash::{FxHashMap, FxHashSet};

/// What the entry can reach.
#[derive(Default)]
pub(super) struct Reach {
    /// Functions with a body, in the order of the source.
    pub functions: Vec<Func>,
    /// Objects that are used, of any storage.
    pub objects: FxHashSet<Obj>,
    /// The entry is called by the program itself, too.
    pub entry_is_called: bool,
    /// Their bodies.
    pub bodies: FxHashMap<Func, Body>,
}

/// What one function's body contains.
#[derive(Default)]
pub(super) struct Body {
    /// Objects and functions it mentions, each once, in the order of their numbers.
    objects: Vec<Obj>,
    functions: Vec<Func>,
    pub jumps: Jumps,
    /// Some call goes through a pointer.
    calls_pointers: bool,
}

impl Reach {
    /// Locals of inner blocks.
    pub fn nested(&self) -> FxHashSet<Obj> {
        self.bodies.values().flat_map(|b| b.jumps.nested.iter().copied()).collect()
    }

    /// Locals and parameters of functions that can be active more than once at a time.
    pub fn recursive_locals(&self, unit: &Unit, points: &Points<'_>) -> FxHashSet<Obj> {
        let taken: Vec<Func> = points.address_taken().collect();
        let mut graph = petgraph::graphmap::DiGraphMap::<u32, ()>::new();
        for (&func, body) in &self.bodies {
            graph.add_node(func.as_u32());
            let indirect = if body.calls_pointers { &taken[..] } else { &[] };
            for callee in body.functions.iter().chain(indirect) {
                graph.add_edge(func.as_u32(), callee.as_u32(), ());
            }
        }
        let mut found = FxHashSet::default();
        for component in petgraph::algo::tarjan_scc(&graph) {
            let again = component.len() > 1 || component.iter().any(|&f| graph.contains_edge(f, f));
            for func in component.into_iter().filter(|_| again).map(Func::from_u32) {
                found.extend(unit.functions[func].params.iter().copied());
                found.extend(self.bodies.get(&func).into_iter().flat_map(|b| b.objects.iter().copied()));
            }
        }
        found
    }
}

/// Collects what calls, taken addresses and initialisers of used objects lead to.
pub(super) fn reachable(unit: &Unit, entry: Func) -> Reach {
    let mut seen = FxHashSet::default();
    let mut objects: FxHashSet<Obj> = FxHashSet::default();
    let mut work = vec![entry];
    let mut entry_is_called = false;
    let mut bodies = FxHashMap::default();
    seen.insert(entry);
    while let Some(func) = work.pop() {
        let body = scan(unit.functions[func].body.as_deref().unwrap_or_default());
        let mut uses = Uses { objects: body.objects.clone(), functions: body.functions.clone(), ..Uses::default() };
        bodies.insert(func, body);
        // Initialisers of static objects mention further objects and functions.
        while let Some(obj) = uses.objects.pop() {
            if objects.insert(obj) {
                if let Some(init) = &unit.objects[obj].init {
                    uses.init(init);
                }
            }
        }
        for callee in uses.functions {
            entry_is_called |= callee == entry;
            if seen.insert(callee) {
                work.push(callee);
            }
        }
    }
    let functions = unit.functions.iter().filter(|(f, data)| data.body.is_some() && seen.contains(f));
    Reach { functions: functions.map(|(f, _)| f).collect(), objects, entry_is_called, bodies }
}

/// How control can jump inside a body.
#[derive(Default)]
pub(super) struct Jumps {
    pub goto: bool,
    /// Some statement expression: a declaration before it in the same block may then be jumped over.
    pub stmt_expr: bool,
    /// Locals declared in the body of a `switch`.
    pub in_switch: FxHashSet<Obj>,
    /// Locals declared anywhere, in order.
    pub locals: Vec<Obj>,
    /// Locals of an inner block: they die before the function ends.
    pub nested: Vec<Obj>,
}

fn scan(body: &[Stmt]) -> Body {
    let mut uses = Uses::default();
    uses.stmts(body);
    let Uses { mut objects, mut functions, jumps, calls_pointers, .. } = uses;
    objects.sort_unstable();
    objects.dedup();
    functions.sort_unstable();
    functions.dedup();
    Body { objects, functions, jumps, calls_pointers }
}

#[derive(Default)]
struct Uses {
    functions: Vec<Func>,
    objects: Vec<Obj>,
    calls_pointers: bool,
    jumps: Jumps,
    switch_depth: u32,
    block_depth: u32,
}

impl Uses {
    fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Break | StmtKind::Continue | StmtKind::Unsupported(_) => {}
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Decl { obj, init } => {
                self.jumps.locals.push(*obj);
                if self.block_depth > 0 {
                    self.jumps.nested.push(*obj);
                }
                self.objects.push(*obj);
                if self.switch_depth > 0 {
                    self.jumps.in_switch.insert(*obj);
                }
                init.iter().for_each(|i| self.init(i));
            }
            // No jump leads past such a declaration: C forbids it.
            StmtKind::Vla { obj, dims } => {
                self.objects.push(*obj);
                dims.iter().for_each(|e| self.expr(e));
            }
            StmtKind::If { cond, then, other } => {
                self.expr(cond);
                self.stmt(then);
                other.iter().for_each(|s| self.stmt(s));
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
                self.switch_depth += 1;
                self.stmt(body);
                self.switch_depth -= 1;
            }
            StmtKind::Case { body, .. } | StmtKind::Default(body) | StmtKind::Labeled { body, .. } => self.stmt(body),
            StmtKind::Goto(_) => self.jumps.goto = true,
            StmtKind::Return(value) => value.iter().for_each(|e| self.expr(e)),
            StmtKind::Block(stmts) => {
                self.block_depth += 1;
                self.stmts(stmts);
                self.block_depth -= 1;
            }
        }
    }

    fn init(&mut self, init: &Init) {
        for item in &init.items {
            match &item.value {
                InitValue::Expr(e) => self.expr(e),
                InitValue::Str { .. } => {}
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float { .. } | ExprKind::Unsupported(_) => {}
            ExprKind::Load(lval) | ExprKind::AddrOf(lval) | ExprKind::Decay(lval) => self.lval(lval),
            ExprKind::FuncAddr(func) => self.functions.push(*func),
            ExprKind::Unary { arg, .. } | ExprKind::Cast(arg) => self.expr(arg),
            ExprKind::Binary { left, right, .. } | ExprKind::PtrDiff { left, right } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::PtrAdd { ptr, index, .. } => {
                self.expr(ptr);
                self.expr(index);
            }
            ExprKind::LogAnd(a, b) | ExprKind::LogOr(a, b) | ExprKind::Comma(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Cond { cond, then, other } => {
                self.expr(cond);
                then.iter().for_each(|e| self.expr(e));
                self.expr(other);
            }
            ExprKind::Assign { lval, value } => {
                self.lval(lval);
                self.expr(value);
            }
            ExprKind::AssignOp { lval, right, .. } => {
                self.lval(lval);
                self.expr(right);
            }
            ExprKind::PtrAssign { lval, index, .. } => {
                self.lval(lval);
                self.expr(index);
            }
            ExprKind::IncDec { lval, .. } => self.lval(lval),
            ExprKind::Call { callee, args } => self.call(callee, args),
            ExprKind::StmtExpr { body, value } => {
                self.jumps.stmt_expr = true;
                self.stmts(body);
                value.iter().for_each(|e| self.expr(e));
            }
        }
    }

    fn call(&mut self, callee: &Callee, args: &[Expr]) {
        let func = match callee {
            Callee::Direct(func) => *func,
            Callee::Indirect(e) => {
                self.calls_pointers = true;
                self.expr(e);
                return args.iter().for_each(|e| self.expr(e));
            }
        };
        self.functions.push(func);
        args.iter().for_each(|e| self.expr(e));
    }

    fn lval(&mut self, lval: &Lval) {
        match &lval.kind {
            LvalKind::Object(obj) => self.objects.push(*obj),
            LvalKind::Deref(e) | LvalKind::Temp(e) => self.expr(e),
            LvalKind::Member { base, .. } => self.lval(base),
            LvalKind::Str(_) => {}
            LvalKind::Compound { obj, init } => {
                self.objects.push(*obj);
                self.jumps.locals.push(*obj);
                self.init(init);
            }
        }
    }
}
