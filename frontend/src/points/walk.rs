//! What statements and initialisers say about pointers.

use super::graph::{Graph, Item, Node, Ref, Target, Unit as CellUnit};
use crate::hir::*;
use crate::layout;
use crate::leaves::{self, LeafTable};
use crate::types::{BitField, IntKind, Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use syncline_ir::Scalar;

/// Bits of the part of an object behind which anything may follow: a flexible member.
const OPEN_END: u64 = 1 << 40;

/// The result: the graph, and where the program's expressions are in it.
pub struct Points<'a> {
    pub graph: Graph,
    unit: &'a Unit,
    leaves: &'a LeafTable,
    objects: FxHashMap<Obj, Node>,
    literals: FxHashMap<Str, Node>,
    functions: FxHashMap<Func, Node>,
    returns: FxHashMap<Func, Ref>,
    /// Where a function that returns a record leaves it.
    return_nodes: FxHashMap<Func, Node>,
    /// Of pointer-valued expressions, by their address in the tree.
    refs: FxHashMap<*const Expr, Ref>,
    /// Of record-valued expressions that are no lvalues.
    temps: FxHashMap<*const Expr, Node>,
    made: FxHashMap<*const Expr, &'a Expr>,
    indirect: Vec<(Ref, &'a Expr, &'a [Expr])>,
    bound: FxHashSet<(*const Expr, Func)>,
}

/// A place while the tree is walked.
#[derive(Copy, Clone)]
struct Spot {
    node: Node,
    off: u64,
    /// The array inside the object that it is somewhere in.
    span: Option<Span>,
}

#[derive(Copy, Clone)]
struct Span {
    lo: u64,
    bytes: u64,
    /// Divides all distances between the elements.
    pitch: u64,
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

    // Nodes.

    fn node_of(&mut self, obj: Obj) -> Node {
        if let Some(&node) = self.objects.get(&obj) {
            return node;
        }
        let ty = self.unit.objects[obj].ty.ty;
        let stride = self.stride_of(ty);
        let node = self.graph.new_node(Some(Item::Object(obj)), stride);
        self.objects.insert(obj, node);
        // Coming to life and being passed are writes of the whole.
        if let Some(scalar) = leaves::scalar_of(&self.unit.types, leaves::element(&self.unit.types, ty)) {
            self.access(Spot { node, off: 0, span: None }, 0, scalar);
        }
        node
    }

    fn stride_of(&self, ty: TypeId) -> u64 {
        match &self.unit.types[ty] {
            Type::Array { .. } | Type::Vla { .. } => self.size(leaves::element(&self.unit.types, ty)),
            _ => 0,
        }
    }

    fn size(&self, ty: TypeId) -> u64 {
        layout::size_of(&self.unit.types, ty).unwrap_or(1)
    }

    fn literal_node(&mut self, lit: Str) -> Node {
        if let Some(&node) = self.literals.get(&lit) {
            return node;
        }
        let elem = self.unit.strings[lit].elem;
        let stride = self.size(elem);
        let node = self.graph.new_node(Some(Item::Literal(lit)), stride);
        self.graph.touch(node, 0, stride * 8, CellUnit::Word(Scalar::Bv(stride as u32 * 8)));
        self.literals.insert(lit, node);
        node
    }

    fn function_node(&mut self, func: Func) -> Node {
        if let Some(&node) = self.functions.get(&func) {
            return node;
        }
        let node = self.graph.new_node(None, 0);
        self.graph.data_mut(node).functions.push(func);
        self.functions.insert(func, node);
        node
    }

    fn return_ref(&mut self, func: Func) -> Ref {
        if let Some(&r) = self.returns.get(&func) {
            return r;
        }
        let r = self.graph.new_ref();
        self.returns.insert(func, r);
        r
    }

