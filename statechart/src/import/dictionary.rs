//! The data dictionary: what the declarations of all files say, with records taken apart.
//!
//! All files of a chart have one dictionary: a name is declared once. Types have names of their own, and so have
//! activities; values of enumerations may be shared by enumerations, but not with anything else.

use super::document::{shorten, Document, Node};
use super::error::{nearest, Errors};
use super::label::parser::{self, is_reserved};
use super::label::syntax::{Step, Tree};
use super::label::{lexer, Failure};
use super::mapping::Mapping;
use super::text::Text;
use super::vocabulary::{Attribute, Element, Keyword, TRUTHS, TYPES, USAGES};
use crate::model::{ArrayData, EnumData, Event, EventData, Item, ItemData, ItemType, Literal, Position, State};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;

/// Items, after records are taken apart.
pub const MAX_ITEMS: usize = 65_536;
/// Cells of one array.
pub const MAX_CELLS: u32 = 65_536;

#[derive(Default)]
pub(crate) struct Dictionary {
    pub events: PrimaryMap<Event, EventData>,
    pub items: PrimaryMap<Item, ItemData>,
    pub enums: Vec<EnumData>,
    pub defined: Vec<Defined>,
    /// By full name: fields are here as `record.field`.
    pub entries: FxHashMap<String, Entry>,
    pub activities: FxHashMap<String, Activity>,
    /// Values of enumerations: the enumerations that have it, and its number there.
    pub values: FxHashMap<String, Vec<(u32, i32)>>,
    pub types: FxHashMap<String, Named>,
    /// Of an array: which part of its name has the index (`door(2).angle`: 0).
    pub index_part: SecondaryMap<Item, u32>,
    positions: FxHashMap<String, Position>,
}

#[derive(Clone, Debug)]
pub(crate) enum Entry {
    Event(Event),
    Item(Item),
    /// Its items in the order of the fields, and the record's number.
    Record(u32, Vec<Item>),
    /// An index into [`Dictionary::defined`].
    Defined(usize),
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Activity {
    pub active: Item,
    pub started: Event,
    pub stopped: Event,
}

#[derive(Copy, Clone, Debug)]
pub(crate) enum Named {
    Enum(u32),
    Record(u32),
}

/// An action, event or condition that stands for its text.
pub(crate) struct Defined {
    pub name: String,
    pub text: Text,
    /// `None` if it is wrong.
    pub body: Option<Body>,
    /// Where its names of states are looked up; `None` if its file is used more than once.
    pub scope: Option<State>,
    pub element: String,
}

pub(crate) enum Body {
    Action(Vec<Step>),
    Event(Tree),
    Condition(Tree),
}

/// A record's fields are declared when an item has its type.
struct Record<'a> {
    name: String,
    fields: Vec<&'a Node>,
}

/// What an item of some type is declared with.
struct Declared<'a> {
    name: String,
    node: &'a Node,
    input: bool,
    array: Option<ArrayData>,
    array_part: u32,
    parts: u32,
}

struct Builder<'a> {
    dictionary: Dictionary,
    records: Vec<Record<'a>>,
    mapping: &'a Mapping,
    errors: &'a mut Errors,
    /// Records whose fields are being declared.
    inside: Vec<u32>,
}

/// `documents` come with the state their defined elements look states up from.
pub(crate) fn build(documents: &[(&Document, Option<State>)], mapping: &Mapping, errors: &mut Errors) -> Dictionary {
    let mut builder =
        Builder { dictionary: Dictionary::default(), records: Vec::new(), mapping, errors, inside: Vec::new() };
    let declarations: Vec<(&Node, Option<State>)> = documents
        .iter()
        .flat_map(|(document, scope)| {
            let roots = document.nodes.first().into_iter().flat_map(|root| &root.children);
            roots
                .map(|&child| &document.nodes[child as usize])
                .filter(|node| node.element == Element::Declarations)
                .flat_map(|node| node.children.iter().map(|&child| (&document.nodes[child as usize], *scope)))
        })
        .collect();
    for &(document, _) in documents {
        builder.types(document);
    }
    for (node, _) in &declarations {
        builder.item(node);
    }
    for (node, scope) in &declarations {
        builder.defined(node, *scope);
    }
    builder.check_values();
    builder.dictionary
}

impl<'a> Builder<'a> {
    fn error(&mut self, node: &Node, text: Option<&Text>, message: impl Into<String>) {
        let position = text.map_or(node.position, |text| text.start());
        self.errors.report(position, &node.describe(), message);
    }

