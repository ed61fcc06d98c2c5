//! What statements and initialisers say about pointers.

use super::graph::{Graph, Item, Node, Ref, Target, Unit as CellUnit};
use super::place::{indexed, Spot};
use crate::hir::*;
use crate::leaves::{self, LeafTable};
use crate::types::{IntKind, Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The result: the graph, and where the program's expressions are in it.
pub struct Points<'a> {
    pub graph: Graph,
    pub(super) unit: &'a Unit,
    pub(super) leaves: &'a LeafTable,
    pub(super) objects: FxHashMap<Obj, Node>,
    pub(super) literals: FxHashMap<Str, Node>,
    pub(super) functions: FxHashMap<Func, Node>,
    pub(super) returns: FxHashMap<Func, Ref>,
    /// Where a function that returns a record leaves it.
    pub(super) return_nodes: FxHashMap<Func, Node>,
    /// Of pointer-valued expressions, by their address in the tree.
    pub(super) refs: FxHashMap<*const Expr, Ref>,
    /// Of record-valued expressions that are no lvalues.
    pub(super) temps: FxHashMap<*const Expr, Node>,
    pub(super) made: FxHashMap<*const Expr, &'a Expr>,
    pub(super) indirect: Vec<(Ref, &'a Expr, &'a [Expr])>,
    pub(super) bound: FxHashSet<(*const Expr, Func)>,
}

/// Walks all functions that are reachable, and the initialisers of the objects they use.
pub fn analyse<'a>(
    unit: &'a Unit,
    leaves: &'a LeafTable,
    functions: &[Func],
    objects: &FxHashSet<Obj>,
    entry: Func,
) -> Points<'a> {
    let mut points = Points {
        graph: Graph::new(unit.types.model),
        unit,
        leaves,
        objects: FxHashMap::default(),
        literals: FxHashMap::default(),
        functions: FxHashMap::default(),
        returns: FxHashMap::default(),
        return_nodes: FxHashMap::default(),
        refs: FxHashMap::default(),
        temps: FxHashMap::default(),
        made: FxHashMap::default(),
        indirect: Vec::new(),
        bound: FxHashSet::default(),
    };
    let mut used: Vec<Obj> = objects.iter().copied().collect();
    used.sort_unstable();
    for obj in used {
        if let Some(init) = &unit.objects[obj].init {
            points.initialiser(obj, init);
        }
    }
    for &func in functions {
        points.stmts(unit.functions[func].body.as_deref().unwrap_or_default(), func);
    }
    for &param in &unit.functions[entry].params {
        points.unknown_parameter(param);
    }
    points.bind_indirect();
    points
}

impl<'a> Points<'a> {
    // What the lowering asks.

    pub fn object(&self, obj: Obj) -> Option<Node> {
        self.objects.get(&obj).map(|&n| self.graph.find(n))
    }

    pub fn literal(&self, lit: Str) -> Option<Node> {
        self.literals.get(&lit).map(|&n| self.graph.find(n))
    }

    /// What a pointer-valued expression points to.
    pub fn target(&self, expr: &Expr) -> Option<Target> {
        self.refs.get(&(expr as *const Expr)).and_then(|&r| self.graph.target(r))
    }

