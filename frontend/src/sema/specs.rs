//! Declaration specifiers: `static const unsigned long`, `struct s { ... }`, `enum e { ... }`, `typeof(x)`.

use super::scope::{Symbol, Tag};
use super::typing::{plain, unsigned};
use super::{Res, Sema};
use crate::layout::{self, Member, Shape};
use crate::types::{DataModel, IntKind, Qual, Record, RecordData, Type, TypeId};
use lang_c::ast::*;
use lang_c::span::{Node, Span};
use syncline_ir::FloatFormat as Format;

/// The section of variables that syncline.h calls `blocking`.
const BLOCKING: &str = "\"syncline_blocking\"";

/// What attributes say that changes a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    pub packed: bool,
    pub align: Option<u64>,
    pub noreturn: bool,
    /// `blocking` of syncline.h.
    pub blocking: bool,
    mode: Option<String>,
    vector: Option<u64>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Class {
    None,
    Typedef,
    Extern,
    Static,
}

/// The specifiers of one declaration.
#[derive(Clone, Debug)]
pub(super) struct Specs {
    pub ty: Qual,
    pub class: Class,
    pub inline: bool,
    /// `__auto_type`: the type comes from the initialiser.
    pub auto_type: bool,
    pub attributes: Attributes,
}

/// Basic type words, counted as they come.
#[derive(Clone, Default)]
struct Words {
    char: bool,
    short: bool,
    int: bool,
    long: u32,
    float: bool,
    double: bool,
    signed: bool,
    unsigned: bool,
    complex: bool,
    int128: bool,
    auto_type: bool,
    volatile: bool,
    whole: Option<Qual>,
    attributes: Attributes,
}

