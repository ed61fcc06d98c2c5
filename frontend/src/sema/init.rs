//! Initialisers, flattened to scalars, strings and whole records at byte offsets.
//!
//! A brace-enclosed list moves a cursor over the object: a stack of aggregates with the next member of each.
//! Without braces around a member that is an aggregate, the cursor goes down into it (brace elision). Designators
//! set the cursor; then a later item may override an earlier one, and the items are sorted at the end.
//! Zeros are left out where the rest is zero anyway, so a large table costs what is in it.

use super::{Res, Sema};
use crate::hir::*;
use crate::layout;
use crate::types::{BitField, Qual, Type, TypeId};
use lang_c::ast::{self, Designator, Expression, Initializer, InitializerListItem};
use lang_c::span::{Node, Span};
use std::collections::BTreeMap;

/// The most elements that `[a ... b]` may name.
const MAX_RANGE: u64 = 1 << 24;

/// An aggregate that the cursor is in.
#[derive(Copy, Clone)]
struct Level {
    ty: TypeId,
    base: u64,
    next: u64,
}

/// A part of the object to initialise.
#[derive(Copy, Clone)]
struct Part {
    ty: Qual,
    offset: u64,
    bits: Option<BitField>,
}

struct Builder {
    items: Vec<InitItem>,
    is_static: bool,
    designated: bool,
    /// How many braces we are in.
    depth: u32,
    /// The highest element that the outermost list names, plus one: the size of an array without one.
    reached: u64,
}

impl<'a> Sema<'a> {
    /// The initialiser, and the object's type with its array size known.
    pub(super) fn initializer(
        &mut self,
        ty: Qual,
        node: &'a Node<Initializer>,
        is_static: bool,
    ) -> Res<(Init, TypeId)> {
        match &node.node {
            Initializer::List(items) => self.init_list(ty, items, is_static, node.span),
            Initializer::Expression(e) => self.init_expression(ty, e, is_static),
        }
    }

    fn init_expression(&mut self, ty: Qual, e: &'a Node<Expression>, is_static: bool) -> Res<(Init, TypeId)> {
        if let Type::Array { elem, len } = *self.ty(ty.ty) {
            if let Some((lit, count)) = self.string_for(elem.ty, e)? {
                let len = len.unwrap_or(count);
                let complete = self.unit.types.intern(Type::Array { elem, len: Some(len) });
                let item = InitItem { offset: 0, bits: None, value: InitValue::Str { lit, len } };
                return Ok((Init { items: vec![item], zero_rest: true }, complete));
            }
            // GNU C lets a compound literal stand for its own list.
            if let Expression::CompoundLiteral(literal) = &e.node {
                return self.init_list(ty, &literal.node.initializer_list, is_static, e.span);
            }
            return self.fail(e.span, "an array needs a list in braces or a string");
        }
        let value = self.rvalue(e)?;
        let mut value = self.assign_convert(value, ty.ty, e.span)?;
        if is_static {
            value = self.static_value(value, e.span)?;
        }
        let item = InitItem { offset: 0, bits: None, value: InitValue::Expr(value) };
        Ok((Init { items: vec![item], zero_rest: false }, ty.ty))
    }

    /// The string that initialises an array of such elements, and how many elements it has.
    fn string_for(&mut self, elem: TypeId, e: &'a Node<Expression>) -> Res<Option<(Str, u64)>> {
        let Expression::StringLiteral(node) = &e.node else { return Ok(None) };
        let Some(kind) = self.int_kind(elem) else { return Ok(None) };
        let (lit, _) = self.string(node)?;
        let unit = self.int_kind(self.unit.strings[lit].elem);
        let model = self.unit.types.model;
        match unit.is_some_and(|u| u.bytes(model) == kind.bytes(model)) {
            true => Ok(Some((lit, self.unit.strings[lit].units.len() as u64))),
            false => Ok(None),
        }
    }

    pub(super) fn init_list(
        &mut self,
        ty: Qual,
        items: &'a [Node<InitializerListItem>],
        is_static: bool,
        span: Span,
    ) -> Res<(Init, TypeId)> {
        let mut builder = Builder { items: Vec::new(), is_static, designated: false, depth: 0, reached: 0 };
        let part = Part { ty, offset: 0, bits: None };
        self.braced(&mut builder, part, items, span)?;
        let scalar = !matches!(self.ty(ty.ty), Type::Array { .. } | Type::Record(_));
        let complete = match *self.ty(ty.ty) {
            Type::Array { elem, len: None } => self.unit.types.intern(Type::Array { elem, len: Some(builder.reached) }),
            _ => ty.ty,
        };
        if builder.designated {
            builder.items = self.ordered(builder.items);
        }
        if !scalar {
            builder.items.retain(|item| !is_zero(item));
        }
        Ok((Init { items: builder.items, zero_rest: !scalar }, complete))
    }