    /// The call that makes an object.
    pub fn made_call(&self, item: *const Expr) -> Option<&'a Expr> {
        self.made.get(&item).copied()
    }

    /// What a parameter of pointer type points to.
    pub fn parameter_target(&self, param: Obj) -> Option<Target> {
        let node = self.object(param)?;
        let (_, cell) = self.graph.cell(node, 0)?;
        self.graph.target(cell.content?)
    }

    /// The functions a pointer-valued expression can stand for.
    pub fn callees(&self, expr: &Expr) -> Vec<Func> {
        let mut found = self.target(expr).map(|t| self.graph.data(t.node).functions.clone()).unwrap_or_default();
        found.sort_unstable();
        found
    }

    /// Functions whose address is taken somewhere.
    pub fn address_taken(&self) -> impl Iterator<Item = Func> + '_ {
        self.functions.keys().copied()
    }

    /// Nodes that pointers in memory and results of functions lead to: such a pointer may outlive its object.
    pub fn escaped(&self) -> FxHashSet<Node> {
        let lives_long = |item: &Item| match item {
            Item::Object(obj) => matches!(self.unit.objects[*obj].storage, Storage::Global | Storage::Static),
            Item::Made(_) => true,
            Item::Literal(_) => false,
        };
        let mut found: FxHashSet<Node> = FxHashSet::default();
        for node in self.graph.roots() {
            let data = self.graph.data(node);
            if data.pointed || data.items.iter().any(lives_long) {
                let contents = data.cells.values().filter_map(|c| c.content);
                found.extend(contents.filter_map(|c| self.graph.target(c)).map(|t| t.node));
                if data.collapsed {
                    found.extend(self.graph.target(self.graph.universal()).map(|t| t.node));
                }
            }
        }
        found.extend(self.returns.values().filter_map(|&r| self.graph.target(r)).map(|t| t.node));
        found
    }

    // Expressions.

    /// Walks a pointer-valued expression and gives its reference.
    pub(super) fn value(&mut self, expr: &'a Expr, func: Func) -> Ref {
        if let Some(&known) = self.refs.get(&(expr as *const Expr)) {
            return known;
        }
        let r = self.new_value(expr, func);
        self.refs.insert(expr, r);
        r
    }

    pub(super) fn new_value(&mut self, expr: &'a Expr, func: Func) -> Ref {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Unsupported(_) | ExprKind::Float { .. } => self.graph.new_ref(),
            ExprKind::Load(lval) => {
                let spot = self.place(lval, func);
                self.content(spot, 0)
            }
            ExprKind::AddrOf(lval) => {
                let spot = self.place(lval, func);
                self.address(spot)
            }
            ExprKind::Decay(lval) => {
                let spot = self.place(lval, func);
                let spot = self.inside(spot, lval.ty.ty);
                self.address(spot)
            }
            ExprKind::FuncAddr(callee) => {
                let node = self.function_node(*callee);
                self.graph.refer(Target { node, off: 0 })
            }
            ExprKind::PtrAdd { ptr, index, .. } => {
                let r = self.value(ptr, func);
                self.effect(index, func);
                if !matches!(index.kind, ExprKind::Int(0)) {
                    self.step(r, ptr.ty);
                }
                r
            }
            ExprKind::Cast(arg) if self.is_pointer(arg.ty) => self.value(arg, func),
            ExprKind::Cast(arg) => {
                self.effect(arg, func);
                match constant(arg) {
                    true => self.graph.new_ref(),
                    false => self.graph.universal(),
                }
            }
            ExprKind::Cond { cond, then, other } => {
                let r = self.value(other, func);
                let first = match then {
                    Some(then) => {
                        self.effect(cond, func);
                        self.value(then, func)
                    }
                    None if self.is_pointer(cond.ty) => self.value(cond, func),
                    None => {
                        self.effect(cond, func);
                        r
                    }
                };
                self.graph.unify(first, r);
                r
            }
            ExprKind::Comma(first, second) => {
                self.effect(first, func);
                self.value(second, func)
            }
            ExprKind::Assign { lval, value } => {
                let spot = self.place(lval, func);
                let content = self.content(spot, 0);
                let r = self.value(value, func);
                self.graph.unify(content, r);
                content
            }
            ExprKind::PtrAssign { lval, index, .. } => {
                self.effect(index, func);
                self.moved(lval, func)
            }
            ExprKind::IncDec { lval, .. } => self.moved(lval, func),
            ExprKind::Call { callee, args } => self.call(expr, callee, args, func),
            ExprKind::StmtExpr { body, value } => {
                self.stmts(body, func);
                match value {
                    Some(value) => self.value(value, func),
                    None => self.graph.new_ref(),
                }
            }
            ExprKind::AssignOp { .. }
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::PtrDiff { .. }
            | ExprKind::LogAnd(..)
            | ExprKind::LogOr(..) => {
                self.effect(expr, func);
                self.graph.universal()
            }
        }
    }

    /// A pointer variable is moved.
    pub(super) fn moved(&mut self, lval: &'a Lval, func: Func) -> Ref {
        let spot = self.place(lval, func);
        let content = self.content(spot, 0);
        self.step(content, lval.ty.ty);
        content
    }

    /// A pointer is moved by elements of what it points to.
    pub(super) fn step(&mut self, r: Ref, pointer: TypeId) {
        let Type::Pointer(to) = &self.unit.types[pointer] else { return };
        let whole = self.size(to.ty).max(1);
        let elem = self.size(leaves::element(&self.unit.types, to.ty)).max(1);
        let Target { node, off } = self.graph.target_or_new(r);
        let data = self.graph.data(node);
        if data.collapsed || (off == 0 && data.stride > 0 && whole.is_multiple_of(data.stride)) {
            return;
        }
        let model = self.unit.types.model;
        if let Some((_, cell)) = self.graph.cell_mut(node, off * 8) {
            let in_steps = match cell.unit {
                CellUnit::Open | CellUnit::Bytes => true,
                CellUnit::Word(scalar) => (whole * 8).is_multiple_of(leaves::memory_bits(scalar, model)),
            };
            if in_steps && cell.array {
                cell.stepped = true;
                return;
            }
        }
        if off == 0 {
            self.graph.set_stride(node, elem);
        } else {
            self.graph.collapse(node);
        }
    }

    /// Walks a record-valued expression and gives a place that has its pointers.
    pub(super) fn record(&mut self, expr: &'a Expr, func: Func) -> Spot {
        let at = |node| Spot { node, off: 0, span: None };
        match &expr.kind {
            ExprKind::Load(lval) => self.place(lval, func),
            ExprKind::Assign { lval, value } => {
                let to = self.place(lval, func);
                let from = self.record(value, func);
                self.copy(to, from, expr.ty);
                to
            }
            ExprKind::Comma(first, second) => {
                self.effect(first, func);
                self.record(second, func)
            }
            ExprKind::Cond { cond, then, other } => {
                self.effect(cond, func);
                let to = at(self.temp(expr));
                for arm in then.iter().chain([other]) {
                    let from = self.record(arm, func);
                    self.copy(to, from, expr.ty);
                }
                to
            }
            ExprKind::Call { callee, args } => {
                let to = at(self.temp(expr));
                if let Callee::Direct(callee) = callee {
                    self.bind(*callee, args, func);
                    let from = at(self.return_node(*callee));
                    self.copy(to, from, expr.ty);
                } else {
                    self.call(expr, callee, args, func);
                }
                to
            }
            ExprKind::StmtExpr { body, value } => {
                self.stmts(body, func);
                match value {
                    Some(value) => self.record(value, func),
                    None => at(self.temp(expr)),
                }
            }
            ExprKind::Cast(arg) if self.is_record(arg.ty) => self.record(arg, func),
            _ => {
                self.children(expr, func);
                at(self.temp(expr))
            }
        }
    }

    pub(super) fn temp(&mut self, expr: &Expr) -> Node {
        if let Some(&node) = self.temps.get(&(expr as *const Expr)) {
            return node;
        }
        let node = self.graph.new_node(None, 0);
        self.temps.insert(expr, node);
        node
    }

    /// Walks an expression whatever its type.
    pub(super) fn effect(&mut self, expr: &'a Expr, func: Func) {
        if self.is_pointer(expr.ty) {
            self.value(expr, func);
        } else if self.is_record(expr.ty) {
            // Also a record that is dropped is read.
            let spot = self.record(expr, func);
            self.copy(spot, spot, expr.ty);
        } else {
            self.children(expr, func);
        }
    }

    /// Walks an expression that is neither pointer nor record.
    pub(super) fn children(&mut self, expr: &'a Expr, func: Func) {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float { .. } | ExprKind::Unsupported(_) | ExprKind::FuncAddr(_) => {}
            ExprKind::Load(lval) | ExprKind::IncDec { lval, .. } => self.scalar_access(lval, func),
            ExprKind::AddrOf(lval) | ExprKind::Decay(lval) => {
                self.place(lval, func);
            }
            ExprKind::Cast(arg) if self.is_pointer(arg.ty) => {
                let r = self.value(arg, func);
                if !matches!(self.unit.types[expr.ty], Type::Void | Type::Int(IntKind::Bool)) {
                    self.graph.expose(r);
                }
            }
            ExprKind::Unary { arg, .. } | ExprKind::Cast(arg) => self.effect(arg, func),
            ExprKind::Binary { left, right, .. }
            | ExprKind::PtrDiff { left, right }
            | ExprKind::LogAnd(left, right)
            | ExprKind::LogOr(left, right)
            | ExprKind::Comma(left, right) => {
                self.effect(left, func);
                self.effect(right, func);
            }
            ExprKind::PtrAdd { ptr, index, .. } => {
                self.effect(ptr, func);
                self.effect(index, func);
            }
            ExprKind::Cond { cond, then, other } => {
                self.effect(cond, func);
                then.iter().for_each(|e| self.effect(e, func));
                self.effect(other, func);
            }
            ExprKind::Assign { lval, value: right }
            | ExprKind::AssignOp { lval, right, .. }
            | ExprKind::PtrAssign { lval, index: right, .. } => {
                self.scalar_access(lval, func);
                self.effect(right, func);
            }
            ExprKind::Call { callee, args } => {
                self.call(expr, callee, args, func);
            }
            ExprKind::StmtExpr { body, value } => {
                self.stmts(body, func);
                value.iter().for_each(|e| self.effect(e, func));
            }
        }
    }

    /// A number is read or written.
    pub(super) fn scalar_access(&mut self, lval: &'a Lval, func: Func) {
        if self.is_apart(lval) {
            return self.indices(lval, func);
        }
        let spot = self.place(lval, func);
        let bits = match &lval.kind {
            LvalKind::Member { base, index } => self.field(base.ty.ty, *index).and_then(|f| f.1),
            _ => None,
        };
        if let Some(scalar) = leaves::field_scalar(&self.unit.types, lval.ty.ty, bits) {
            self.access(spot, bits.map_or(0, |b| u64::from(b.offset)), scalar);
        }
    }

    /// The indices of an array that needs no node.
    pub(super) fn indices(&mut self, lval: &'a Lval, func: Func) {
        if let LvalKind::Deref(pointer) = &lval.kind {
            if let Some((array, index)) = indexed(pointer) {
                self.indices(array, func);
                self.effect(index, func);
            }
        }
    }

    // Initialisers and statements.

    pub(super) fn initialiser(&mut self, obj: Obj, init: &'a Init) {
        // No function: nothing in it is returned from.
        self.local_init(obj, init, Func::from_u32(0));
    }

    pub(super) fn local_init(&mut self, obj: Obj, init: &'a Init, func: Func) {
        let elem = leaves::element(&self.unit.types, self.unit.objects[obj].ty.ty);
        for item in &init.items {
            let e = match &item.value {
                InitValue::Expr(e) => e,
                InitValue::Str { lit, len } => {
                    if self.is_record(elem) {
                        self.literal_init(obj, item.offset, *lit, *len);
                    }
                    continue;
                }
            };
            if self.is_pointer(e.ty) {
                let r = self.value(e, func);
                let node = self.node_of(obj);
                let content = self.content(Spot { node, off: item.offset, span: None }, 0);
                self.graph.unify(content, r);
            } else if self.is_record(e.ty) {
                let from = self.record(e, func);
                let node = self.node_of(obj);
                self.copy(Spot { node, off: item.offset, span: None }, from, e.ty);
            } else {
                self.effect(e, func);
                let scalar = leaves::field_scalar(&self.unit.types, e.ty, item.bits);
                if let (Some(scalar), true) = (scalar, self.is_record(elem)) {
                    let node = self.node_of(obj);
                    let bit = item.bits.map_or(0, |b| u64::from(b.offset));
                    self.access(Spot { node, off: item.offset, span: None }, bit, scalar);
                }
            }
        }
    }

    /// A string literal that fills an array inside a record.
    pub(super) fn literal_init(&mut self, obj: Obj, off: u64, lit: Str, len: u64) {
        let Some(scalar) = leaves::scalar_of(&self.unit.types, self.unit.strings[lit].elem) else { return };
        let bytes = leaves::memory_bits(scalar, self.unit.types.model) / 8;
        let node = self.node_of(obj);
        let at = self.graph.normal(Target { node, off });
        self.graph.touch(at.node, at.off * 8, (len * bytes * 8).max(8), CellUnit::Word(scalar));
    }

    pub(super) fn stmts(&mut self, stmts: &'a [Stmt], func: Func) {
        stmts.iter().for_each(|s| self.stmt(s, func));
    }

    pub(super) fn stmt(&mut self, stmt: &'a Stmt, func: Func) {
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) | StmtKind::Unsupported(_) => {}
            StmtKind::Expr(e) => self.effect(e, func),
            StmtKind::Decl { obj, init } => {
                if let Some(init) = init {
                    self.local_init(*obj, init, func);
                }
            }
            StmtKind::Vla { dims, .. } => dims.iter().for_each(|e| self.effect(e, func)),
            StmtKind::If { cond, then, other } => {
                self.effect(cond, func);
                self.stmt(then, func);
                other.iter().for_each(|s| self.stmt(s, func));
            }
            StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
                self.effect(cond, func);
                self.stmt(body, func);
            }
            StmtKind::For { init, cond, step, body } => {
                self.stmts(init, func);
                cond.iter().chain(step).for_each(|e| self.effect(e, func));
                self.stmt(body, func);
            }
            StmtKind::Switch { value, body } => {
                self.effect(value, func);
                self.stmt(body, func);
            }
            StmtKind::Case { body, .. } | StmtKind::Default(body) | StmtKind::Labeled { body, .. } => {
                self.stmt(body, func)
            }
            StmtKind::Return(value) => value.iter().for_each(|e| self.returned(e, func)),
            StmtKind::Block(stmts) => self.stmts(stmts, func),
        }
    }

    pub(super) fn returned(&mut self, e: &'a Expr, func: Func) {
        if self.is_pointer(e.ty) {
            let (r, own) = (self.value(e, func), self.return_ref(func));
            self.graph.unify(own, r);
        } else if self.is_record(e.ty) {
            let from = self.record(e, func);
            let node = self.return_node(func);
            self.copy(Spot { node, off: 0, span: None }, from, e.ty);
        } else {
            self.effect(e, func);
        }
    }
}

/// An integer that is no pointer in disguise: null, or an address the program knows by heart.
pub(super) fn constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) => true,
        ExprKind::Cast(arg) | ExprKind::Unary { arg, .. } => constant(arg),
        _ => false,
    }
}
