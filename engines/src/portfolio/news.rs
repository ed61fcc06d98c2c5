//! What an engine hears from those that run beside it.

use crate::annotation::{Formula, Location, Original};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use syncline_ir::Prop;

/// Filled by one thread, read by the engine's. Copies are the same news.
#[derive(Clone, Default)]
pub struct News(Arc<Mutex<Heard>>);

#[derive(Default)]
struct Heard {
    decided: BTreeSet<Prop>,
    /// In the order they came.
    facts: Vec<(Location, Formula<Original>)>,
}

impl News {
    /// Nothing is left half done by whoever panics here: entries are whole.
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another engine has decided the property.
    pub fn add_decided(&self, prop: Prop) {
        self.heard().decided.insert(prop);
    }

    /// Another engine has proved that this holds whenever a run comes there.
    pub fn add_fact(&self, location: Location, formula: Formula<Original>) {
        self.heard().facts.push((location, formula));
    }

    /// What others have decided leaves the list.
    pub fn keep_open(&self, props: &mut Vec<Prop>) {
        let heard = self.heard();
        if !heard.decided.is_empty() {
            props.retain(|p| !heard.decided.contains(p));
        }
    }

    /// The facts from this number on.
    pub fn facts_from(&self, first: usize) -> Vec<(Location, Formula<Original>)> {
        self.heard().facts.get(first..).map(<[_]>::to_vec).unwrap_or_default()
    }
}