    fn return_node(&mut self, func: Func) -> Node {
        if let Some(&node) = self.return_nodes.get(&func) {
            return node;
        }
        let node = self.graph.new_node(None, 0);
        self.return_nodes.insert(func, node);
        node
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.unit.types[ty], Type::Pointer(_))
    }

    fn is_record(&self, ty: TypeId) -> bool {
        matches!(self.unit.types[ty], Type::Record(_))
    }

    /// A scalar object whose value no pointer is and to which none points needs no node.
    fn is_apart(&self, lval: &Lval) -> bool {
        match &lval.kind {
            LvalKind::Object(obj) => {
                let object = &self.unit.objects[*obj];
                let elem = leaves::element(&self.unit.types, object.ty.ty);
                !object.address_taken && !self.is_pointer(elem) && !self.is_record(elem)
            }
            LvalKind::Deref(pointer) => match indexed(pointer) {
                Some((array, _)) => self.is_apart(array),
                None => false,
            },
            LvalKind::Member { .. } | LvalKind::Str(_) | LvalKind::Compound { .. } | LvalKind::Temp(_) => false,
        }
    }

    // Places.

    fn place(&mut self, lval: &'a Lval, func: Func) -> Spot {
        match &lval.kind {
            LvalKind::Object(obj) => Spot { node: self.node_of(*obj), off: 0, span: None },
            LvalKind::Str(lit) => Spot { node: self.literal_node(*lit), off: 0, span: None },
            LvalKind::Compound { obj, init } => {
                self.local_init(*obj, init, func);
                Spot { node: self.node_of(*obj), off: 0, span: None }
            }
            LvalKind::Temp(e) => self.record(e, func),
            LvalKind::Member { base, index } => {
                let spot = self.place(base, func);
                let off = self.field(base.ty.ty, *index).map_or(0, |f| f.0);
                Spot { off: spot.off + off, ..spot }
            }
            LvalKind::Deref(pointer) => match indexed(pointer) {
                Some((array, index)) => {
                    let spot = self.place(array, func);
                    self.effect(index, func);
                    self.inside(spot, array.ty.ty)
                }
                None => {
                    let r = self.value(pointer, func);
                    let Target { node, off } = self.graph.target_or_new(r);
                    Spot { node, off, span: None }
                }
            },
        }
    }

    /// Offset and bits of a field.
    fn field(&self, record: TypeId, index: u32) -> Option<(u64, Option<BitField>)> {
        let Type::Record(record) = &self.unit.types[record] else { return None };
        let field = self.unit.types.records[*record].layout.as_ref()?.fields.get(index as usize)?;
        Some((field.offset, field.bits))
    }

    /// Some element of the array at a place.
    fn inside(&mut self, spot: Spot, array: TypeId) -> Spot {
        let elem = self.size(leaves::element(&self.unit.types, array)).max(1);
        let Target { node, off } = self.graph.normal(Target { node: spot.node, off: spot.off });
        let data = self.graph.data(node);
        if spot.span.is_none() && (data.collapsed || (off == 0 && data.stride == elem)) {
            return Spot { node, off, span: None };
        }
        let step = match &self.unit.types[array] {
            Type::Array { elem, .. } | Type::Vla { elem } => self.size(elem.ty).max(1),
            _ => elem,
        };
        let bytes = layout::size_of(&self.unit.types, array).unwrap_or(OPEN_END / 8);
        let span = match spot.span {
            Some(span) => Span { pitch: gcd(span.pitch, step), ..span },
            None => Span { lo: off, bytes, pitch: step },
        };
        Spot { node, off, span: Some(span) }
    }

    /// A scalar is read or written at a place.
    fn access(&mut self, spot: Spot, bit: u64, scalar: Scalar) {
        let bits = leaves::memory_bits(scalar, self.unit.types.model);
        let lo = self.graph.normal(Target { node: spot.node, off: spot.off }).off * 8 + bit;
        match spot.span {
            None => self.graph.touch(spot.node, lo, bits, CellUnit::Word(scalar)),
            Some(span) => {
                let even =
                    bits.is_multiple_of(8) && (lo - span.lo * 8).is_multiple_of(bits) && span.pitch * 8 % bits == 0;
                let unit = if even { CellUnit::Word(scalar) } else { CellUnit::Bytes };
                self.graph.touch_array(spot.node, span.lo * 8, span.bytes * 8, unit);
            }
        }
    }

    /// The pointers at a place.
    fn content(&mut self, spot: Spot, bit: u64) -> Ref {
        self.access(spot, bit, Scalar::Bv(self.unit.types.model.pointer_bits()));
        let target = self.graph.normal(Target { node: spot.node, off: spot.off });
        self.graph.content(target.node, target.off * 8 + bit)
    }

    /// The address of a place becomes a value.
    fn address(&mut self, spot: Spot) -> Ref {
        if let Some(span) = spot.span {
            self.graph.touch_array(spot.node, span.lo * 8, span.bytes * 8, CellUnit::Open);
        }
        self.graph.refer(Target { node: spot.node, off: spot.off })
    }

    fn copy(&mut self, to: Spot, from: Spot, ty: TypeId) {
        let Some(leaves) = self.leaves.of(&self.unit.types, ty) else { return };
        for leaf in leaves.iter() {
            self.access(to, leaf.bit, leaf.scalar);
            self.access(from, leaf.bit, leaf.scalar);
            if leaf.pointer {
                let (a, b) = (self.content(to, leaf.bit), self.content(from, leaf.bit));
                self.graph.unify(a, b);
            }
        }
    }

    // Expressions.

    /// Walks a pointer-valued expression and gives its reference.
    fn value(&mut self, expr: &'a Expr, func: Func) -> Ref {
        if let Some(&known) = self.refs.get(&(expr as *const Expr)) {
            return known;
        }
        let r = self.new_value(expr, func);
        self.refs.insert(expr, r);
        r
    }

    fn new_value(&mut self, expr: &'a Expr, func: Func) -> Ref {
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
    fn moved(&mut self, lval: &'a Lval, func: Func) -> Ref {
        let spot = self.place(lval, func);
        let content = self.content(spot, 0);
        self.step(content, lval.ty.ty);
        content
    }

    /// A pointer is moved by elements of what it points to.
    fn step(&mut self, r: Ref, pointer: TypeId) {
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
    fn record(&mut self, expr: &'a Expr, func: Func) -> Spot {
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

    fn temp(&mut self, expr: &Expr) -> Node {
        if let Some(&node) = self.temps.get(&(expr as *const Expr)) {
            return node;
        }
        let node = self.graph.new_node(None, 0);
        self.temps.insert(expr, node);
        node
    }

    /// Walks an expression whatever its type.
    fn effect(&mut self, expr: &'a Expr, func: Func) {
        if self.is_pointer(expr.ty) {
            self.value(expr, func);
        } else if self.is_record(expr.ty) {
            self.record(expr, func);
        } else {
            self.children(expr, func);
        }
    }

    /// Walks an expression that is neither pointer nor record.
    fn children(&mut self, expr: &'a Expr, func: Func) {
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
    fn scalar_access(&mut self, lval: &'a Lval, func: Func) {
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
    fn indices(&mut self, lval: &'a Lval, func: Func) {
        if let LvalKind::Deref(pointer) = &lval.kind {
            if let Some((array, index)) = indexed(pointer) {
                self.indices(array, func);
                self.effect(index, func);
            }
        }
    }

    // Calls.

    fn call(&mut self, whole: &'a Expr, callee: &'a Callee, args: &'a [Expr], func: Func) -> Ref {
        match callee {
            Callee::Direct(callee) if self.unit.functions[*callee].body.is_some() => {
                if let Some((ty, times)) = typed_bytes(self.unit, *callee, args) {
                    return self.typed_copy(ty, times, args, func);
                }
                self.bind(*callee, args, func);
                self.return_ref(*callee)
            }
            // The object that `realloc` makes takes the place of the one it is given.
            Callee::Direct(callee) if args.len() == 2 && self.unit.functions[*callee].name == "realloc" => {
                let old = self.value(&args[0], func);
                self.effect(&args[1], func);
                let new = self.made(whole);
                self.graph.unify(old, new);
                new
            }
            Callee::Direct(_) => {
                args.iter().for_each(|e| self.effect(e, func));
                self.made(whole)
            }
            Callee::Indirect(pointer) => {
                let r = self.value(pointer, func);
                args.iter().for_each(|e| self.effect(e, func));
                let result = self.graph.new_ref();
                self.refs.insert(whole, result);
                self.indirect.push((r, whole, args));
                result
            }
        }
    }

    /// What a call without a body returns, if that is a pointer.
    fn made(&mut self, whole: &'a Expr) -> Ref {
        if !self.is_pointer(whole.ty) {
            return self.graph.new_ref();
        }
        self.made.insert(whole, whole);
        let node = self.graph.new_node(Some(Item::Made(whole)), 0);
        self.graph.refer(Target { node, off: 0 })
    }

    /// `memcpy` and `memset` of known types, as assignments.
    fn typed_copy(&mut self, ty: TypeId, times: u64, args: &'a [Expr], func: Func) -> Ref {
        let r = self.value(&args[0], func);
        let to = self.graph.target_or_new(r);
        let to = Spot { node: to.node, off: to.off, span: None };
        let from = match self.is_pointer(args[1].ty) {
            true => {
                let from = self.value(&args[1], func);
                let from = self.graph.target_or_new(from);
                Spot { node: from.node, off: from.off, span: None }
            }
            false => {
                self.effect(&args[1], func);
                to
            }
        };
        self.effect(&args[2], func);
        if times > 1 {
            for spot in [to, from] {
                let r = self.graph.refer(Target { node: spot.node, off: spot.off });
                let pointer = self.pointer_operand(&args[0]).ty;
                self.step(r, pointer);
            }
        }
        self.copy(to, from, ty);
        r
    }

    fn pointer_operand<'e>(&self, expr: &'e Expr) -> &'e Expr {
        strip_casts(self.unit, expr)
    }

    /// Arguments go to parameters.
    fn bind(&mut self, callee: Func, args: &'a [Expr], func: Func) {
        let unit = self.unit;
        let params = &unit.functions[callee].params;
        let rest = unit.functions[callee].rest;
        let fixed = params.len() - usize::from(rest.is_some());
        if let Some(rest) = rest {
            self.bind_rest(rest, args.get(fixed..).unwrap_or_default(), func);
        }
        for (n, arg) in args.iter().enumerate().take(if rest.is_some() { fixed } else { args.len() }) {
            let param = params.get(n).map(|&p| (p, unit.objects[p].ty.ty));
            match param {
                Some((param, ty)) if self.is_pointer(ty) && self.is_pointer(arg.ty) => {
                    let r = self.value(arg, func);
                    let node = self.node_of(param);
                    let content = self.content(Spot { node, off: 0, span: None }, 0);
                    self.graph.unify(r, content);
                }
                Some((param, ty)) if self.is_record(ty) && self.is_record(arg.ty) => {
                    let from = self.record(arg, func);
                    let node = self.node_of(param);
                    self.copy(Spot { node, off: 0, span: None }, from, ty);
                }
                _ => {
                    self.effect(arg, func);
                    if self.is_pointer(arg.ty) {
                        let r = self.value(arg, func);
                        self.graph.expose(r);
                    }
                    if let Some((param, ty)) = param {
                        if self.is_pointer(ty) && !constant(arg) {
                            let node = self.node_of(param);
                            let content = self.content(Spot { node, off: 0, span: None }, 0);
                            self.graph.expose(content);
                        }
                    }
                }
            }
        }
    }

    /// Arguments beyond the parameters go to an object that is made for the call.
    fn bind_rest(&mut self, rest: Obj, args: &'a [Expr], func: Func) {
        if args.is_empty() {
            return;
        }
        let node = self.node_of(rest);
        let content = self.content(Spot { node, off: 0, span: None }, 0);
        let made = self.graph.new_node(Some(Item::Made(std::ptr::null())), 0);
        let made = self.graph.refer(Target { node: made, off: 0 });
        self.graph.unify(content, made);
        let mut at = 0;
        for arg in args {
            let Target { node, off } = self.graph.target_or_new(made);
            let spot = Spot { node, off: off + at, span: None };
            if self.is_pointer(arg.ty) {
                let r = self.value(arg, func);
                let content = self.content(spot, 0);
                self.graph.unify(r, content);
            } else if self.is_record(arg.ty) {
                let from = self.record(arg, func);
                self.copy(spot, from, arg.ty);
            } else {
                self.effect(arg, func);
                if let Some(scalar) = leaves::scalar_of(&self.unit.types, arg.ty) {
                    self.access(spot, 0, scalar);
                }
            }
            at += leaves::slot_bytes(&self.unit.types, arg.ty).unwrap_or(8);
        }
    }

    /// Calls through pointers, until no further function is found.
    fn bind_indirect(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for n in 0..self.indirect.len() {
                let (r, whole, args) = self.indirect[n];
                let Some(target) = self.graph.target(r) else { continue };
                for callee in self.graph.data(target.node).functions.clone() {
                    if self.bound.insert((whole, callee)) {
                        changed = true;
                        self.bind_one(callee, whole, args);
                    }
                }
            }
        }
    }

    fn bind_one(&mut self, callee: Func, whole: &'a Expr, args: &'a [Expr]) {
        if self.unit.functions[callee].body.is_none() {
            if self.is_pointer(whole.ty) {
                let (made, result) = (self.made(whole), self.value(whole, callee));
                self.graph.unify(made, result);
            }
            return;
        }
        self.bind(callee, args, callee);
        if self.is_pointer(whole.ty) {
            let (own, result) = (self.return_ref(callee), self.value(whole, callee));
            self.graph.unify(own, result);
        } else if self.is_record(whole.ty) {
            let (to, from) = (self.temp(whole), self.return_node(callee));
            let at = |node| Spot { node, off: 0, span: None };
            self.copy(at(to), at(from), whole.ty);
        }
    }

    fn unknown_parameter(&mut self, param: Obj) {
        if self.is_pointer(self.unit.objects[param].ty.ty) {
            let node = self.node_of(param);
            let content = self.content(Spot { node, off: 0, span: None }, 0);
            let made = self.graph.new_node(Some(Item::Made(std::ptr::null())), 0);
            let r = self.graph.refer(Target { node: made, off: 0 });
            self.graph.unify(content, r);
        }
    }

    // Initialisers and statements.

    fn initialiser(&mut self, obj: Obj, init: &'a Init) {
        // No function: nothing in it is returned from.
        self.local_init(obj, init, Func::from_u32(0));
    }

    fn local_init(&mut self, obj: Obj, init: &'a Init, func: Func) {
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
    fn literal_init(&mut self, obj: Obj, off: u64, lit: Str, len: u64) {
        let Some(scalar) = leaves::scalar_of(&self.unit.types, self.unit.strings[lit].elem) else { return };
        let bytes = leaves::memory_bits(scalar, self.unit.types.model) / 8;
        let node = self.node_of(obj);
        let at = self.graph.normal(Target { node, off });
        self.graph.touch(at.node, at.off * 8, (len * bytes * 8).max(8), CellUnit::Word(scalar));
    }

    fn stmts(&mut self, stmts: &'a [Stmt], func: Func) {
        stmts.iter().for_each(|s| self.stmt(s, func));
    }

    fn stmt(&mut self, stmt: &'a Stmt, func: Func) {
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

    fn returned(&mut self, e: &'a Expr, func: Func) {
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

/// `array[index]`, written on the array itself.
pub fn indexed(pointer: &Expr) -> Option<(&Lval, &Expr)> {
    match &pointer.kind {
        ExprKind::PtrAdd { ptr, index, subtract: false } => match &ptr.kind {
            ExprKind::Decay(array) => Some((array, index)),
            _ => None,
        },
        _ => None,
    }
}

/// An integer that is no pointer in disguise: null, or an address the program knows by heart.
fn constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) => true,
        ExprKind::Cast(arg) | ExprKind::Unary { arg, .. } => constant(arg),
        _ => false,
    }
}

fn strip_casts<'e>(unit: &Unit, mut expr: &'e Expr) -> &'e Expr {
    while let ExprKind::Cast(arg) = &expr.kind {
        if !matches!(unit.types[arg.ty], Type::Pointer(_)) {
            break;
        }
        expr = arg;
    }
    expr
}

