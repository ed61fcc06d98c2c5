//! A file as a list of elements: known words only, attributes decoded, text with its positions.
//!
//! Read in one pass; comments, processing instructions and ignored elements leave nothing behind. What this stage
//! refuses: what is not XML, document types (and with them all entities but XML's own), words that are not in the
//! vocabulary, missing attributes, and files beyond the limits.

use super::error::{nearest, Errors};
use super::mapping::Mapping;
use super::source::Source;
use super::text::{advance, Text};
use super::vocabulary::{Attribute, Element};
use crate::model::Position;
use quick_xml::events::attributes::AttrError;
use quick_xml::events::{BytesDecl, BytesStart, Event};
use quick_xml::Reader;
use smallvec::SmallVec;
use std::io::Read;

/// Elements nested in each other, in one file.
pub const MAX_ELEMENT_DEPTH: usize = 128;
pub const MAX_ATTRIBUTES: usize = 64;
/// Elements of a file.
pub const MAX_ELEMENTS: usize = 200_000;
/// Bytes of one attribute or of one element's text.
pub const MAX_TEXT: usize = 1 << 20;
/// Bytes of all attributes and texts of a file that are kept.
pub const MAX_TEXTS: usize = 32 << 20;

pub(crate) struct Node {
    pub element: Element,
    /// Of the `<`.
    pub position: Position,
    pub attributes: SmallVec<[(Attribute, Text); 2]>,
    /// The content of an element that has text; with a position even if empty.
    pub text: Text,
    /// Indices of the nodes inside.
    pub children: Vec<u32>,
}

impl Node {
    pub fn get(&self, attribute: Attribute) -> Option<&Text> {
        self.attributes.iter().find(|(own, _)| *own == attribute).map(|(_, text)| text)
    }

    /// For errors: `transition off -> on`, `or-state top`.
    pub fn describe(&self) -> String {
        let word = self.element.text();
        let get = |attribute| self.get(attribute).map(|text| shorten(&text.text));
        match (get(Attribute::Name), get(Attribute::From), get(Attribute::To), get(Attribute::Target)) {
            (Some(name), ..) => format!("{word} {name}"),
            (_, Some(from), Some(to), _) => format!("{word} {from} -> {to}"),
            (.., Some(target)) => format!("{word} -> {target}"),
            _ => word.to_string(),
        }
    }
}

pub(crate) fn shorten(name: &str) -> String {
    match name.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_string(),
    }
}

/// The first node is the root element's.
pub(crate) struct Document {
    pub nodes: Vec<Node>,
}

/// `None` if the file is not XML to its end; the errors say why.
pub(crate) fn read(input: impl Read, file: u32, mapping: &Mapping, errors: &mut Errors) -> Option<Document> {
    let mut reader = Reader::from_reader(Source::new(input, file));
    reader.config_mut().check_comments = true;
    let mut builder =
        Builder { mapping, errors, nodes: Vec::new(), open: Vec::new(), skipped: 0, kept: 0, begun: false };
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        reader.get_mut().mark();
        let start = reader.get_ref().position;
        let offset = reader.buffer_position();
        let stop = match reader.read_event_into(&mut buffer) {
            Ok(event) => match builder.event(event, start) {
                Ok(finished) => finished,
                Err((position, message)) => {
                    builder.error(position, message);
                    return None;
                }
            },
            Err(error) => {
                let inside = reader.error_position().saturating_sub(offset) as usize;
                let now = reader.get_ref().position;
                let (position, message) = explain(&error, start, inside, &buffer, now);
                builder.error(position, message);
                return None;
            }
        };
        if stop {
            return Some(Document { nodes: builder.nodes });
        }
        if builder.errors.full() {
            return None;
        }
    }
}

type Failure = (Position, String);

/// Where in the file an error of the XML reader is; `buffer` has the bytes of the piece that begins at `start`.
fn explain(error: &quick_xml::Error, start: Position, inside: usize, buffer: &[u8], now: Position) -> Failure {
    let at = |count: usize| advance(start, &buffer[..count.min(buffer.len())]);
    match error {
        quick_xml::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => (now, error.to_string()),
        quick_xml::Error::Io(error) => (now, format!("cannot be read: {error}")),
        quick_xml::Error::Encoding(_) => {
            let valid = std::str::from_utf8(buffer).map_or_else(|e| e.valid_up_to(), str::len);
            (at(valid), "the file is not in UTF-8".to_string())
        }
        _ => (at(inside), format!("malformed XML: {error}")),
    }
}

struct Builder<'a> {
    mapping: &'a Mapping,
    errors: &'a mut Errors,
    nodes: Vec<Node>,
    /// Nodes whose end is still to come.
    open: Vec<u32>,
    /// Depth inside an element that is not kept.
    skipped: usize,
    /// Bytes of texts kept.
    kept: usize,
    begun: bool,
}

