//! Which state or connector a name means.
//!
//! A name is looked up from the state its label or transition stands in, then from that state's parent, and so on. At
//! each state, a direct child comes first (`light.red`: the child `red` of the child `light`); else it is the state or
//! connector at or below it whose path ends with the name. Two of them: the name is ambiguous.

use super::error::nearest;
use crate::model::{Connector, ConnectorData, End, State, StateData};
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;

pub(crate) struct Names<'a> {
    states: &'a PrimaryMap<State, StateData>,
    connectors: &'a PrimaryMap<Connector, ConnectorData>,
    children: FxHashMap<(State, &'a str), End>,
    /// By the last part of the path; sorted by [`anchor`].
    named: FxHashMap<&'a str, Vec<End>>,
    /// The last state below: states are in preorder.
    last: SecondaryMap<State, u32>,
}

impl<'a> Names<'a> {
    pub fn new(
        states: &'a PrimaryMap<State, StateData>,
        connectors: &'a PrimaryMap<Connector, ConnectorData>,
    ) -> Names<'a> {
        let mut names = Names {
            states,
            connectors,
            children: FxHashMap::default(),
            named: FxHashMap::default(),
            last: SecondaryMap::new(),
        };
        for (state, data) in states {
            let Some(parent) = data.parent else { continue };
            names.children.insert((parent, &data.name), End::State(state));
            names.named.entry(&data.name).or_default().push(End::State(state));
        }
        for (connector, data) in connectors {
            names.children.insert((data.parent, &data.name), End::Connector(connector));
            names.named.entry(&data.name).or_default().push(End::Connector(connector));
        }
        for state in states.keys().rev() {
            let own = names.last[state].max(state.index() as u32);
            names.last[state] = own;
            if let Some(parent) = states[state].parent {
                names.last[parent] = names.last[parent].max(own);
            }
        }
        let mut named = std::mem::take(&mut names.named);
        for list in named.values_mut() {
            list.sort_by_key(|&end| names.anchor(end));
        }
        names.named = named;
        names
    }

    fn anchor(&self, end: End) -> u32 {
        match end {
            End::State(state) | End::Default(state) => state.index() as u32,
            End::Connector(connector) => self.connectors[connector].parent.index() as u32,
        }
    }

    /// Whether `inner` is `outer` or below it.
    pub fn within(&self, inner: State, outer: State) -> bool {
        (outer.index() as u32..=self.last[outer]).contains(&(inner.index() as u32))
    }

    pub fn resolve(&self, scope: State, path: &str) -> Result<End, String> {
        let parts: Vec<&str> = path.split('.').map(str::trim).collect();
        let mut at = Some(scope);
        while let Some(state) = at {
            if let Some(found) = self.below(state, &parts) {
                return Ok(found);
            }
            let mut found = self.suffixed(state, &parts);
            if let Some(first) = found.next() {
                return match found.next() {
                    None => Ok(first),
                    Some(second) => Err(format!(
                        "`{path}` is ambiguous: it may be `{}` or `{}`",
                        self.path(first),
                        self.path(second)
                    )),
                };
            }
            at = self.states[state].parent;
        }
        let short = super::document::shorten(path);
        let last = parts.last().copied().unwrap_or_default();
        if self.named.len() > 10_000 {
            return Err(format!("unknown state or connector `{short}`"));
        }
        match nearest(last, self.named.keys().copied()) {
            Some(hint) => Err(format!("unknown state or connector `{short}`; the nearest name is `{hint}`")),
            None => Err(format!("unknown state or connector `{short}`")),
        }
    }

    /// Along the children of `state`.
    fn below(&self, state: State, parts: &[&str]) -> Option<End> {
        let mut at = state;
        for (count, part) in parts.iter().enumerate() {
            match *self.children.get(&(at, *part))? {
                End::State(child) => at = child,
                end @ (End::Connector(_) | End::Default(_)) => return (count + 1 == parts.len()).then_some(end),
            }
        }
        Some(End::State(at))
    }

    /// At or below `state`, with a path that ends so.
    fn suffixed<'s>(&'s self, state: State, parts: &'s [&str]) -> impl Iterator<Item = End> + 's {
        let all = parts.last().and_then(|last| self.named.get(last)).map_or(&[][..], Vec::as_slice);
        let from = all.partition_point(|&end| self.anchor(end) < state.index() as u32);
        let to = all.partition_point(|&end| self.anchor(end) <= self.last[state]);
        all[from..to].iter().copied().filter(move |&end| self.ends_with(end, &parts[..parts.len() - 1]))
    }

    /// Whether the ancestors of `end` have these names, the last one next to it.
    fn ends_with(&self, end: End, parts: &[&str]) -> bool {
        let mut at = match end {
            End::State(state) | End::Default(state) => self.states[state].parent,
            End::Connector(connector) => Some(self.connectors[connector].parent),
        };
        for part in parts.iter().rev() {
            match at {
                // The root is not part of a path.
                Some(state) if self.states[state].parent.is_some() && self.states[state].name == *part => {
                    at = self.states[state].parent;
                }
                _ => return false,
            }
        }
        true
    }

    pub fn path(&self, end: End) -> String {
        match end {
            End::State(state) | End::Default(state) => self.states[state].path.clone(),
            End::Connector(connector) => {
                let data = &self.connectors[connector];
                match self.states[data.parent].parent {
                    Some(_) => format!("{}.{}", self.states[data.parent].path, data.name),
                    None => data.name.clone(),
                }
            }
        }
    }
}
