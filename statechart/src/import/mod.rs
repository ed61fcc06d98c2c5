//! Reads a chart: `.xml` files to [`Chart`], or to all that is wrong with them.
//!
//! ```text
//! file ─► source ─► document ─► structure ─┬─► names ──────┐
//!         bytes     elements    states     └─► dictionary ─┴─► check (labels) ─► wellformed ─► Chart
//! ```
//! The format is in `docs/statemate-xml.md`. Input may hold anything: every stage has limits that keep memory and
//! stack bounded, and no file makes it panic. Each stage goes on after an error where what follows still makes sense.

mod check;
mod dictionary;
mod document;
mod error;
mod label;
mod mapping;
mod names;
mod source;
mod structure;
mod text;
mod vocabulary;
mod wellformed;

pub use error::Error;
pub use mapping::Mapping;

use crate::model::{Chart, End, Reaction, Requirement, SegmentData, State};
use check::{Checker, Place};
use cranelift_entity::PrimaryMap;
use document::Node;
use label::{parser, syntax, Failure};
use names::Names;
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use structure::{Structure, Work};
use text::Text;
use vocabulary::{Attribute, Element};

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Names of elements and attributes.
    pub mapping: Mapping,
    /// Files of requirements beside the chart's own; their root element is `requirements`.
    pub requirements: Vec<PathBuf>,
}

/// Reads the chart in `path`, and the charts that its off-page states name.
pub fn read(path: &Path, options: &Options) -> Result<Chart, Vec<Error>> {
    let mut structure = Structure::new(options, Vec::new());
    structure.load(path);
    finish(structure, options)
}

/// Reads a chart from a text. There are no files beside it: off-page states are errors.
pub fn from_str(text: &str, options: &Options) -> Result<Chart, Vec<Error>> {
    from_bytes(text.as_bytes(), options)
}

/// As [`from_str`]; the bytes need not be text.
pub fn from_bytes(bytes: &[u8], options: &Options) -> Result<Chart, Vec<Error>> {
    let mut structure = Structure::new(options, vec!["chart.xml".to_string()]);
    let document = document::read(bytes, 0, &options.mapping, &mut structure.errors);
    structure.add(document, None);
    finish(structure, options)
}

fn finish(mut structure: Structure, options: &Options) -> Result<Chart, Vec<Error>> {
    let Some((name, time)) = structure.root() else { return Err(structure.errors.sorted()) };
    for path in &options.requirements {
        let document = structure.load(path);
        structure.requirements(document);
    }
    let mut errors = std::mem::take(&mut structure.errors);
    let documents: Vec<_> = structure
        .documents
        .iter()
        .enumerate()
        .filter_map(|(index, loaded)| Some((loaded.document.as_ref()?, structure.scope(index))))
        .collect();
    let dictionary = dictionary::build(&documents, &options.mapping, &mut errors);
    let names = Names::new(&structure.states, &structure.connectors);
    let mut labels = Labels {
        structure: &structure,
        names: &names,
        checker: Checker::new(&names, &dictionary, &mut errors),
        segments: PrimaryMap::new(),
        hung: Vec::new(),
        requirements: Vec::new(),
        requirement_names: FxHashSet::default(),
        ends_known: true,
    };
    labels.checker.defined();
    for work in &structure.work {
        labels.work(work);
    }
    let Labels { mut segments, hung, requirements, ends_known, .. } = labels;
    if ends_known {
        let pages = structure.documents.iter().flat_map(|loaded| loaded.users.iter().copied());
        wellformed::imply_defaults(&structure.states, pages, &mut segments);
        wellformed::check(&structure.states, &structure.connectors, &segments, &names, &mut errors);
    }
    if !errors.is_empty() {
        return Err(errors.sorted());
    }
    let mut states = structure.states;
    for (state, what) in hung {
        match what {
            Hung::Entering(list) => states[state].entering.push(list),
            Hung::Exiting(list) => states[state].exiting.push(list),
            Hung::Reaction(reaction) => states[state].reactions.push(reaction),
        }
    }
    Ok(Chart {
        name,
        time,
        files: errors.files,
        states,
        connectors: structure.connectors,
        segments,
        events: dictionary.events,
        items: dictionary.items,
        enums: dictionary.enums,
        requirements,
    })
}

/// What hangs on a state.
enum Hung {
    Entering(crate::model::ActionList),
    Exiting(crate::model::ActionList),
    Reaction(Reaction),
}

