//! Labels get their meaning: names are resolved, types checked, conversions made explicit, and defined elements
//! replaced by what they stand for.
//!
//! A method that finds an error reports it and returns `None`; so one label may have several errors.

mod action;
mod event;
mod value;

use super::dictionary::{Body, Defined, Dictionary, Entry};
use super::document::shorten;
use super::error::{nearest, Errors};
use super::label::syntax::{Label, Name, Step, Tree, Wish, MAX_NESTING};
use super::names::Names;
use super::text::Text;
use crate::model::{
    ActionList, BinaryOp, End, EventExpr, Expr, Guard, ItemType, Literal, RequirementKind, State, ValueType,
};

/// Parts of all labels together, with defined elements in place.
pub const MAX_SIZE: usize = 1_000_000;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Bool,
    Int,
    Enum(u32),
    Real,
}

impl Type {
    fn of(ty: ItemType) -> Type {
        match ty {
            ItemType::Bool => Type::Bool,
            ItemType::Int { .. } => Type::Int,
            ItemType::Enum(number) => Type::Enum(number),
            ItemType::Real => Type::Real,
        }
    }

    fn value_type(self) -> ValueType {
        match self {
            Type::Bool => ValueType::Bool,
            Type::Int | Type::Enum(_) => ValueType::Int,
            Type::Real => ValueType::Real,
        }
    }
}

/// Where a label stands.
#[derive(Copy, Clone)]
pub(crate) struct Place<'t> {
    pub text: &'t Text,
    /// Where names of states are looked up; `None`: nowhere, as the file has several users.
    pub scope: Option<State>,
    /// For errors.
    pub element: &'t str,
}

/// The context variables of the action list at hand.
#[derive(Default)]
struct List {
    context: Vec<(String, Type)>,
    /// Those that have a value and can be named here.
    visible: Vec<(String, u32)>,
    /// Variables of the loops around.
    loops: Vec<u32>,
}

pub(crate) struct Checker<'a> {
    pub names: &'a Names<'a>,
    pub dictionary: &'a Dictionary,
    pub errors: &'a mut Errors,
    /// Parts that may still come.
    size: usize,
    depth: usize,
    /// Defined elements that the text at hand is part of.
    expanding: Vec<usize>,
    /// `None` outside of actions.
    list: Option<List>,
    /// An event may stand for the condition that it occurs, and a condition for an event.
    requirement: bool,
}

