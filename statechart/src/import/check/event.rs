//! Event expressions.

use super::{always, Checker, Place};
use crate::import::dictionary::{Activity, Body, Defined, Entry};
use crate::import::label::syntax::{Kind, Name, Operator, Tree, Word};
use crate::model::{EventExpr, Expr, Item, State, Watched};

impl Checker<'_> {
    pub(super) fn event(&mut self, place: &Place, tree: &Tree) -> Option<EventExpr> {
        self.part(place, tree.at, |checker| checker.event_part(place, tree))
    }

    fn event_part(&mut self, place: &Place, tree: &Tree) -> Option<EventExpr> {
        let pair = |checker: &mut Self, a: &Tree, b: &Tree| {
            let (a, b) = (checker.event(place, a), checker.event(place, b));
            Some((Box::new(a?), Box::new(b?)))
        };
        match &tree.kind {
            Kind::Name(name) => self.named_event(place, tree, name),
            Kind::Call(word, arguments) if word.is_event() => self.event_call(place, *word, arguments),
            Kind::Not(inner) => Some(EventExpr::Not(Box::new(self.event(place, inner)?))),
            Kind::Binary(Operator::And, a, b) => match (&a.kind, &b.kind) {
                // `E and [C]` is `E[C]`.
                (_, Kind::Bracket(condition)) => self.guarded(place, a, condition),
                (Kind::Bracket(condition), _) => self.guarded(place, b, condition),
                _ => pair(self, a, b).map(|(a, b)| EventExpr::And(a, b)),
            },
            Kind::Binary(Operator::Or, a, b) => pair(self, a, b).map(|(a, b)| EventExpr::Or(a, b)),
            Kind::When(event, condition) => self.guarded(place, event, condition),
            Kind::Bracket(condition) => self.holds(place, condition),
            Kind::Integer(_)
            | Kind::Real(_)
            | Kind::Truth(_)
            | Kind::Context(_)
            | Kind::Negate(_)
            | Kind::Call(..)
            | Kind::Binary(..) => self.condition_as_event(place, tree),
        }
    }

    fn guarded(&mut self, place: &Place, event: &Tree, condition: &Tree) -> Option<EventExpr> {
        let (event, condition) = (self.event(place, event), self.condition(place, condition));
        Some(EventExpr::When(Box::new(event?), Box::new(condition?)))
    }

    /// `[C]`: in every step in which C holds.
    fn holds(&mut self, place: &Place, condition: &Tree) -> Option<EventExpr> {
        Some(EventExpr::When(Box::new(always()), Box::new(self.condition(place, condition)?)))
    }

    fn condition_as_event(&mut self, place: &Place, tree: &Tree) -> Option<EventExpr> {
        if self.requirement {
            return self.holds(place, tree);
        }
        self.error(place, tree.at, "an event is wanted here; a condition stands in `[...]`")
    }

    fn named_event(&mut self, place: &Place, tree: &Tree, name: &Name) -> Option<EventExpr> {
        let path = name.path();
        match self.entry(name) {
            Some(Entry::Event(_) | Entry::Defined(_)) if name.has_index() => {
                self.error(place, tree.at, format!("`{path}` has no index"))
            }
            Some(Entry::Event(event)) => Some(EventExpr::Event(*event)),
            Some(&Entry::Defined(index)) => {
                let dictionary = self.dictionary;
                match &dictionary.defined[index].body {
                    Some(Body::Event(_)) => {
                        let expand = |checker: &mut Self, defined: &Defined, own: &Place| match &defined.body {
                            Some(Body::Event(tree)) => checker.event(own, tree),
                            _ => None,
                        };
                        self.expand(index, expand, place, tree.at)
                    }
                    Some(Body::Condition(_)) => self.condition_as_event(place, tree),
                    Some(Body::Action(_)) => self.error(place, tree.at, format!("`{path}` is an action, not an event")),
                    None => None,
                }
            }
            Some(Entry::Item(_) | Entry::Record(..)) => self.condition_as_event(place, tree),
            None => self.unknown(place, tree.at, "event", &path),
        }
    }

    fn event_call(&mut self, place: &Place, word: Word, arguments: &[Tree]) -> Option<EventExpr> {
        // What was at the step before is not known of context variables.
        let list = self.list.take();
        let event = self.event_word(place, word, arguments);
        self.list = list;
        event
    }

    fn event_word(&mut self, place: &Place, word: Word, arguments: &[Tree]) -> Option<EventExpr> {
        match (word, arguments) {
            (Word::Entered, [state]) => self.state_of(place, state).map(EventExpr::Entered),
            (Word::Exited, [state]) => self.state_of(place, state).map(EventExpr::Exited),
            (Word::BecameTrue, [condition]) => self.plain(place, condition).map(EventExpr::BecameTrue),
            (Word::BecameFalse, [condition]) => self.plain(place, condition).map(EventExpr::BecameFalse),
            (Word::Changed, [data]) => self.changed(place, data),
            (Word::Written, [data]) => self.accessed(place, data, EventExpr::Written),
            (Word::Read, [data]) => self.accessed(place, data, EventExpr::Read),
            (Word::Started, [activity]) => self.activity(place, activity).map(|a| EventExpr::Event(a.started)),
            (Word::Stopped, [activity]) => self.activity(place, activity).map(|a| EventExpr::Event(a.stopped)),
            (Word::Timeout, [event, delay]) => {
                let (event, delay) = (self.event(place, event), self.value(place, delay, Some(super::Type::Int)));
                Some(EventExpr::Timeout(Box::new(event?), Box::new(delay?.0)))
            }
            // The parser has counted the arguments, and values went another way.
            _ => None,
        }
    }

    /// A condition about data and states, also in requirements.
    fn plain(&mut self, place: &Place, tree: &Tree) -> Option<Expr> {
        let requirement = std::mem::replace(&mut self.requirement, false);
        let condition = self.condition(place, tree);
        self.requirement = requirement;
        condition
    }

    fn changed(&mut self, place: &Place, data: &Tree) -> Option<EventExpr> {
        if let Kind::Name(name) = &data.kind {
            let dictionary = self.dictionary;
            match self.entry(name) {
                Some(Entry::Item(item)) if dictionary.items[*item].array.is_some() && !name.has_index() => {
                    return Some(EventExpr::Changed(Watched::Array(*item)));
                }
                Some(Entry::Record(_, items)) if !name.has_index() => {
                    let changed = |item: Item| match dictionary.items[item].array {
                        Some(_) => EventExpr::Changed(Watched::Array(item)),
                        None => EventExpr::Changed(Watched::Expr(Expr::Item(item))),
                    };
                    return self.any(place, data, items, changed);
                }
                _ => {}
            }
        }
        let requirement = std::mem::replace(&mut self.requirement, false);
        let value = self.value(place, data, None);
        self.requirement = requirement;
        Some(EventExpr::Changed(Watched::Expr(value?.0)))
    }

    fn accessed(&mut self, place: &Place, data: &Tree, event: fn(Item) -> EventExpr) -> Option<EventExpr> {
        let Kind::Name(name) = &data.kind else {
            return self.error(place, data.at, "the name of a data-item or condition is wanted here");
        };
        if name.has_index() {
            return self.error(place, data.at, "only of a whole array it is known whether it was read or written");
        }
        match self.entry(name) {
            Some(Entry::Item(item)) => Some(event(*item)),
            Some(Entry::Record(_, items)) => self.any(place, data, items, event),
            Some(Entry::Event(_) | Entry::Defined(_)) => {
                self.error(place, data.at, format!("`{}` is no data-item and no condition", name.path()))
            }
            None => self.unknown(place, data.at, "data-item or condition", &name.path()),
        }
    }

    /// One of the fields of a record; a balanced tree, as records may be large.
    fn any(
        &mut self,
        place: &Place,
        at: &Tree,
        items: &[Item],
        event: impl Fn(Item) -> EventExpr,
    ) -> Option<EventExpr> {
        if items.len() > self.size {
            self.size = 1;
            return self.part(place, at.at, |_| None);
        }
        self.size -= items.len();
        let mut events: Vec<EventExpr> = items.iter().map(|&item| event(item)).collect();
        while events.len() > 1 {
            let mut next = Vec::with_capacity(events.len().div_ceil(2));
            let mut rest = events.into_iter();
            while let Some(a) = rest.next() {
                next.push(match rest.next() {
                    Some(b) => EventExpr::Or(Box::new(a), Box::new(b)),
                    None => a,
                });
            }
            events = next;
        }
        events.pop()
    }

    fn state_of(&mut self, place: &Place, tree: &Tree) -> Option<State> {
        match &tree.kind {
            Kind::Name(name) => self.state(place, tree.at, name),
            _ => self.error(place, tree.at, "a state is wanted here"),
        }
    }

    pub(super) fn activity(&mut self, place: &Place, tree: &Tree) -> Option<Activity> {
        match &tree.kind {
            Kind::Name(name) => self.activity_named(place, tree.at, name),
            _ => self.error(place, tree.at, "an activity is wanted here"),
        }
    }

    pub(super) fn activity_named(&mut self, place: &Place, at: usize, name: &Name) -> Option<Activity> {
        let dictionary = self.dictionary;
        let path = name.path();
        match dictionary.activities.get(&path).filter(|_| !name.has_index()) {
            Some(activity) => Some(*activity),
            None => {
                let known = dictionary.activities.keys().map(String::as_str);
                let message = match crate::import::error::nearest(&path, known) {
                    Some(hint) => format!("unknown activity `{path}`; the nearest name is `{hint}`"),
                    None => format!("unknown activity `{path}`: none is declared"),
                };
                self.error(place, at, message)
            }
        }
    }
}