/// Gives every label its meaning.
struct Labels<'a, 'e> {
    structure: &'a Structure<'a>,
    names: &'a Names<'a>,
    checker: Checker<'e>,
    segments: PrimaryMap<crate::model::Segment, SegmentData>,
    hung: Vec<(State, Hung)>,
    requirements: Vec<Requirement>,
    requirement_names: FxHashSet<String>,
    /// Every transition's source and target is known.
    ends_known: bool,
}

impl Labels<'_, '_> {
    fn work(&mut self, work: &Work) {
        let Some(document) = &self.structure.documents[work.document].document else { return };
        let node = &document.nodes[work.node as usize];
        let element = node.describe();
        let place = Place { text: &node.text, scope: Some(work.state), element: &element };
        let position = node.text.start();
        match node.element {
            Element::Entering | Element::Exiting => {
                let Some(steps) = self.parsed(&place, parser::actions) else { return };
                let Some(list) = self.checker.actions(&place, &steps) else { return };
                let entering = node.element == Element::Entering;
                self.hung.push((work.state, if entering { Hung::Entering(list) } else { Hung::Exiting(list) }));
            }
            Element::Reaction => {
                let Some(labels) = self.parsed(&place, parser::reactions) else { return };
                for label in labels {
                    let Some((guard, action)) = self.checker.label(&place, &label) else { continue };
                    self.hung.push((work.state, Hung::Reaction(Reaction { guard, action, position })));
                }
            }
            Element::Default | Element::Transition => self.segment(work, node, &element),
            Element::Requirement => self.requirement(work, node, &place),
            _ => {}
        }
    }

    fn parsed<T>(&mut self, place: &Place, parse: impl FnOnce(&str) -> Result<T, Failure>) -> Option<T> {
        match parse(&place.text.text) {
            Ok(tree) => Some(tree),
            Err((at, message)) => {
                self.checker.errors.report(place.text.position(at), place.element, message);
                None
            }
        }
    }

    fn segment(&mut self, work: &Work, node: &Node, element: &str) {
        let (source, target) = match node.element {
            Element::Default => (Some(End::Default(work.state)), self.end(work, node, element, Attribute::Target)),
            _ => (self.end(work, node, element, Attribute::From), self.end(work, node, element, Attribute::To)),
        };
        let attribute = node.get(Attribute::Label).filter(|text| !text.text.trim().is_empty());
        let content = Some(&node.text).filter(|text| !text.text.trim().is_empty());
        if let (Some(_), Some(content)) = (attribute, content) {
            let message = "the label is written twice: as an attribute and as content";
            self.checker.errors.report(content.start(), element, message);
        }
        let empty = Text::at(node.position);
        let text = attribute.or(content).unwrap_or(&empty);
        let place = Place { text, scope: Some(work.state), element };
        let label: Option<syntax::Label> = self.parsed(&place, parser::label);
        let checked = label.and_then(|label| self.checker.label(&place, &label));
        let (Some(source), Some(target)) = (source, target) else { return };
        // A wrong label does not take the way away: the ways are checked too.
        let (guard, action) = checked.unwrap_or_default();
        let label = text.text.trim().to_string();
        self.segments.push(SegmentData { source, target, guard, action, label, position: node.position });
    }

    fn end(&mut self, work: &Work, node: &Node, element: &str, attribute: Attribute) -> Option<End> {
        let found = node.get(attribute).map(|text| (text, self.names.resolve(work.state, text.text.trim())));
        match found {
            Some((_, Ok(end))) => return Some(end),
            Some((text, Err(message))) => self.checker.errors.report(text.start(), element, message),
            None => {}
        }
        self.ends_known = false;
        None
    }

    fn requirement(&mut self, work: &Work, node: &Node, place: &Place) {
        let text = node.text.text.trim().to_string();
        let Some(name) = node.get(Attribute::Name) else { return };
        let full = self.structure.requirement_name(work, name.text.trim());
        if full.is_empty() || !self.requirement_names.insert(full.clone()) {
            let message = format!("`{full}` is the name of two requirements, or empty");
            self.checker.errors.report(name.start(), place.element, message);
            return;
        }
        let Some(wish) = self.parsed(place, parser::requirement) else { return };
        let Some(kind) = self.checker.requirement(place, &wish) else { return };
        self.requirements.push(Requirement { name: full, kind, text, position: node.text.start() });
    }
}
