//! What the text says about types and the typed program no longer knows: the names of types (of which some mean "a
//! truth value"), enumerators, `const`, the texts of parameters, and who calls whom.

use crate::parse::Parsed;
use crate::tokens::Source;
use lang_c::ast::*;
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use std::collections::{BTreeMap, BTreeSet};

/// Names of types for truth values that C sees as numbers.
const TRUTH: &[&str] = &[
    "boolean_T",
    "kcg_bool",
    "SCADE_bool",
    "bool",
    "Bool",
    "BOOL",
    "boolean",
    "Boolean",
    "BOOLEAN",
    "bool_t",
    "bool_T",
    "boolean_t",
    "bool8",
    "Bool8",
];

/// How deep names of types are followed.
const DEPTH: usize = 32;

/// What the specifiers of a declaration name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Base {
    /// The name of a type, if it is one.
    pub alias: Option<String>,
    /// The enumerators of an enumeration in its place.
    enumerators: Option<Vec<String>>,
    tag: Option<String>,
    pub constant: bool,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    Value,
    Pointer,
    /// Of so many elements.
    Array(u64),
}

#[derive(Clone, Debug)]
pub struct Param {
    pub name: String,
    pub base: Base,
    pub shape: Shape,
    /// The declaration's text before and after the name, without qualifiers.
    pub text: (String, String),
}

/// What all values of an input are, by the name of its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    Truth(String),
    OneOf(Vec<String>),
}

/// Of one translation unit.
#[derive(Default, Debug)]
pub struct Names {
    typedefs: BTreeMap<String, (Base, Shape)>,
    enums: BTreeMap<String, Vec<String>>,
    /// By the place of the record, the types of its fields.
    fields: BTreeMap<(String, u32, u32), BTreeMap<String, Base>>,
    pub globals: BTreeMap<String, Base>,
    pub functions: BTreeMap<String, Vec<Param>>,
    pub calls: BTreeMap<String, BTreeSet<String>>,
    /// All names at file scope.
    pub taken: BTreeSet<String>,
}

impl Names {
    pub fn of(parsed: &Parsed) -> Names {
        let mut reader = Reader { names: Names::default(), source: &parsed.source, function: None };
        reader.visit_translation_unit(&parsed.unit);
        reader.names
    }

    pub fn field(&self, record: &(String, u32, u32), field: &str) -> Option<&Base> {
        self.fields.get(record)?.get(field)
    }

    /// What the values of a type with a name are.
    pub fn meaning(&self, base: &Base) -> Option<Meaning> {
        let mut base = base;
        for _ in 0..DEPTH {
            if let Some(names) = &base.enumerators {
                return Some(Meaning::OneOf(names.clone()));
            }
            if let Some(names) = base.tag.as_ref().and_then(|t| self.enums.get(t)) {
                return Some(Meaning::OneOf(names.clone()));
            }
            let alias = base.alias.as_ref()?;
            if TRUTH.contains(&alias.as_str()) {
                return Some(Meaning::Truth(alias.clone()));
            }
            base = &self.typedefs.get(alias)?.0;
        }
        None
    }

    /// The shape of a parameter once the names of types are followed.
    pub fn shape(&self, param: &Param) -> Shape {
        let (mut shape, mut base) = (param.shape, &param.base);
        for _ in 0..DEPTH {
            let Some((next, of)) = base.alias.as_ref().and_then(|a| self.typedefs.get(a)) else { break };
            if shape == Shape::Value {
                shape = *of;
            }
            base = next;
        }
        shape
    }
}

struct Reader<'s> {
    names: Names,
    source: &'s Source,
    /// The function whose body is read.
    function: Option<String>,
}