/// For a library function that copies or fills bytes: the type of what it covers and how many of them, where the
/// arguments say so.
pub fn typed_bytes(unit: &Unit, callee: Func, args: &[Expr]) -> Option<(TypeId, u64)> {
    let function = &unit.functions[callee];
    let copies = matches!(function.name.as_str(), "memcpy" | "memmove");
    if !function.library || !(copies || function.name == "memset") || args.len() != 3 {
        return None;
    }
    let pointee = |e: &Expr| match &unit.types[strip_casts(unit, e).ty] {
        Type::Pointer(to) => Some(to.ty),
        _ => None,
    };
    let ty = pointee(&args[0])?;
    if copies && pointee(&args[1])? != ty {
        return None;
    }
    let ExprKind::Int(bytes) = strip_int_casts(&args[2]).kind else { return None };
    let size = i128::from(layout::size_of(&unit.types, ty)?);
    let times = if size > 0 && bytes > 0 && bytes % size == 0 { bytes / size } else { return None };
    let whole = matches!(unit.types[ty], Type::Record(_)) || size > 1;
    (whole && times * size <= 1024).then_some((ty, times as u64))
}

fn strip_int_casts(mut expr: &Expr) -> &Expr {
    while let ExprKind::Cast(arg) = &expr.kind {
        expr = arg;
    }
    expr
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}