    /// The declared name; `None` if it is none or was declared before.
    fn name(&mut self, node: &Node, space: &str) -> Option<String> {
        let text = node.get(Attribute::Name)?;
        let name = text.text.clone();
        if !lexer::is_name(&name) {
            self.error(node, Some(text), format!("`{}` is no name: letters, digits and `_`", shorten(&name)));
            return None;
        }
        if is_reserved(&name) {
            self.error(node, Some(text), format!("`{name}` is a word of the action language"));
            return None;
        }
        if let Some(before) = self.dictionary.positions.insert(format!("{space}{name}"), text.start()) {
            let message = format!("`{name}` is declared twice, first in line {}", self.line(before, text.start()));
            self.error(node, Some(text), message);
            return None;
        }
        Some(name)
    }

    fn line(&self, place: Position, from: Position) -> String {
        if place.file == from.file {
            return place.line.to_string();
        }
        format!("{} of {}", place.line, self.errors.files.get(place.file as usize).map_or("", String::as_str))
    }

    fn types(&mut self, document: &'a Document) {
        for node in &document.nodes {
            match node.element {
                Element::Enumeration => self.enumeration(document, node),
                Element::Record => {
                    let Some(name) = self.name(node, "type ") else { continue };
                    let fields: Vec<&Node> = fields(document, node, Element::Field).collect();
                    if fields.is_empty() {
                        self.error(node, None, "a record has one field or more");
                    }
                    self.dictionary.types.insert(name.clone(), Named::Record(self.records.len() as u32));
                    self.records.push(Record { name, fields });
                }
                _ => {}
            }
        }
    }

    fn enumeration(&mut self, document: &'a Document, node: &'a Node) {
        let Some(name) = self.name(node, "type ") else { return };
        let number = self.dictionary.enums.len() as u32;
        let mut values: Vec<String> = Vec::new();
        for value in fields(document, node, Element::Value) {
            let Some(text) = self.name(value, &format!("value {number} ")) else { continue };
            let at = values.len() as i32;
            self.dictionary.values.entry(text.clone()).or_default().push((number, at));
            values.push(text);
        }
        if values.is_empty() {
            self.error(node, None, "an enumeration has one value or more");
        }
        self.dictionary.types.insert(name.clone(), Named::Enum(number));
        self.dictionary.enums.push(EnumData { name, values });
    }

    fn item(&mut self, node: &'a Node) {
        match node.element {
            Element::Event => {
                let input = self.usage(node);
                let Some(name) = self.name(node, "") else { return };
                let event = self.event(name.clone(), input, node.position);
                self.dictionary.entries.insert(name, Entry::Event(event));
            }
            Element::Activity => {
                let Some(name) = self.name(node, "activity ") else { return };
                let active = self.dictionary.items.push(ItemData {
                    name: format!("ac({name})"),
                    ty: ItemType::Bool,
                    array: None,
                    initial: Literal::Bool(false),
                    input: false,
                    position: node.position,
                });
                let started = self.event(format!("st({name})"), false, node.position);
                let stopped = self.event(format!("sp({name})"), false, node.position);
                self.dictionary.activities.insert(name, Activity { active, started, stopped });
            }
            Element::Condition | Element::DataItem => {
                let input = self.usage(node);
                let array = self.array(node);
                let Some(name) = self.name(node, "") else { return };
                self.declare(Declared { name, node, input, array, array_part: 0, parts: 1 });
            }
            _ => {}
        }
    }

    fn event(&mut self, name: String, input: bool, position: Position) -> Event {
        self.dictionary.events.push(EventData { name, input, position })
    }

    fn defined(&mut self, node: &'a Node, scope: Option<State>) {
        let parse: fn(&str) -> Result<Body, Failure> = match node.element {
            Element::Action => |text| parser::actions(text).map(Body::Action),
            Element::DefinedEvent => |text| parser::expression(text).map(Body::Event),
            Element::DefinedCondition => |text| parser::expression(text).map(Body::Condition),
            _ => return,
        };
        let Some(name) = self.name(node, "") else { return };
        let body = match parse(&node.text.text) {
            Ok(body) => Some(body),
            Err((at, message)) => {
                self.errors.report(node.text.position(at), &node.describe(), message);
                None
            }
        };
        let entry = Entry::Defined(self.dictionary.defined.len());
        let text = node.text.clone();
        self.dictionary.defined.push(Defined { name: name.clone(), text, body, scope, element: node.describe() });
        self.dictionary.entries.insert(name, entry);
    }