impl Reader<'_> {
    fn base(&self, parts: impl Iterator<Item = Part>) -> Base {
        let mut base = Base::default();
        for part in parts {
            match part {
                Part::Alias(name) => base.alias = Some(name),
                Part::Enum(tag, names) => {
                    base.tag = tag;
                    base.enumerators = (!names.is_empty()).then_some(names);
                }
                Part::Const => base.constant = true,
                Part::Other => {}
            }
        }
        base
    }

    fn of_declaration(&self, list: &[Node<DeclarationSpecifier>]) -> Base {
        self.base(list.iter().map(|node| match &node.node {
            DeclarationSpecifier::TypeSpecifier(t) => specifier(&t.node),
            DeclarationSpecifier::TypeQualifier(q) => qualifier(&q.node),
            _ => Part::Other,
        }))
    }

    fn of_field(&self, list: &[Node<SpecifierQualifier>]) -> Base {
        self.base(list.iter().map(|node| match &node.node {
            SpecifierQualifier::TypeSpecifier(t) => specifier(&t.node),
            SpecifierQualifier::TypeQualifier(q) => qualifier(&q.node),
            SpecifierQualifier::Extension(_) => Part::Other,
        }))
    }

    fn param(&self, node: &Node<ParameterDeclaration>) -> Option<Param> {
        let declarator = node.node.declarator.as_ref()?;
        let name = identifier(declarator)?;
        let mut before = unqualified(self.source.original_span(node.span.start, name.span.start));
        let mut after = unqualified(self.source.original_span(name.span.end, node.span.end));
        let shape = shape(declarator);
        // `int a[]` and `int a[n]` are pointers.
        if let (Shape::Pointer, Some(rest)) = (shape, after.trim_start().strip_prefix('[')) {
            before.push_str(" (*");
            after = format!("){}", rest.split_once(']').map_or("", |(_, rest)| rest));
        }
        let base = self.of_declaration(&node.node.specifiers);
        Some(Param { name: name.node.name.clone(), base, shape, text: (before, after) })
    }

    fn define(&mut self, function: &FunctionDefinition) -> Option<String> {
        let name = identifier(&function.declarator)?.node.name.clone();
        let params = parameters(&function.declarator).unwrap_or_default();
        let params = params.iter().filter_map(|p| self.param(p)).collect();
        self.names.functions.insert(name.clone(), params);
        self.names.taken.insert(name.clone());
        Some(name)
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_function_definition(&mut self, function: &'ast FunctionDefinition, span: &'ast Span) {
        self.function = self.define(function);
        visit::visit_function_definition(self, function, span);
        self.function = None;
    }

    fn visit_declaration(&mut self, declaration: &'ast Declaration, span: &'ast Span) {
        if self.function.is_none() {
            let base = self.of_declaration(&declaration.specifiers);
            let is_typedef = |node: &Node<DeclarationSpecifier>| matches!(&node.node, DeclarationSpecifier::StorageClass(c) if c.node == StorageClassSpecifier::Typedef);
            let typedef = declaration.specifiers.iter().any(is_typedef);
            for node in &declaration.declarators {
                let declarator = &node.node.declarator;
                let Some(name) = identifier(declarator).map(|id| id.node.name.clone()) else { continue };
                self.names.taken.insert(name.clone());
                match typedef {
                    true => drop(self.names.typedefs.insert(name, (base.clone(), shape(declarator)))),
                    false => drop(self.names.globals.insert(name, base.clone())),
                }
            }
        }
        visit::visit_declaration(self, declaration, span);
    }

    fn visit_struct_type(&mut self, record: &'ast StructType, span: &'ast Span) {
        let place = self.source.place(span.start);
        let key = (place.file, place.line, place.column);
        for declaration in record.declarations.iter().flatten() {
            let StructDeclaration::Field(field) = &declaration.node else { continue };
            let base = self.of_field(&field.node.specifiers);
            for node in &field.node.declarators {
                let Some(declarator) = &node.node.declarator else { continue };
                let Some(name) = identifier(declarator) else { continue };
                let fields = self.names.fields.entry(key.clone()).or_default();
                fields.insert(name.node.name.clone(), base.clone());
            }
        }
        visit::visit_struct_type(self, record, span);
    }

    fn visit_enum_type(&mut self, e: &'ast EnumType, span: &'ast Span) {
        let names: Vec<String> = e.enumerators.iter().map(|n| n.node.identifier.node.name.clone()).collect();
        if self.function.is_none() {
            self.names.taken.extend(names.iter().cloned());
        }
        if let (Some(tag), false) = (&e.identifier, names.is_empty()) {
            self.names.enums.insert(tag.node.name.clone(), names);
        }
        visit::visit_enum_type(self, e, span);
    }

    fn visit_call_expression(&mut self, call: &'ast CallExpression, span: &'ast Span) {
        if let (Expression::Identifier(callee), Some(caller)) = (&call.callee.node, &self.function) {
            self.names.calls.entry(caller.clone()).or_default().insert(callee.node.name.clone());
        }
        visit::visit_call_expression(self, call, span);
    }
}

