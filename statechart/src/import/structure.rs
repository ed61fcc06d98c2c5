//! States and connectors, from the elements of all files; what hangs on them waits in a list until names are known.
//!
//! An off-page state is an OR-state that holds what the other file's chart holds. A file may be used by several
//! off-page states, each of which has states of its own.

use super::dictionary::keyword;
use super::document::{self, shorten, Document, Node, MAX_ELEMENTS};
use super::error::Errors;
use super::label::lexer::is_name;
use super::vocabulary::{Attribute, Element, Keyword, CONNECTORS, TIMES};
use super::Options;
use crate::model::{Connector, ConnectorData, ConnectorKind, Position, State, StateData, StateKind, Time};
use cranelift_entity::{EntityRef, PrimaryMap};
use rustc_hash::FxHashMap;
use std::fs::File;
use std::path::{Component, Path, PathBuf};

/// States nested in each other, over all files.
pub const MAX_STATE_DEPTH: usize = 100;
/// Bytes of a name of a state, connector or chart.
pub const MAX_NAME: usize = 256;
/// Bytes of all states' paths.
pub const MAX_PATHS: usize = 64 << 20;

pub(crate) struct Structure<'a> {
    options: &'a Options,
    pub errors: Errors,
    pub documents: Vec<Loaded>,
    pub states: PrimaryMap<State, StateData>,
    pub connectors: PrimaryMap<Connector, ConnectorData>,
    pub work: Vec<Work>,
    /// Names of siblings.
    siblings: FxHashMap<(State, String), Position>,
    /// Documents that the element at hand stands in, the outermost first.
    inside: Vec<usize>,
    paths: usize,
    /// The limits are met: nothing more is added.
    stopped: bool,
}

pub(crate) struct Loaded {
    /// `None` if it could not be read to its end.
    pub document: Option<Document>,
    /// The file; `None` for a text without one.
    path: Option<PathBuf>,
    /// States that are described by it.
    pub users: Vec<State>,
}

/// An element that says something about a state: transitions, actions, reactions, requirements.
pub(crate) struct Work {
    pub state: State,
    pub document: usize,
    pub node: u32,
}