    /// `{ ... }` for one part.
    fn braced(&mut self, b: &mut Builder, part: Part, items: &'a [Node<InitializerListItem>], span: Span) -> Res<()> {
        b.depth += 1;
        let result = self.braced_inside(b, part, items, span);
        b.depth -= 1;
        result
    }

    fn braced_inside(
        &mut self,
        b: &mut Builder,
        part: Part,
        items: &'a [Node<InitializerListItem>],
        span: Span,
    ) -> Res<()> {
        match *self.ty(part.ty.ty) {
            Type::Array { elem, len } => {
                if let [Node { node: InitializerListItem { designation, initializer }, .. }] = items {
                    if let (true, Initializer::Expression(e)) = (designation.is_empty(), &initializer.node) {
                        if let Some((lit, count)) = self.string_for(elem.ty, e)? {
                            let len = len.unwrap_or(count);
                            b.reach(len);
                            b.push(part, InitValue::Str { lit, len });
                            return Ok(());
                        }
                    }
                }
                self.walk(b, part, items)
            }
            Type::Record(_) if self.is_complete(part.ty.ty) => self.walk(b, part, items),
            Type::Record(_) => self.fail(span, "the type is not defined here"),
            _ => match items.first() {
                Some(item) => match &item.node.initializer.node {
                    Initializer::List(inner) => self.braced(b, part, inner, span),
                    Initializer::Expression(e) => self.scalar(b, part, e),
                },
                // `int x = {};`
                None => {
                    let zero = self.int_const(0, span);
                    let zero = self.assign_convert(zero, part.ty.ty, span)?;
                    b.push(part, InitValue::Expr(zero));
                    Ok(())
                }
            },
        }
    }

    fn scalar(&mut self, b: &mut Builder, part: Part, e: &'a Node<Expression>) -> Res<()> {
        let value = self.rvalue(e)?;
        self.scalar_value(b, part, value, e.span)
    }

    fn scalar_value(&mut self, b: &mut Builder, part: Part, value: Expr, span: Span) -> Res<()> {
        let mut value = self.assign_convert(value, part.ty.ty, span)?;
        if b.is_static {
            value = self.static_value(value, span)?;
        }
        b.push(part, InitValue::Expr(value));
        Ok(())
    }

    fn walk(&mut self, b: &mut Builder, whole: Part, items: &'a [Node<InitializerListItem>]) -> Res<()> {
        let outer = Level { ty: whole.ty.ty, base: whole.offset, next: 0 };
        let mut levels = vec![outer];
        for item in items {
            let mut copies = None;
            if item.node.designation.is_empty() {
                self.leave_full(&mut levels);
                if levels.is_empty() {
                    // gcc warns of excess elements and drops them.
                    return Ok(());
                }
            } else {
                b.designated = true;
                levels.truncate(1);
                if levels.is_empty() {
                    levels.push(outer);
                }
                copies = self.designate(b, &mut levels, &item.node.designation)?;
            }
            let before = b.items.len();
            self.item(b, &mut levels, &item.node.initializer)?;
            if let Some(outermost) = levels.first() {
                b.reach(outermost.next + u64::from(levels.len() > 1));
            }
            if let Some((count, stride)) = copies {
                self.replicate(b, before, count, stride, item.span)?;
            }
        }
        Ok(())
    }

    /// Goes up from aggregates that have no member left.
    fn leave_full(&self, levels: &mut Vec<Level>) {
        while levels.last().is_some_and(|l| l.next >= self.members_of(l.ty)) {
            levels.pop();
            advance(levels);
        }
    }

    /// How many members the cursor can stop at.
    fn members_of(&self, ty: TypeId) -> u64 {
        match self.ty(ty) {
            Type::Array { len, .. } => len.unwrap_or(u64::MAX),
            Type::Record(r) => {
                let data = &self.unit.types.records[*r];
                let fields = data.layout.as_ref().map_or(0, |l| l.fields.len() as u64);
                if data.union {
                    fields.min(1)
                } else {
                    fields
                }
            }
            _ => 0,
        }
    }

    /// Member `next` of a level.
    fn part_at(&self, level: &Level) -> Option<Part> {
        match self.ty(level.ty) {
            Type::Array { elem, .. } => {
                let size = layout::size_of(&self.unit.types, elem.ty)?;
                let offset = size.checked_mul(level.next)?.checked_add(level.base)?;
                Some(Part { ty: *elem, offset, bits: None })
            }
            Type::Record(r) => {
                let field = self.unit.types.records[*r].layout.as_ref()?.fields.get(level.next as usize)?;
                Some(Part { ty: field.ty, offset: level.base + field.offset, bits: field.bits })
            }
            _ => None,
        }
    }