/// What a specifier says of a type.
enum Part {
    Alias(String),
    Enum(Option<String>, Vec<String>),
    Const,
    Other,
}

fn specifier(specifier: &TypeSpecifier) -> Part {
    match specifier {
        TypeSpecifier::TypedefName(name) => Part::Alias(name.node.name.clone()),
        TypeSpecifier::Enum(e) => {
            let names = e.node.enumerators.iter().map(|n| n.node.identifier.node.name.clone()).collect();
            Part::Enum(e.node.identifier.as_ref().map(|id| id.node.name.clone()), names)
        }
        TypeSpecifier::Struct(s) => match &s.node.identifier {
            Some(tag) => Part::Alias(tag.node.name.clone()),
            None => Part::Other,
        },
        _ => Part::Other,
    }
}

fn qualifier(qualifier: &TypeQualifier) -> Part {
    match qualifier {
        TypeQualifier::Const => Part::Const,
        _ => Part::Other,
    }
}

fn identifier(declarator: &Node<Declarator>) -> Option<&Node<Identifier>> {
    match &declarator.node.kind.node {
        DeclaratorKind::Identifier(id) => Some(id),
        DeclaratorKind::Declarator(inner) => identifier(inner),
        DeclaratorKind::Abstract => None,
    }
}

/// The parameters of a function's declarator; of a function that returns a function's address they are inside.
fn parameters(declarator: &Node<Declarator>) -> Option<&[Node<ParameterDeclaration>]> {
    let own = declarator.node.derived.iter().find_map(|d| match &d.node {
        DerivedDeclarator::Function(f) => Some(f.node.parameters.as_slice()),
        _ => None,
    });
    match &declarator.node.kind.node {
        DeclaratorKind::Declarator(inner) => parameters(inner).or(own),
        _ => own,
    }
}

/// What is nearest to the name decides: `(*p)[3]` is a pointer, `*p[3]` an array.
fn shape(declarator: &Node<Declarator>) -> Shape {
    if let DeclaratorKind::Declarator(inner) = &declarator.node.kind.node {
        match shape(inner) {
            Shape::Value => {}
            found => return found,
        }
    }
    let derived = || declarator.node.derived.iter().map(|d| &d.node);
    let array = |d: &DerivedDeclarator| match d {
        DerivedDeclarator::Array(array) => Some(length(&array.node.size)),
        _ => None,
    };
    match (derived().find_map(array), derived().next()) {
        (Some(Some(len)), _) => Shape::Array(len),
        (Some(None), _) | (None, Some(_)) => Shape::Pointer,
        (None, None) => Shape::Value,
    }
}

/// A length that is a plain number.
fn length(size: &ArraySize) -> Option<u64> {
    let (ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e)) = size else { return None };
    let Expression::Constant(constant) = &e.node else { return None };
    let Constant::Integer(integer) = &constant.node else { return None };
    let radix = match integer.base {
        IntegerBase::Decimal => 10,
        IntegerBase::Octal => 8,
        IntegerBase::Hexadecimal => 16,
        IntegerBase::Binary => 2,
    };
    u64::from_str_radix(&integer.number, radix).ok().filter(|&n| n > 0)
}

/// The words of a declaration on one line, without those that forbid writing or say where a value lies.
fn unqualified(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let text = lines.collect::<Vec<_>>().join(" ");
    let drop = ["const", "volatile", "register", "restrict", "__restrict", "__restrict__"];
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c == '_' || c.is_alphanumeric() {
            word.push(c);
            continue;
        }
        if !drop.contains(&word.as_str()) {
            out.push_str(&word);
        }
        word.clear();
        out.push(c);
    }
    out.trim_end().to_string()
}