impl Builder<'_> {
    fn error(&mut self, position: Position, message: impl Into<String>) {
        let element = self.open.last().map(|&n| self.nodes[n as usize].describe()).unwrap_or_default();
        self.errors.report(position, &element, message);
    }

    /// `true` at the end of the file. What is not XML is a [`Failure`]; other errors are reported, and it goes on.
    fn event(&mut self, event: Event, start: Position) -> Result<bool, Failure> {
        let first = !std::mem::replace(&mut self.begun, true);
        match event {
            Event::Start(tag) => self.start(&tag, start, false)?,
            Event::Empty(tag) => {
                self.start(&tag, start, true)?;
                self.end();
            }
            Event::End(_) => self.end(),
            Event::Text(text) => self.text(&text, start)?,
            Event::CData(data) => {
                let inner = Position { column: start.column + "<![CDATA[".len() as u32, ..start };
                if self.skipped == 0 && self.open.is_empty() {
                    return Err((start, "text outside of the root element".into()));
                }
                self.keep(start, data.len(), |text| {
                    text.push_raw(&data, inner, false);
                    Ok(())
                })?;
            }
            Event::GeneralRef(name) => {
                if self.skipped == 0 && self.open.is_empty() {
                    return Err((start, "text outside of the root element".into()));
                }
                self.keep(start, name.len(), |text| text.push_reference(&name, start))?;
            }
            Event::Decl(declaration) if first => encoding(&declaration, start)?,
            Event::Decl(_) => return Err((start, "an XML declaration stands at the beginning of a file".into())),
            Event::DocType(_) => {
                return Err((start, "a document type is refused: entities are not expanded".into()));
            }
            Event::Comment(_) | Event::PI(_) => {}
            Event::Eof => {
                if let Some(&open) = self.open.last() {
                    let name = self.mapping.element_name(self.nodes[open as usize].element);
                    return Err((start, format!("malformed XML: the file ends before `</{name}>`")));
                }
                if self.skipped > 0 {
                    return Err((start, "malformed XML: the file ends inside an element".into()));
                }
                if self.nodes.is_empty() && self.errors.is_empty() {
                    return Err((start, "the file has no root element".into()));
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn start(&mut self, tag: &BytesStart, start: Position, empty: bool) -> Result<(), Failure> {
        if self.skipped > 0 {
            self.skipped += 1;
            return Ok(());
        }
        if self.open.len() >= MAX_ELEMENT_DEPTH {
            return Err((start, format!("elements are nested more than {MAX_ELEMENT_DEPTH} deep")));
        }
        if self.nodes.len() >= MAX_ELEMENTS {
            return Err((start, format!("the file has more than {MAX_ELEMENTS} elements")));
        }
        let content: &str = tag;
        let inside = Position { column: start.column + 1, ..start };
        let raw_name = tag.name();
        let name = raw_name.as_ref();
        let parent = self.open.last().map(|&n| self.nodes[n as usize].element);
        if parent.is_none() && !self.nodes.is_empty() {
            return Err((start, "malformed XML: a second root element".into()));
        }
        let Some(element) = self.known(name, parent, start) else {
            self.skipped = 1;
            return Ok(());
        };
        let end = advance(inside, content.as_bytes());
        let text_start = Position { column: end.column + if empty { 0 } else { 1 }, ..end };
        let index = self.nodes.len() as u32;
        let node = Node {
            element,
            position: start,
            attributes: SmallVec::new(),
            text: Text::at(text_start),
            children: vec![],
        };
        if let Some(&parent) = self.open.last() {
            self.nodes[parent as usize].children.push(index);
        }
        self.nodes.push(node);
        self.open.push(index);
        self.attributes(tag, element, inside)
    }

    /// The element of this name, if it may stand in `parent`.
    fn known(&mut self, name: &str, parent: Option<Element>, start: Position) -> Option<Element> {
        if self.mapping.ignores_element(name) && parent.is_some() {
            return None;
        }
        let allowed = match parent {
            Some(parent) => parent.children(),
            None => &[Element::Statechart, Element::Requirements],
        };
        let found = self.mapping.element(name);
        if let Some(element) = found.filter(|e| allowed.contains(e)) {
            return Some(element);
        }
        let shown = shorten(name);
        let message = match (found, parent) {
            (Some(_), Some(parent)) => {
                format!("the element `{shown}` has no place in `{}`", self.mapping.element_name(parent))
            }
            (Some(_), None) => format!("the element `{shown}` cannot be a file's root element"),
            (None, _) => match nearest(name, allowed.iter().map(|&e| self.mapping.element_name(e))) {
                Some(hint) => format!("unknown element `{shown}`; the nearest that has a place here is `{hint}`"),
                None => format!("unknown element `{shown}`; no element has a place here"),
            },
        };
        self.error(start, message);
        None
    }

    fn attributes(&mut self, tag: &BytesStart, element: Element, inside: Position) -> Result<(), Failure> {
        let content: &str = tag;
        // Slices of the tag: their addresses say where they stand.
        let offset = |slice: &str| (slice.as_ptr() as usize).wrapping_sub(content.as_ptr() as usize).min(content.len());
        let place = |offset: usize| advance(inside, &content.as_bytes()[..offset.min(content.len())]);
        let mut seen: Vec<&str> = Vec::new();
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| attribute_error(&error, place))?;
            let name = attribute.key.into_inner();
            let position = place(offset(name));
            if seen.contains(&name) {
                return Err((position, format!("malformed XML: the attribute `{}` is given twice", shorten(name))));
            }
            if seen.len() >= MAX_ATTRIBUTES {
                return Err((position, format!("an element has more than {MAX_ATTRIBUTES} attributes")));
            }
            seen.push(name);
            if !content.as_bytes().get(offset(name).wrapping_sub(1)).is_some_and(u8::is_ascii_whitespace) {
                return Err((position, "malformed XML: attributes have spaces between them".into()));
            }
            let value: &str = &attribute.value;
            let value_position = place(offset(value));
            let mut text = Text::at(value_position);
            text.push_value(value, value_position)?;
            self.grow(value.len(), value_position)?;
            match self.mapping.attribute(element, name) {
                Some(attribute) => {
                    if let Some(node) = self.nodes.last_mut() {
                        node.attributes.push((attribute, text));
                    }
                }
                None if self.mapping.ignores_attribute(name) => {}
                None => {
                    let known = element.attributes().iter().map(|&(a, _)| self.mapping.attribute_name(element, a));
                    let shown = shorten(name);
                    let message = match nearest(name, known) {
                        Some(hint) => format!("unknown attribute `{shown}`; the nearest is `{hint}`"),
                        None => format!("unknown attribute `{shown}`; the element has no attributes"),
                    };
                    self.error(position, message);
                }
            }
        }
        for &(attribute, required) in element.attributes() {
            let missing = self.nodes.last().is_some_and(|node| node.get(attribute).is_none());
            if required && missing {
                let message = format!("the attribute `{}` is missing", self.mapping.attribute_name(element, attribute));
                self.error(Position { column: inside.column.saturating_sub(1), ..inside }, message);
            }
        }
        Ok(())
    }

    fn end(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
        } else {
            self.open.pop();
        }
    }

    fn text(&mut self, text: &str, start: Position) -> Result<(), Failure> {
        let blank = text.trim_matches([' ', '\t', '\n', '\r']).is_empty();
        if self.skipped > 0 || (blank && !self.has_text()) {
            return Ok(());
        }
        if self.open.is_empty() {
            let lead = text.len() - text.trim_start().len();
            return Err((advance(start, &text.as_bytes()[..lead]), "text outside of the root element".into()));
        }
        self.keep(start, text.len(), |kept| {
            kept.push_raw(text, start, false);
            Ok(())
        })
    }

    fn has_text(&self) -> bool {
        self.open.last().is_some_and(|&n| self.nodes[n as usize].element.has_text())
    }

    /// Appends to the text of the innermost element.
    fn keep(
        &mut self,
        start: Position,
        length: usize,
        push: impl FnOnce(&mut Text) -> Result<(), String>,
    ) -> Result<(), Failure> {
        let Some(&open) = self.open.last().filter(|_| self.skipped == 0) else { return Ok(()) };
        let element = self.nodes[open as usize].element;
        if element == Element::Description {
            return Ok(());
        }
        if !self.has_text() {
            self.error(start, format!("`{}` holds no text", self.mapping.element_name(element)));
            return Ok(());
        }
        self.grow(self.nodes[open as usize].text.text.len() + length, start)?;
        let node = &mut self.nodes[open as usize];
        push(&mut node.text).map_err(|message| (start, message))
    }

    fn grow(&mut self, length: usize, position: Position) -> Result<(), Failure> {
        self.kept += length;
        if length > MAX_TEXT {
            return Err((position, format!("a label or attribute of more than {} MiB", MAX_TEXT >> 20)));
        }
        if self.kept > MAX_TEXTS {
            return Err((position, format!("labels and attributes of more than {} MiB", MAX_TEXTS >> 20)));
        }
        Ok(())
    }
}