impl<'a> Checker<'a> {
    pub fn new(names: &'a Names<'a>, dictionary: &'a Dictionary, errors: &'a mut Errors) -> Checker<'a> {
        Checker {
            names,
            dictionary,
            errors,
            size: MAX_SIZE,
            depth: 0,
            expanding: Vec::new(),
            list: None,
            requirement: false,
        }
    }

    /// Each defined element on its own, so that those that nobody uses are right too.
    pub fn defined(&mut self) {
        let dictionary = self.dictionary;
        for (index, defined) in dictionary.defined.iter().enumerate() {
            self.expand(
                index,
                |checker, defined, place| match &defined.body {
                    Some(Body::Action(steps)) => checker.action_list(place, steps, 0).map(|_| ()),
                    Some(Body::Event(tree)) => checker.event(place, tree).map(|_| ()),
                    Some(Body::Condition(tree)) => checker.condition(place, tree).map(|_| ()),
                    None => None,
                },
                &Place { text: &defined.text, scope: defined.scope, element: &defined.element },
                0,
            );
        }
    }

    pub fn label(&mut self, place: &Place, label: &Label) -> Option<(Guard, ActionList)> {
        let guard = match &label.trigger {
            None => Some(Guard::default()),
            Some(tree) => self.event(place, tree).map(split),
        };
        let action = self.action_list(place, &label.action, label.action_at);
        Some((guard?, action?))
    }

    pub fn requirement(&mut self, place: &Place, wish: &Wish) -> Option<RequirementKind> {
        self.requirement = true;
        let kind = match wish {
            Wish::Always(tree) => self.condition(place, tree).map(RequirementKind::Always),
            Wish::Never(tree) => self.condition(place, tree).map(|c| RequirementKind::Always(not(c))),
            Wish::LeadsTo { cause, effect, within } => {
                let (cause, effect) = (self.condition(place, cause), self.condition(place, effect));
                cause.zip(effect).map(|(cause, effect)| RequirementKind::LeadsTo { cause, effect, within: *within })
            }
            Wish::AfterUntil { after, holds, until } => {
                let (after, holds, until) =
                    (self.event(place, after), self.condition(place, holds), self.event(place, until));
                after.zip(holds).zip(until).map(|((after, holds), until)| RequirementKind::AfterUntil {
                    after,
                    holds,
                    until,
                })
            }
        };
        self.requirement = false;
        kind
    }

    fn error<T>(&mut self, place: &Place, at: usize, message: impl Into<String>) -> Option<T> {
        self.errors.report(place.text.position(at), place.element, message);
        None
    }

    /// Counts a part of a label; `inner` makes it.
    fn part<T>(&mut self, place: &Place, at: usize, inner: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.size == 0 {
            return None;
        }
        self.size -= 1;
        if self.size == 0 {
            return self.error(
                place,
                at,
                format!("labels have more than {MAX_SIZE} parts with defined elements in place"),
            );
        }
        if self.depth >= MAX_NESTING {
            return self.error(
                place,
                at,
                format!("nested more than {MAX_NESTING} deep with defined elements in place"),
            );
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Does something with a defined element in its own place. Elements that need themselves are refused.
    fn expand<T>(
        &mut self,
        index: usize,
        inner: impl FnOnce(&mut Self, &'a Defined, &Place) -> Option<T>,
        place: &Place,
        at: usize,
    ) -> Option<T> {
        let dictionary = self.dictionary;
        let defined = &dictionary.defined[index];
        if self.expanding.contains(&index) {
            return self.error(place, at, format!("`{}` is defined by itself", defined.name));
        }
        self.expanding.push(index);
        let own = Place { text: &defined.text, scope: defined.scope, element: &defined.element };
        let result = inner(self, defined, &own);
        self.expanding.pop();
        result
    }

    fn condition(&mut self, place: &Place, tree: &Tree) -> Option<Expr> {
        self.value(place, tree, Some(Type::Bool)).map(|(expr, _)| expr)
    }

    /// The state of `in(S)`.
    fn state(&mut self, place: &Place, at: usize, name: &Name) -> Option<State> {
        if name.has_index() {
            return self.error(place, at, "a state has no index");
        }
        let path = name.path();
        let Some(scope) = place.scope else {
            return self.error(
                place,
                at,
                format!("`{path}` may be a state of several off-page states: the file is used more than once"),
            );
        };
        match self.names.resolve(scope, &path) {
            Ok(End::State(state)) => Some(state),
            Ok(End::Connector(_) | End::Default(_)) => {
                self.error(place, at, format!("`{path}` is a connector, not a state"))
            }
            Err(message) => self.error(place, at, message),
        }
    }

    /// For a name that is not in the dictionary.
    fn unknown<T>(&mut self, place: &Place, at: usize, what: &str, path: &str) -> Option<T> {
        let dictionary = self.dictionary;
        let short = shorten(path);
        if dictionary.entries.len() > 10_000 {
            return self.error(place, at, format!("unknown {what} `{short}`"));
        }
        let known = dictionary.entries.keys().chain(dictionary.values.keys()).map(String::as_str);
        match nearest(path, known) {
            Some(hint) => self.error(place, at, format!("unknown {what} `{short}`; the nearest name is `{hint}`")),
            None => self.error(place, at, format!("unknown {what} `{short}`: nothing is declared")),
        }
    }

    fn type_name(&self, ty: Type) -> String {
        match ty {
            Type::Bool => "a condition".to_string(),
            Type::Int => "an integer".to_string(),
            Type::Real => "a real".to_string(),
            Type::Enum(number) => {
                format!("a `{}`", self.dictionary.enums.get(number as usize).map_or("", |data| &data.name))
            }
        }
    }

    fn action_list(&mut self, place: &Place, steps: &[Step], at: usize) -> Option<ActionList> {
        let outer = self.list.replace(List::default());
        let statements = self.steps(place, steps);
        let list = std::mem::replace(&mut self.list, outer).unwrap_or_default();
        let context = list.context.into_iter().map(|(name, ty)| (name, ty.value_type())).collect();
        Some(ActionList { context, statements: statements?, position: place.text.position(at) })
    }

    /// An action list: an entering or exiting action.
    pub fn actions(&mut self, place: &Place, steps: &[Step]) -> Option<ActionList> {
        let at = place.text.text.len() - place.text.text.trim_start().len();
        self.action_list(place, steps, at)
    }

    /// What a name of the dictionary is.
    fn entry(&self, name: &Name) -> Option<&'a Entry> {
        let dictionary = self.dictionary;
        dictionary.entries.get(&name.path())
    }
}

fn not(expr: Expr) -> Expr {
    Expr::Unary(crate::model::UnaryOp::Not, Box::new(expr))
}

fn both(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

/// An event that occurs in every step: `not tr(false)`.
fn always() -> EventExpr {
    EventExpr::Not(Box::new(EventExpr::BecameTrue(Expr::Literal(Literal::Bool(false)))))
}

fn is_always(event: &EventExpr) -> bool {
    match event {
        EventExpr::Not(inner) => {
            matches!(**inner, EventExpr::BecameTrue(Expr::Literal(Literal::Bool(false))))
        }
        _ => false,
    }
}

/// `E[C]` as a guard.
fn split(event: EventExpr) -> Guard {
    match event {
        EventExpr::When(event, condition) if is_always(&event) => Guard { trigger: None, condition: Some(*condition) },
        EventExpr::When(event, condition) => Guard { trigger: Some(*event), condition: Some(*condition) },
        event if is_always(&event) => Guard::default(),
        event => Guard { trigger: Some(event), condition: None },
    }
}