impl<'a> Structure<'a> {
    pub fn new(options: &'a Options, files: Vec<String>) -> Structure<'a> {
        Structure {
            options,
            errors: Errors::new(files),
            documents: Vec::new(),
            states: PrimaryMap::new(),
            connectors: PrimaryMap::new(),
            work: Vec::new(),
            siblings: FxHashMap::default(),
            inside: Vec::new(),
            paths: 0,
            stopped: false,
        }
    }

    pub fn add(&mut self, document: Option<Document>, path: Option<PathBuf>) -> usize {
        self.documents.push(Loaded { document, path, users: Vec::new() });
        self.documents.len() - 1
    }

    /// Opens and reads the next file.
    pub fn load(&mut self, path: &Path) -> usize {
        let file = self.documents.len() as u32;
        if self.errors.files.len() == file as usize {
            self.errors.files.push(path.display().to_string());
        }
        let document = match File::open(path) {
            Ok(input) => document::read(input, file, &self.options.mapping, &mut self.errors),
            Err(error) => {
                let position = Position { file, line: 0, column: 0 };
                self.errors.report(position, "", format!("cannot be opened: {error}"));
                None
            }
        };
        self.add(document, Some(path.to_path_buf()))
    }

    /// The chart of the first document. `None` if there is none.
    pub fn root(&mut self) -> Option<(String, Time)> {
        let root = self.documents[0].document.as_ref()?.nodes.first()?;
        if root.element != Element::Statechart {
            let message = "the root element of a chart's file is `statechart`";
            self.errors.report(root.position, &root.describe(), message);
            return None;
        }
        let position = root.position;
        let time = self.time(0);
        let name = self.text(0, 0, Attribute::Name).unwrap_or_default();
        if name.is_empty() || name.len() > MAX_NAME {
            let message = format!("a chart's name has 1 to {MAX_NAME} bytes");
            self.errors.report(position, "statechart", message);
        }
        let state = self.states.push(StateData {
            name: name.clone(),
            path: name.clone(),
            parent: None,
            kind: StateKind::Or,
            children: Vec::new(),
            entering: Vec::new(),
            exiting: Vec::new(),
            reactions: Vec::new(),
            position,
        });
        self.page(0, state, 0);
        Some((name, time.unwrap_or(Time::Synchronous)))
    }

    fn node(&self, document: usize, node: u32) -> Option<&Node> {
        self.documents[document].document.as_ref()?.nodes.get(node as usize)
    }

    fn text(&self, document: usize, node: u32, attribute: Attribute) -> Option<String> {
        Some(self.node(document, node)?.get(attribute)?.text.trim().to_string())
    }

    fn error(&mut self, document: usize, node: u32, attribute: Option<Attribute>, message: impl Into<String>) {
        let Some(node) = self.node(document, node) else { return };
        let text = attribute.and_then(|attribute| node.get(attribute));
        let position = text.map_or(node.position, |text| text.start());
        let element = node.describe();
        self.errors.report(position, &element, message);
    }

    /// `None` if the chart does not say it.
    fn time(&mut self, document: usize) -> Option<Time> {
        let root = self.node(document, 0)?;
        let time = root.get(Attribute::Time).map(|text| keyword(&self.options.mapping, TIMES, text));
        let advance = root.get(Attribute::MaxAdvance).map(|text| text.text.trim().parse::<u32>());
        let asynchronous = match time {
            None => None,
            Some(Ok(word)) => Some(word == Keyword::Asynchronous),
            Some(Err(message)) => {
                self.error(document, 0, Some(Attribute::Time), message);
                return None;
            }
        };
        let max_advance = match advance {
            None => 1,
            Some(Ok(count)) if count >= 1 && asynchronous == Some(true) => count,
            Some(Ok(count)) if count >= 1 => {
                self.error(document, 0, Some(Attribute::MaxAdvance), "only asynchronous time is advanced");
                1
            }
            Some(_) => {
                self.error(document, 0, Some(Attribute::MaxAdvance), "the time advances by 1 or more");
                1
            }
        };
        match asynchronous? {
            true => Some(Time::Asynchronous { max_advance }),
            false => Some(Time::Synchronous),
        }
    }

    /// What a document's chart holds becomes the content of `state`.
    fn page(&mut self, document: usize, state: State, depth: usize) {
        self.documents[document].users.push(state);
        self.inside.push(document);
        self.content(document, 0, state, depth);
        self.inside.pop();
        if self.count_states(document, 0) == 0 && !self.stopped {
            self.error(document, 0, None, "a chart has one state or more");
        }
    }

    fn content(&mut self, document: usize, node: u32, state: State, depth: usize) {
        let children = self.node(document, node).map(|node| node.children.clone()).unwrap_or_default();
        for child in children {
            if self.stopped || self.errors.full() {
                return;
            }
            let Some(element) = self.node(document, child).map(|node| node.element) else { continue };
            match element {
                Element::State | Element::OrState | Element::AndState | Element::OffPage => {
                    self.state(document, child, state, depth + 1);
                }
                Element::Connector => self.connector(document, child, state),
                Element::Entering
                | Element::Exiting
                | Element::Reaction
                | Element::Default
                | Element::Transition
                | Element::Requirement => {
                    self.count(document, child);
                    self.work.push(Work { state, document, node: child });
                }
                Element::Requirements => self.content(document, child, state, depth),
                Element::Statechart
                | Element::Description
                | Element::Declarations
                | Element::Event
                | Element::Condition
                | Element::DataItem
                | Element::Enumeration
                | Element::Value
                | Element::Record
                | Element::Field
                | Element::Action
                | Element::Activity
                | Element::DefinedEvent
                | Element::DefinedCondition => {}
            }
        }
    }

    /// Requirements of a file beside the chart's.
    pub fn requirements(&mut self, document: usize) {
        let Some(root) = self.node(document, 0) else { return };
        if root.element != Element::Requirements {
            self.error(document, 0, None, "the root element of a file of requirements is `requirements`");
            return;
        }
        if let Some(root) = self.states.keys().next() {
            self.content(document, 0, root, 0);
        }
    }

    /// Files that are used over and over could become any number of states.
    fn count(&mut self, document: usize, node: u32) {
        if self.states.len() + self.connectors.len() + self.work.len() >= MAX_ELEMENTS || self.paths > MAX_PATHS {
            self.error(
                document,
                node,
                None,
                format!("the chart has more than {MAX_ELEMENTS} elements over all its files"),
            );
            self.stopped = true;
        }
    }

    /// A name that no sibling has.
    fn name(&mut self, document: usize, node: u32, parent: State) -> Option<String> {
        let name = self.node(document, node)?.get(Attribute::Name)?.text.clone();
        let position = self.node(document, node)?.get(Attribute::Name)?.start();
        if !is_name(&name) || name.len() > MAX_NAME {
            let message = format!("`{}` is no name: letters, digits and `_`, at most {MAX_NAME} bytes", shorten(&name));
            self.error(document, node, Some(Attribute::Name), message);
            return None;
        }
        if let Some(before) = self.siblings.insert((parent, name.clone()), position) {
            let message =
                format!("`{name}` is the name of two states or connectors side by side, first in line {}", before.line);
            self.error(document, node, Some(Attribute::Name), message);
            return None;
        }
        Some(name)
    }

    fn state(&mut self, document: usize, node: u32, parent: State, depth: usize) {
        self.count(document, node);
        if depth > MAX_STATE_DEPTH {
            self.error(document, node, None, format!("states are nested more than {MAX_STATE_DEPTH} deep"));
            return;
        }
        let Some(name) = self.name(document, node, parent) else { return };
        let Some(data) = self.node(document, node) else { return };
        let (element, position) = (data.element, data.position);
        let path = match self.states[parent].parent {
            Some(_) => format!("{}.{name}", self.states[parent].path),
            None => name.clone(),
        };
        self.paths += path.len();
        let kind = match element {
            Element::AndState => StateKind::And,
            Element::State => StateKind::Basic,
            _ => StateKind::Or,
        };
        let state = self.states.push(StateData {
            name,
            path,
            parent: Some(parent),
            kind,
            children: Vec::new(),
            entering: Vec::new(),
            exiting: Vec::new(),
            reactions: Vec::new(),
            position,
        });
        self.states[parent].children.push(state);
        self.content(document, node, state, depth);
        if element == Element::OffPage {
            self.off_page(document, node, state, depth);
        }
        self.check_children(document, node, state, parent);
    }

    /// Elements that are states, whether they are right or not.
    fn count_states(&self, document: usize, node: u32) -> usize {
        let is_state = |child: &&u32| {
            let element = self.node(document, **child).map(|node| node.element);
            matches!(element, Some(Element::State | Element::OrState | Element::AndState | Element::OffPage))
        };
        self.node(document, node).map_or(0, |node| node.children.iter().filter(is_state).count())
    }

    fn check_children(&mut self, document: usize, node: u32, state: State, parent: State) {
        let count = self.count_states(document, node);
        let message = match self.states[state].kind {
            _ if self.stopped => return,
            StateKind::And if count < 2 => "an AND-state has two components or more",
            StateKind::And if self.states[parent].kind == StateKind::And => {
                "a component of an AND-state is an OR-state or basic: put an OR-state between them"
            }
            StateKind::Or if count == 0 && self.node(document, node).map(|n| n.element) == Some(Element::OrState) => {
                "an OR-state has one state or more; a state without any is written `state`"
            }
            StateKind::And | StateKind::Or | StateKind::Basic => return,
        };
        self.error(document, node, None, message);
    }

    fn off_page(&mut self, document: usize, node: u32, state: State, depth: usize) {
        let Some(chart) = self.text(document, node, Attribute::Chart) else { return };
        let fail = |structure: &mut Self, message: String| {
            structure.error(document, node, Some(Attribute::Chart), message);
        };
        let Some(own) = self.documents[document].path.clone() else {
            return fail(self, "a chart that is no file has no files beside it".into());
        };
        let relative = Path::new(&chart);
        let beside = relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if chart.is_empty() || chart.contains('\0') || !beside {
            return fail(
                self,
                "an off-page chart is a file beside this one or below: a relative path without `..`".into(),
            );
        }
        let path: PathBuf = own.parent().unwrap_or(Path::new("")).join(relative).components().collect();
        let known = self.documents.iter().position(|loaded| loaded.path.as_ref() == Some(&path));
        let inner = match known {
            Some(inner) if self.inside.contains(&inner) => {
                return fail(self, format!("the chart `{}` is part of itself", shorten(&chart)));
            }
            Some(inner) => inner,
            None if !path.is_file() => {
                return fail(self, format!("there is no file `{}`", path.display()));
            }
            None => self.load(&path),
        };
        let Some(element) = self.node(inner, 0).map(|root| root.element) else { return };
        if element != Element::Statechart {
            return fail(self, "the root element of a chart's file is `statechart`".into());
        }
        let time = self.time(inner);
        if known.is_none() && time.is_some() && time != self.time(0) {
            self.error(inner, 0, Some(Attribute::Time), "the time of an off-page chart is that of the whole chart");
        }
        self.page(inner, state, depth);
    }

    fn connector(&mut self, document: usize, node: u32, parent: State) {
        self.count(document, node);
        let Some(name) = self.name(document, node, parent) else { return };
        let Some(data) = self.node(document, node) else { return };
        let position = data.position;
        let Some(text) = data.get(Attribute::Kind) else { return };
        let kind = match keyword(&self.options.mapping, CONNECTORS, text) {
            Ok(Keyword::Condition) => ConnectorKind::Condition,
            Ok(Keyword::Switch) => ConnectorKind::Switch,
            Ok(Keyword::Junction) => ConnectorKind::Junction,
            Ok(Keyword::Joint | Keyword::Fork) => ConnectorKind::Joint,
            Ok(Keyword::History) => ConnectorKind::History,
            Ok(Keyword::DeepHistory) => ConnectorKind::DeepHistory,
            Ok(_) => ConnectorKind::Termination,
            Err(message) => return self.error(document, node, Some(Attribute::Kind), message),
        };
        let history = matches!(kind, ConnectorKind::History | ConnectorKind::DeepHistory);
        if history && self.states[parent].kind != StateKind::Or {
            self.error(document, node, None, "a history connector stands in the OR-state whose history it is");
            return;
        }
        self.connectors.push(ConnectorData { kind, name, parent, position });
    }

    /// The state a document's defined elements look names up from.
    pub fn scope(&self, document: usize) -> Option<State> {
        match self.documents[document].users.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// `R1`, or `R1 (on.alarm)` if its file is used more than once.
    pub fn requirement_name(&self, work: &Work, name: &str) -> String {
        match self.documents[work.document].users.len() {
            0 | 1 => name.to_string(),
            _ => {
                let user =
                    self.documents[work.document].users.iter().rev().find(|user| user.index() <= work.state.index());
                format!("{name} ({})", user.map_or("", |user| self.states[*user].path.as_str()))
            }
        }
    }
}