    /// Initialises the part under the cursor, going down where braces are left out, and moves on.
    fn item(&mut self, b: &mut Builder, levels: &mut Vec<Level>, node: &'a Node<Initializer>) -> Res<()> {
        let mut value: Option<Expr> = None;
        loop {
            let Some(level) = levels.last() else { return Ok(()) };
            let Some(part) = self.part_at(level) else { return self.fail(node.span, "there is nothing to initialise") };
            if matches!(self.ty(part.ty.ty), Type::Array { len: None, .. }) {
                return self.fail(node.span, "initialising a flexible array member is not supported");
            }
            let e = match &node.node {
                Initializer::List(items) => {
                    self.braced(b, part, items, node.span)?;
                    advance(levels);
                    return Ok(());
                }
                Initializer::Expression(e) => e,
            };
            match *self.ty(part.ty.ty) {
                Type::Array { elem, len } => {
                    if let Some((lit, count)) = self.string_for(elem.ty, e)? {
                        b.push(part, InitValue::Str { lit, len: len.unwrap_or(count) });
                        advance(levels);
                        return Ok(());
                    }
                }
                Type::Record(_) => {
                    if value.is_none() {
                        value = Some(self.rvalue(e)?);
                    }
                    let same = value.as_ref().map(|v| v.ty).is_some_and(|t| self.composite(part.ty.ty, t).is_some());
                    if let (true, Some(v)) = (same, value.take_if(|_| same)) {
                        self.scalar_value(b, part, v, e.span)?;
                        advance(levels);
                        return Ok(());
                    }
                }
                _ => {
                    match value.take() {
                        Some(v) => self.scalar_value(b, part, v, e.span)?,
                        None => self.scalar(b, part, e)?,
                    }
                    advance(levels);
                    return Ok(());
                }
            }
            if self.members_of(part.ty.ty) == 0 {
                // An empty record takes no element.
                advance(levels);
                self.leave_full(levels);
                continue;
            }
            levels.push(Level { ty: part.ty.ty, base: part.offset, next: 0 });
        }
    }

    /// Moves the cursor to what `.a[3]` names; for `[a ... b]` to `b`, with the number of copies before it and
    /// how far apart they are.
    fn designate(
        &mut self,
        b: &mut Builder,
        levels: &mut Vec<Level>,
        designation: &'a [Node<Designator>],
    ) -> Res<Option<(u64, u64)>> {
        let mut copies = None;
        for (i, node) in designation.iter().enumerate() {
            if i > 0 {
                let level = levels.last().copied();
                let Some(part) = level.and_then(|l| self.part_at(&l)) else {
                    return self.fail(node.span, "the designator names nothing");
                };
                levels.push(Level { ty: part.ty.ty, base: part.offset, next: 0 });
            }
            match &node.node {
                Designator::Member(id) => self.designate_member(b, levels, id)?,
                Designator::Index(e) => {
                    let index = self.constant_unsigned(e)?;
                    self.designate_index(levels, index, e.span)?;
                }
                Designator::Range(range) => {
                    let from = self.constant_unsigned(&range.node.from)?;
                    let to = self.constant_unsigned(&range.node.to)?;
                    if from > to || to - from >= MAX_RANGE {
                        return self.fail(node.span, "the range is empty or too long");
                    }
                    self.designate_index(levels, to, node.span)?;
                    let elem = levels.last().map(|l| l.ty).and_then(|ty| match self.ty(ty) {
                        Type::Array { elem, .. } => layout::size_of(&self.unit.types, elem.ty),
                        _ => None,
                    });
                    copies = Some((to - from, elem.unwrap_or(0)));
                }
            }
        }
        Ok(copies)
    }

    fn designate_index(&mut self, levels: &mut [Level], index: u64, span: Span) -> Res<()> {
        let Some(level) = levels.last_mut() else { return Ok(()) };
        let ty = level.ty;
        level.next = index;
        match *self.ty(ty) {
            Type::Array { elem, len } => {
                let size = layout::size_of(&self.unit.types, elem.ty).and_then(|s| s.checked_mul(index + 1));
                let fits = size.is_some_and(|s| s <= layout::max_object(self.unit.types.model));
                if len.is_some_and(|n| index >= n) || !fits {
                    return self.fail(span, "the index is outside the array");
                }
                Ok(())
            }
            _ => self.fail(span, "only an array takes an index here"),
        }
    }