fn attribute_error(error: &AttrError, place: impl Fn(usize) -> Position) -> Failure {
    let (offset, message) = match error {
        AttrError::ExpectedEq(at) => (*at, "an attribute is written `name=\"value\"`: `=` is missing"),
        AttrError::ExpectedValue(at) => (*at, "an attribute's value is missing"),
        AttrError::UnquotedValue(at) => (*at, "an attribute's value stands in quotes"),
        AttrError::ExpectedQuote(at, _) => (*at, "an attribute's closing quote is missing"),
        AttrError::Duplicated(at, _) => (*at, "an attribute is given twice"),
    };
    (place(offset), format!("malformed XML: {message}"))
}

/// UTF-8 and its subset ASCII are read; a file that says it is in something else is not.
fn encoding(declaration: &BytesDecl, start: Position) -> Result<(), Failure> {
    match declaration.encoding() {
        None => Ok(()),
        Some(Ok(name)) if ["utf-8", "utf8", "us-ascii", "ascii"].contains(&name.to_ascii_lowercase().as_str()) => {
            Ok(())
        }
        Some(Ok(name)) => Err((start, format!("the file is in {}; it must be in UTF-8", shorten(&name)))),
        Some(Err(error)) => Err((start, format!("malformed XML: {error}"))),
    }
}