    fn keyword(&mut self, node: &Node, attribute: Attribute, group: &[Keyword]) -> Option<Keyword> {
        let text = node.get(attribute)?;
        let found = keyword(self.mapping, group, text);
        found.map_err(|message| self.error(node, Some(text), message)).ok()
    }

    fn usage(&mut self, node: &Node) -> bool {
        self.keyword(node, Attribute::Usage, USAGES) == Some(Keyword::Input)
    }

    /// `0..7`
    fn array(&mut self, node: &Node) -> Option<ArrayData> {
        let text = node.get(Attribute::Array)?;
        let bounds = text.text.split_once("..").and_then(|(first, last)| {
            let parse = |bound: &str| bound.trim().parse::<i32>().ok();
            Some((parse(first)?, parse(last)?))
        });
        let Some((first, last)) = bounds else {
            self.error(node, Some(text), "an array's indices are written like `0..7`");
            return None;
        };
        let cells = i64::from(last) - i64::from(first) + 1;
        if cells < 1 || cells > i64::from(MAX_CELLS) {
            self.error(node, Some(text), format!("an array has 1 to {MAX_CELLS} cells, not {}", cells.max(0)));
            return None;
        }
        Some(ArrayData { first, cells: cells as u32 })
    }

    /// Declares an item, or the items of a record.
    fn declare(&mut self, declared: Declared<'a>) -> Option<Entry> {
        let node = declared.node;
        let named = if node.element == Element::Condition { Ok(ItemType::Bool) } else { self.item_type(node)? };
        let entry = match named {
            Ok(ty) => {
                let initial = self.initial(node, ty);
                if self.dictionary.items.len() >= MAX_ITEMS {
                    self.error(node, None, format!("more than {MAX_ITEMS} items"));
                    return None;
                }
                let item = self.dictionary.items.push(ItemData {
                    name: declared.name.clone(),
                    ty,
                    array: declared.array,
                    initial,
                    input: declared.input,
                    position: node.position,
                });
                self.dictionary.index_part[item] = declared.array_part;
                Entry::Item(item)
            }
            Err(record) => self.record(&declared, record)?,
        };
        self.dictionary.entries.insert(declared.name, entry.clone());
        Some(entry)
    }

    fn record(&mut self, declared: &Declared<'a>, record: u32) -> Option<Entry> {
        if let Some(text) = declared.node.get(Attribute::Initial) {
            self.error(declared.node, Some(text), "a record's fields have initial values, the record has none");
        }
        if self.inside.contains(&record) {
            let message = format!("the record `{}` has itself as a field", self.records[record as usize].name);
            self.error(declared.node, declared.node.get(Attribute::Type), message);
            return None;
        }
        self.inside.push(record);
        let mut items = Vec::new();
        let mut names: Vec<String> = Vec::new();
        for field in self.records[record as usize].fields.clone() {
            let Some(text) = field.get(Attribute::Name) else { continue };
            if !lexer::is_name(&text.text) {
                self.error(field, Some(text), format!("`{}` is no name: letters, digits and `_`", shorten(&text.text)));
                continue;
            }
            if names.contains(&text.text) {
                self.error(field, Some(text), format!("the record has a field `{}` already", text.text));
                continue;
            }
            names.push(text.text.clone());
            let own = self.array(field);
            if own.is_some() && declared.array.is_some() {
                self.error(field, field.get(Attribute::Array), "an array of records that hold arrays is not supported");
                continue;
            }
            let inner = Declared {
                name: format!("{}.{}", declared.name, text.text),
                node: field,
                input: declared.input,
                array: declared.array.or(own),
                array_part: if declared.array.is_some() { declared.array_part } else { declared.parts },
                parts: declared.parts + 1,
            };
            match self.declare(inner) {
                Some(Entry::Item(item)) => items.push(item),
                Some(Entry::Record(_, inner)) => items.extend(inner),
                Some(Entry::Event(_) | Entry::Defined(_)) | None => {}
            }
        }
        self.inside.pop();
        Some(Entry::Record(record, items))
    }