    fn designate_member(&mut self, b: &mut Builder, levels: &mut Vec<Level>, id: &'a Node<ast::Identifier>) -> Res<()> {
        let Some(level) = levels.last().copied() else { return Ok(()) };
        let Some(path) = self.member_path(level.ty, &id.node.name) else {
            let text = self.describe(level.ty);
            return self.fail(id.span, format!("`{text}` has no member `{}`", id.node.name));
        };
        for (i, index) in path.into_iter().enumerate() {
            if i > 0 {
                let Some(part) = levels.last().copied().and_then(|l| self.part_at(&l)) else { return Ok(()) };
                levels.push(Level { ty: part.ty.ty, base: part.offset, next: 0 });
            }
            let Some(level) = levels.last_mut() else { return Ok(()) };
            level.next = u64::from(index);
            let (ty, base) = (level.ty, level.base);
            // Another member of a union takes the place of the one before.
            if matches!(self.ty(ty), Type::Record(r) if self.unit.types.records[*r].union) {
                let size = layout::size_of(&self.unit.types, ty).unwrap_or(0);
                b.items.retain(|item| item.offset < base || item.offset >= base + size);
            }
        }
        Ok(())
    }

    fn replicate(&mut self, b: &mut Builder, before: usize, count: u64, stride: u64, span: Span) -> Res<()> {
        let new: Vec<InitItem> = b.items[before..].to_vec();
        for item in &new {
            if let InitValue::Expr(e) = &item.value {
                let simple = matches!(e.kind, ExprKind::Int(_) | ExprKind::Float { .. } | ExprKind::FuncAddr(_));
                if !simple && self.fold(e).is_none() && !b.is_static {
                    return self.fail(span, "a range of elements needs a constant here");
                }
            }
        }
        for n in 1..=count {
            for item in &new {
                b.items.push(InitItem { offset: item.offset.wrapping_sub(n * stride), ..item.clone() });
            }
        }
        Ok(())
    }

    /// In order of offset; what a later item covers is gone.
    fn ordered(&self, items: Vec<InitItem>) -> Vec<InitItem> {
        // By their first bit: the unit of a bit-field may begin where another member does.
        let mut map: BTreeMap<u128, InitItem> = BTreeMap::new();
        for item in items {
            let at = u128::from(item.offset) * 8 + u128::from(item.bits.map_or(0, |b| b.offset));
            if item.bits.is_none() {
                let size = match &item.value {
                    InitValue::Expr(e) => layout::size_of(&self.unit.types, e.ty).unwrap_or(1),
                    InitValue::Str { lit, len } => {
                        let elem = self.unit.strings[*lit].elem;
                        layout::size_of(&self.unit.types, elem).unwrap_or(1) * len
                    }
                };
                let covered: Vec<u128> = map.range(at..at + u128::from(size) * 8).map(|(k, _)| *k).collect();
                for key in covered {
                    map.remove(&key);
                }
            }
            map.insert(at, item);
        }
        map.into_values().collect()
    }

    pub(super) fn compound_literal(&mut self, node: &'a Node<ast::CompoundLiteral>) -> Res<Lval> {
        let ty = self.type_name(&node.node.type_name)?;
        let is_static = self.body.is_none();
        let (init, complete) = self.init_list(ty, &node.node.initializer_list, is_static, node.span)?;
        if !self.is_complete(complete) || self.is_variable(complete) {
            return self.fail(node.span, "a compound literal needs a complete type");
        }
        let loc = self.loc(node.span);
        let storage = if is_static { Storage::Static } else { Storage::Local };
        let obj = self.new_object(String::new(), complete, storage, loc);
        let ty = Qual { ty: complete, ..ty };
        self.unit.objects[obj].ty = ty;
        if is_static {
            self.unit.objects[obj].init = Some(init);
            return Ok(Lval { ty, loc, kind: LvalKind::Object(obj) });
        }
        Ok(Lval { ty, loc, kind: LvalKind::Compound { obj, init } })
    }
}

impl Builder {
    fn reach(&mut self, count: u64) {
        if self.depth == 1 {
            self.reached = self.reached.max(count);
        }
    }

    fn push(&mut self, part: Part, value: InitValue) {
        self.items.push(InitItem { offset: part.offset, bits: part.bits, value });
    }
}

fn advance(levels: &mut [Level]) {
    if let Some(level) = levels.last_mut() {
        level.next += 1;
    }
}

/// An integer or positive float zero.
fn is_zero(item: &InitItem) -> bool {
    match &item.value {
        InitValue::Expr(e) => matches!(e.kind, ExprKind::Int(0) | ExprKind::Float { bits: 0, .. }),
        InitValue::Str { .. } => false,
    }
}