/// A specifier of a declaration or of a type name.
enum Part<'a> {
    Type(&'a Node<TypeSpecifier>),
    Qualifier(&'a Node<TypeQualifier>),
    Extension(&'a [Node<Extension>]),
    Align(&'a Node<AlignmentSpecifier>),
}

impl<'a> Sema<'a> {
    pub(super) fn specs(&mut self, list: &'a [Node<DeclarationSpecifier>], span: Span) -> Res<Specs> {
        let (mut class, mut inline, mut noreturn) = (Class::None, false, false);
        let mut parts = Vec::with_capacity(list.len());
        for node in list {
            match &node.node {
                DeclarationSpecifier::StorageClass(class_node) => match class_node.node {
                    StorageClassSpecifier::Typedef => class = Class::Typedef,
                    StorageClassSpecifier::Extern => class = Class::Extern,
                    StorageClassSpecifier::Static => class = Class::Static,
                    // One thread runs, so a thread's own copy is the only one.
                    StorageClassSpecifier::ThreadLocal
                    | StorageClassSpecifier::Auto
                    | StorageClassSpecifier::Register => {}
                },
                DeclarationSpecifier::TypeSpecifier(t) => parts.push(Part::Type(t)),
                DeclarationSpecifier::TypeQualifier(q) => parts.push(Part::Qualifier(q)),
                DeclarationSpecifier::Function(f) => match f.node {
                    FunctionSpecifier::Inline => inline = true,
                    FunctionSpecifier::Noreturn => noreturn = true,
                },
                DeclarationSpecifier::Alignment(a) => parts.push(Part::Align(a)),
                DeclarationSpecifier::Extension(e) => parts.push(Part::Extension(e)),
            }
        }
        let (ty, auto_type, mut attributes) = self.parts(&parts, span)?;
        attributes.noreturn |= noreturn;
        Ok(Specs { ty, class, inline, auto_type, attributes })
    }

    pub(super) fn qualifier_specs(
        &mut self,
        list: &'a [Node<SpecifierQualifier>],
        span: Span,
    ) -> Res<(Qual, Attributes)> {
        let parts: Vec<Part<'a>> = list
            .iter()
            .map(|node| match &node.node {
                SpecifierQualifier::TypeSpecifier(t) => Part::Type(t),
                SpecifierQualifier::TypeQualifier(q) => Part::Qualifier(q),
                SpecifierQualifier::Extension(e) => Part::Extension(e),
            })
            .collect();
        let (ty, _, attributes) = self.parts(&parts, span)?;
        Ok((ty, attributes))
    }

    fn parts(&mut self, parts: &[Part<'a>], span: Span) -> Res<(Qual, bool, Attributes)> {
        let mut words = Words::default();
        // What follows the body of a record is about the record, not about what is declared.
        let mut body = false;
        for (i, part) in parts.iter().enumerate() {
            match part {
                Part::Type(node) => {
                    body |= matches!(&node.node, TypeSpecifier::Struct(s) if s.node.declarations.is_some());
                    self.type_word(node, &parts[i + 1..], &mut words)?;
                }
                Part::Qualifier(q) => words.volatile |= q.node == TypeQualifier::Volatile,
                Part::Extension(list) => {
                    let (align, packed) = (words.attributes.align, words.attributes.packed);
                    self.attributes(list, &mut words.attributes)?;
                    if body {
                        (words.attributes.align, words.attributes.packed) = (align, packed);
                    }
                }
                Part::Align(node) => {
                    let align = match &node.node {
                        AlignmentSpecifier::Type(t) => {
                            let ty = self.type_name(t)?;
                            layout::align_of(&self.unit.types, ty.ty)
                        }
                        AlignmentSpecifier::Constant(e) => self.constant_unsigned(e)?,
                    };
                    words.attributes.align = words.attributes.align.max(Some(align).filter(|&a| a > 0));
                }
            }
        }
        let mut ty = match words.whole {
            Some(ty) => ty,
            None => plain(self.basic_type(&words, span)?),
        };
        ty = self.apply_attributes(ty, &words.attributes);
        if words.volatile {
            ty = self.make_volatile(ty);
        }
        Ok((ty, words.auto_type, words.attributes))
    }

    fn type_word(&mut self, node: &'a Node<TypeSpecifier>, rest: &[Part<'a>], words: &mut Words) -> Res<()> {
        match &node.node {
            TypeSpecifier::Void => words.whole = Some(plain(self.basic.void)),
            TypeSpecifier::Char => words.char = true,
            TypeSpecifier::Short => words.short = true,
            TypeSpecifier::Int => words.int = true,
            TypeSpecifier::Long => words.long += 1,
            TypeSpecifier::Float => words.float = true,
            TypeSpecifier::Double => words.double = true,
            TypeSpecifier::Signed => words.signed = true,
            TypeSpecifier::Unsigned => words.unsigned = true,
            TypeSpecifier::Bool => words.whole = Some(plain(self.int_type(IntKind::Bool))),
            TypeSpecifier::Complex => words.complex = true,
            TypeSpecifier::Atomic(name) => words.whole = Some(self.type_name(name)?),
            TypeSpecifier::Struct(s) => {
                let mut attributes = Attributes::default();
                if s.node.declarations.is_some() {
                    for part in rest {
                        if let Part::Extension(list) = part {
                            self.attributes(list, &mut attributes)?;
                        }
                    }
                }
                let record = self.struct_type(s, attributes)?;
                words.whole = Some(plain(self.unit.types.intern(Type::Record(record))));
            }
            TypeSpecifier::Enum(e) => {
                let mut attributes = Attributes::default();
                for part in rest {
                    if let Part::Extension(list) = part {
                        self.attributes(list, &mut attributes)?;
                    }
                }
                words.whole = Some(plain(self.enum_type(e, attributes)?));
            }
            TypeSpecifier::TypedefName(name) => words.whole = Some(self.typedef_name(name, words)?),
            TypeSpecifier::TypeOf(t) => {
                let ty = match &t.node {
                    TypeOf::Expression(e) => self.typeof_expression(e)?,
                    TypeOf::Type(name) => self.type_name(name)?,
                };
                words.whole = Some(ty);
            }
            TypeSpecifier::TS18661Float(float) => self.float_word(float, node.span, words),
        }
        Ok(())
    }

    fn typedef_name(&mut self, name: &'a Node<Identifier>, words: &mut Words) -> Res<Qual> {
        let text = name.node.name.as_str();
        match self.scope.lookup(text) {
            Some(Symbol::Typedef(ty, align)) => {
                words.attributes.align = words.attributes.align.max(align);
                Ok(ty)
            }
            None if text == "__builtin_va_list" => Ok(plain(self.va_list())),
            _ => self.fail(name.span, format!("`{text}` is not a type here")),
        }
    }

    /// The parser takes `typeof(T)` for the expression `T`.
    fn typeof_expression(&mut self, e: &'a Node<Expression>) -> Res<Qual> {
        match &e.node {
            Expression::Identifier(id) => {
                if let Some(Symbol::Typedef(ty, _)) = self.scope.lookup(&id.node.name) {
                    return Ok(ty);
                }
            }
            Expression::BinaryOperator(op) if self.names_type(e) => {
                let elem = self.typeof_expression(&op.node.lhs)?;
                let len = self.constant_unsigned(&op.node.rhs)?;
                return Ok(plain(self.unit.types.intern(Type::Array { elem, len: Some(len) })));
            }
            _ => {}
        }
        self.type_of(e)
    }

    fn names_type(&self, e: &Node<Expression>) -> bool {
        match &e.node {
            Expression::Identifier(id) => matches!(self.scope.lookup(&id.node.name), Some(Symbol::Typedef(..))),
            Expression::BinaryOperator(op) if op.node.operator.node == BinaryOperator::Index => {
                self.names_type(&op.node.lhs)
            }
            _ => false,
        }
    }

    fn float_word(&mut self, float: &TS18661FloatType, span: Span, words: &mut Words) {
        let text = self.source.original(span.start);
        if text.starts_with("__auto_type") {
            words.auto_type = true;
            words.whole = Some(plain(self.basic.int));
            return;
        }
        if text.starts_with("__uint128_t") {
            (words.int128, words.unsigned) = (true, true);
            return;
        }
        if text.starts_with("__int128") {
            words.int128 = true;
            return;
        }
        let binary = matches!(float.format, TS18661FloatFormat::BinaryInterchange | TS18661FloatFormat::BinaryExtended);
        let extended = matches!(float.format, TS18661FloatFormat::BinaryExtended | TS18661FloatFormat::DecimalExtended);
        let ty = match (binary, extended, float.width) {
            (true, false, 32) => Type::Float(Format::F32),
            (true, false, 64) | (true, true, 32) => Type::Float(Format::F64),
            (true, true, 64) => Type::Float(Format::X87),
            (true, ..) => Type::Opaque(format!("_Float{}", float.width)),
            (false, ..) => Type::Opaque(format!("_Decimal{}", float.width)),
        };
        words.whole = Some(plain(self.unit.types.intern(ty)));
    }

    fn basic_type(&mut self, w: &Words, span: Span) -> Res<TypeId> {
        let ty = if w.complex {
            let of = match (w.float, w.long) {
                (true, _) => "float",
                (_, 0) => "double",
                _ => "long double",
            };
            Type::Opaque(format!("_Complex {of}"))
        } else if w.float {
            Type::Float(Format::F32)
        } else if w.double {
            Type::Float(if w.long > 0 { Format::X87 } else { Format::F64 })
        } else {
            let any = w.char || w.short || w.int || w.long > 0 || w.signed || w.unsigned || w.int128;
            if !any {
                return self.fail(span, "a type is missing");
            }
            let signed = match (w.char, w.short, w.long, w.int128) {
                (true, ..) if w.signed => IntKind::SChar,
                (true, ..) => IntKind::Char,
                (_, true, ..) => IntKind::Short,
                (_, _, 1, _) => IntKind::Long,
                (_, _, 2.., _) => IntKind::LongLong,
                (.., true) => IntKind::Int128,
                _ => IntKind::Int,
            };
            Type::Int(if w.unsigned { unsigned(signed) } else { signed })
        };
        Ok(self.unit.types.intern(ty))
    }

    /// `va_list`: a pointer on i386, an array of one record on x86-64.
    pub(super) fn va_list(&mut self) -> TypeId {
        if self.unit.types.model == DataModel::Ilp32 {
            return self.basic.char_ptr;
        }
        const TAG: &str = "__va_list_tag";
        let found = self.unit.types.records.iter().find(|(_, r)| r.tag == TAG).map(|(id, _)| id);
        let record = found.unwrap_or_else(|| {
            let member = |name: &str, ty| Member { name: name.into(), ty, width: None, align: None, packed: false };
            let (uint, ptr) = (plain(self.basic.uint), plain(self.basic.void_ptr));
            let members = [
                member("gp_offset", uint),
                member("fp_offset", uint),
                member("overflow_arg_area", ptr),
                member("reg_save_area", ptr),
            ];
            let layout = layout::record(&self.unit.types, &members, Shape::default());
            let data = RecordData { tag: TAG.into(), union: false, layout, loc: Default::default() };
            self.unit.types.records.push(data)
        });
        let elem = plain(self.unit.types.intern(Type::Record(record)));
        self.unit.types.intern(Type::Array { elem, len: Some(1) })
    }

    pub(super) fn attributes(&mut self, list: &'a [Node<Extension>], into: &mut Attributes) -> Res<()> {
        for node in list {
            let Extension::Attribute(attribute) = &node.node else { continue };
            let name = attribute.name.node.trim_start_matches("__").trim_end_matches("__");
            let argument = attribute.arguments.first();
            match name {
                "packed" => into.packed = true,
                "noreturn" => into.noreturn = true,
                "aligned" => {
                    let align = match argument {
                        Some(e) => self.constant_unsigned(e)?,
                        None => 16,
                    };
                    if !align.is_power_of_two() || align > 1 << 28 {
                        return self.fail(node.span, "the alignment is not a power of two");
                    }
                    into.align = into.align.max(Some(align));
                }
                "mode" => {
                    if let Some(Expression::Identifier(id)) = argument.map(|e| &e.node) {
                        into.mode = Some(id.node.name.trim_matches('_').to_string());
                    }
                }
                "vector_size" => {
                    if let Some(e) = argument {
                        into.vector = Some(self.constant_unsigned(e)?);
                    }
                }
                "section" => {
                    into.blocking |= argument.is_some_and(|e| self.source.original(e.span.start).starts_with(BLOCKING))
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// `mode` and `vector_size` make another type of it.
    pub(super) fn apply_attributes(&mut self, q: Qual, attributes: &Attributes) -> Qual {
        let mut ty = q.ty;
        if let Some(mode) = &attributes.mode {
            let model = self.unit.types.model;
            let signed = self.int_kind(ty).is_none_or(IntKind::signed);
            let wide = if model == DataModel::Lp64 { IntKind::Long } else { IntKind::LongLong };
            let kind = match mode.as_str() {
                "QI" | "byte" => Some(IntKind::SChar),
                "HI" => Some(IntKind::Short),
                "SI" => Some(IntKind::Int),
                "DI" => Some(wide),
                "TI" => Some(IntKind::Int128),
                "word" | "pointer" | "unwind_word" => Some(model.ptrdiff_type()),
                _ => None,
            };
            let float = match mode.as_str() {
                "SF" => Some(Format::F32),
                "DF" => Some(Format::F64),
                "XF" => Some(Format::X87),
                _ => None,
            };
            ty = match (kind, float) {
                (Some(kind), _) => self.int_type(if signed { kind } else { unsigned(kind) }),
                (_, Some(format)) => self.unit.types.intern(Type::Float(format)),
                _ => self.unit.types.intern(Type::Opaque(format!("a type of mode {mode}"))),
            };
        }
        if let Some(bytes) = attributes.vector {
            let of = self.describe(ty);
            ty = self.unit.types.intern(Type::Opaque(format!("vector of {bytes} bytes of {of}")));
        }
        Qual { ty, ..q }
    }

    fn struct_type(&mut self, node: &'a Node<StructType>, mut attributes: Attributes) -> Res<Record> {
        let union = node.node.kind.node == StructKind::Union;
        let name = node.node.identifier.as_ref().map(|id| id.node.name.as_str());
        let Some(declarations) = &node.node.declarations else {
            let name = name.unwrap_or_default();
            return match self.scope.tag(name) {
                Some(Tag::Record(record)) => Ok(record),
                Some(Tag::Enum(..)) => self.fail(node.span, format!("`{name}` is an enum")),
                None => Ok(self.new_record(Some(name), union, node.span)),
            };
        };
        let record = match name.and_then(|n| self.scope.tag_here(n)) {
            Some(Tag::Record(record)) => {
                let data = &self.unit.types.records[record];
                if data.layout.is_some() || data.union != union {
                    return self.fail(node.span, format!("`{}` is defined twice", name.unwrap_or_default()));
                }
                record
            }
            Some(Tag::Enum(..)) => return self.fail(node.span, "the tag names an enum"),
            None => self.new_record(name, union, node.span),
        };
        // Of two alignments the later counts.
        let mut before = None;
        for raw in self.source.struct_attributes(node.span.start) {
            match (raw.name.as_str(), raw.number, raw.argument) {
                ("packed", ..) => attributes.packed = true,
                ("aligned", Some(n), _) if n.is_power_of_two() => before = Some(n),
                ("aligned", None, false) => before = Some(16),
                ("aligned", Some(_), _) => return self.fail(node.span, "the alignment is not a power of two"),
                ("aligned", None, true) => {
                    return self.fail(node.span, "an alignment after `struct` must be a plain number here");
                }
                _ => {}
            }
        }
        attributes.align = attributes.align.or(before);
        let members = self.members(declarations)?;
        let pack = self.source.pack(node.span.end);
        let shape = Shape { union, packed: attributes.packed, align: attributes.align, pack };
        match layout::record(&self.unit.types, &members, shape) {
            Some(layout) => self.unit.types.records[record].layout = Some(layout),
            None => return self.fail(node.span, "the type is too large"),
        }
        Ok(record)
    }

    fn new_record(&mut self, name: Option<&'a str>, union: bool, span: Span) -> Record {
        let loc = self.loc(span);
        let tag = name.unwrap_or_default().to_string();
        let record = self.unit.types.records.push(RecordData { tag, union, layout: None, loc });
        if let Some(name) = name {
            self.scope.declare_tag(name, Tag::Record(record));
        }
        record
    }

    fn members(&mut self, declarations: &'a [Node<StructDeclaration>]) -> Res<Vec<Member>> {
        let mut members = Vec::new();
        for declaration in declarations {
            match &declaration.node {
                StructDeclaration::Field(field) => self.member(field, &mut members)?,
                StructDeclaration::StaticAssert(assertion) => self.static_assert(assertion)?,
            }
        }
        Ok(members)
    }

    fn member(&mut self, field: &'a Node<StructField>, members: &mut Vec<Member>) -> Res<()> {
        let (base, attributes) = self.qualifier_specs(&field.node.specifiers, field.span)?;
        if field.node.declarators.is_empty() {
            // An anonymous record; any other declaration without a name declares no member.
            if let Type::Record(record) = self.ty(base.ty) {
                let data = &self.unit.types.records[*record];
                if data.tag.is_empty() && data.layout.is_some() {
                    let Attributes { align, packed, .. } = attributes;
                    members.push(Member { name: String::new(), ty: base, width: None, align, packed });
                }
            }
            return Ok(());
        }
        for node in &field.node.declarators {
            let mut own = attributes.clone();
            // `packed` after the member's record type is about that type.
            own.packed = false;
            let (name, mut ty) = match &node.node.declarator {
                Some(declarator) => {
                    let declared = self.declarator(declarator, base)?;
                    self.attributes(declared.extensions, &mut own)?;
                    (declared.name.map_or("", |(name, _)| name), declared.ty)
                }
                None => ("", base),
            };
            if own.mode.is_some() || own.vector.is_some() {
                ty = self.apply_attributes(ty, &own);
            }
            let width = match &node.node.bit_width {
                Some(e) => Some(self.bit_width(e, ty, name)?),
                None => {
                    self.check_member(ty, name, node.span)?;
                    None
                }
            };
            members.push(Member { name: name.to_string(), ty, width, align: own.align, packed: own.packed });
        }
        Ok(())
    }

    fn check_member(&mut self, ty: Qual, name: &str, span: Span) -> Res<()> {
        let flexible = matches!(self.ty(ty.ty), Type::Array { len: None, elem } if self.is_complete(elem.ty));
        if flexible || (self.is_complete(ty.ty) && !self.is_variable(ty.ty)) {
            return Ok(());
        }
        let text = self.describe(ty.ty);
        self.fail(span, format!("member `{name}` has the incomplete type `{text}`"))
    }

    fn bit_width(&mut self, e: &'a Node<Expression>, ty: Qual, name: &str) -> Res<u32> {
        let width = self.constant_unsigned(e)?;
        let model = self.unit.types.model;
        let Some(kind) = self.int_kind(ty.ty) else {
            return self.fail(e.span, "a bit-field must have an integer type");
        };
        let most = if kind == IntKind::Bool { 1 } else { u64::from(kind.bits(model)) };
        if width > most {
            return self.fail(e.span, format!("the width of `{name}` exceeds its type"));
        }
        if width == 0 && !name.is_empty() {
            return self.fail(e.span, format!("bit-field `{name}` has width zero"));
        }
        Ok(width as u32)
    }

    fn enum_type(&mut self, node: &'a Node<EnumType>, mut attributes: Attributes) -> Res<TypeId> {
        let name = node.node.identifier.as_ref().map(|id| id.node.name.as_str());
        let list = &node.node.enumerators;
        if list.is_empty() {
            let name = name.unwrap_or_default();
            return match self.scope.tag(name) {
                Some(Tag::Enum(ty, _)) => Ok(ty),
                Some(Tag::Record(_)) => self.fail(node.span, format!("`{name}` is a struct or union")),
                None => {
                    self.scope.declare_tag(name, Tag::Enum(self.basic.uint, false));
                    Ok(self.basic.uint)
                }
            };
        }
        attributes.packed |= self.source.struct_attributes(node.span.start).iter().any(|a| a.name == "packed");
        let (mut next, mut min, mut max) = (0i128, 0i128, 0i128);
        let mut values = Vec::with_capacity(list.len());
        for enumerator in list {
            if let Some(e) = &enumerator.node.expression {
                next = self.constant_integer(e)?;
            }
            (min, max) = (min.min(next), max.max(next));
            let name = enumerator.node.identifier.node.name.as_str();
            if self.scope.lookup_here(name).is_some() {
                return self.fail(enumerator.span, format!("`{name}` is declared twice"));
            }
            let ty = self.enumerator_type(next);
            self.scope.declare(name, Symbol::Constant(next, ty));
            values.push((name, next));
            next += 1;
        }
        let model = self.unit.types.model;
        let ty = self.int_type(layout::enum_kind(min, max, attributes.packed, model));
        for (name, value) in values {
            // Values that fit `int` have that type; others the enum's.
            if i32::try_from(value).is_err() {
                self.scope.declare(name, Symbol::Constant(value, ty));
            }
        }
        match name.map(|n| (n, self.scope.tag_here(n))) {
            Some((name, Some(Tag::Enum(_, false)))) => self.scope.update_tag(name, Tag::Enum(ty, true)),
            Some((name, Some(_))) => return self.fail(node.span, format!("`{name}` is defined twice")),
            Some((name, None)) => self.scope.declare_tag(name, Tag::Enum(ty, true)),
            None => {}
        }
        Ok(ty)
    }

    /// While its enum is still open.
    fn enumerator_type(&mut self, value: i128) -> TypeId {
        match i32::try_from(value) {
            Ok(_) => self.basic.int,
            Err(_) => {
                let kind = layout::enum_kind(value.min(0), value.max(0), false, self.unit.types.model);
                self.int_type(kind)
            }
        }
    }
}