    /// `Err` is a record.
    fn item_type(&mut self, node: &Node) -> Option<Result<ItemType, u32>> {
        let text = node.get(Attribute::Type)?;
        let word = text.text.trim();
        let ty = match self.mapping.keyword(TYPES, word) {
            Some(Keyword::Integer) => return self.range(node).map(Ok),
            Some(Keyword::Real) => Ok(ItemType::Real),
            Some(_) => Ok(ItemType::Bool),
            None => match self.dictionary.types.get(word) {
                Some(Named::Enum(number)) => Ok(ItemType::Enum(*number)),
                Some(Named::Record(number)) => Err(*number),
                None => {
                    let known = TYPES.iter().map(|&k| self.mapping.keyword_name(k));
                    let hint = nearest(word, known.chain(self.dictionary.types.keys().map(String::as_str)));
                    let message = format!("unknown type `{}`; the nearest is `{}`", shorten(word), hint.unwrap_or(""));
                    self.error(node, Some(text), message);
                    return None;
                }
            },
        };
        for bound in [Attribute::Min, Attribute::Max] {
            if let Some(text) = node.get(bound) {
                self.error(node, Some(text), "only integers have `min` and `max`");
            }
        }
        Some(ty)
    }

    fn range(&mut self, node: &Node) -> Option<ItemType> {
        let mut bound = |attribute, otherwise: i32| match node.get(attribute) {
            None => Some(otherwise),
            Some(text) => {
                let value = text.text.trim().parse().ok();
                if value.is_none() {
                    self.error(node, Some(text), "a bound is an integer of 32 bits");
                }
                value
            }
        };
        let (min, max) = (bound(Attribute::Min, i32::MIN), bound(Attribute::Max, i32::MAX));
        let (min, max) = (min?, max?);
        if min > max {
            self.error(node, node.get(Attribute::Min), format!("the range {min} to {max} has no values"));
            return None;
        }
        Some(ItemType::Int { min, max })
    }

    /// Without a word about it: false, the first value, 0 or what of the range is nearest to 0.
    fn initial(&mut self, node: &Node, ty: ItemType) -> Literal {
        let otherwise = match ty {
            ItemType::Bool => Literal::Bool(false),
            ItemType::Int { min, max } => Literal::Int(0.clamp(min, max)),
            ItemType::Enum(_) => Literal::Int(0),
            ItemType::Real => Literal::Real(0.0),
        };
        let Some(text) = node.get(Attribute::Initial) else { return otherwise };
        let word = text.text.trim();
        let found = match ty {
            ItemType::Bool => keyword(self.mapping, TRUTHS, text).map(|word| Literal::Bool(word == Keyword::True)),
            ItemType::Int { min, max } => match word.parse::<i32>() {
                Ok(value) if (min..=max).contains(&value) => Ok(Literal::Int(value)),
                Ok(value) => Err(format!("the initial value {value} is outside of {min} to {max}")),
                Err(_) => Err("the initial value is no integer of 32 bits".to_string()),
            },
            ItemType::Enum(number) => {
                let data = &self.dictionary.enums[number as usize];
                match data.values.iter().position(|value| value == word) {
                    Some(value) => Ok(Literal::Int(value as i32)),
                    None => {
                        let hint = nearest(word, data.values.iter().map(String::as_str)).unwrap_or("");
                        Err(format!("`{}` has no value `{}`; the nearest is `{hint}`", data.name, shorten(word)))
                    }
                }
            }
            ItemType::Real => match word.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(Literal::Real(value)),
                _ => Err("the initial value is no number".to_string()),
            },
        };
        found.map_err(|message| self.error(node, Some(text), message)).unwrap_or(otherwise)
    }

    /// A value of an enumeration is nothing else.
    fn check_values(&mut self) {
        let mut clashes: Vec<(Position, String)> = Vec::new();
        for (value, places) in &self.dictionary.values {
            if self.dictionary.entries.contains_key(value) {
                let name = &self.dictionary.enums[places[0].0 as usize].name;
                let position = self.dictionary.positions.get(value).copied().unwrap_or_default();
                clashes.push((position, format!("`{value}` is a value of the enumeration `{name}` too")));
            }
        }
        for (position, message) in clashes {
            self.errors.report(position, "declarations", message);
        }
    }
}

fn fields<'a>(document: &'a Document, node: &'a Node, element: Element) -> impl Iterator<Item = &'a Node> {
    node.children.iter().map(|&child| &document.nodes[child as usize]).filter(move |node| node.element == element)
}

/// The keyword that an attribute's value is.
pub(crate) fn keyword(mapping: &Mapping, group: &[Keyword], text: &Text) -> Result<Keyword, String> {
    let word = text.text.trim();
    mapping.keyword(group, word).ok_or_else(|| {
        let hint = nearest(word, group.iter().map(|&k| mapping.keyword_name(k))).unwrap_or("");
        format!("unknown value `{}`; the nearest is `{hint}`", shorten(word))
    })
}
