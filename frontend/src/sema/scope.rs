//! What names mean where. One table of current meanings and a list of what to restore when a scope ends, so that
//! looking up costs the same however deep the blocks nest.

use crate::hir::{Func, Obj};
use crate::types::{Qual, Record, TypeId};
use rustc_hash::FxHashMap;

#[derive(Copy, Clone, Debug)]
pub enum Symbol {
    Object(Obj),
    Func(Func),
    /// An enumerator: value and type.
    Constant(i128, TypeId),
    /// A type, and the alignment an attribute gave it.
    Typedef(Qual, Option<u64>),
}

#[derive(Copy, Clone, Debug)]
pub enum Tag {
    Record(Record),
    /// The integer type, and whether the enumerators have been seen.
    Enum(TypeId, bool),
}

#[derive(Copy, Clone)]
struct Entry<T> {
    depth: u32,
    what: T,
}

enum Undo<'a> {
    Name(&'a str, Option<Entry<Symbol>>),
    Tag(&'a str, Option<Entry<Tag>>),
}

/// Depth 0 is file scope.
pub struct Scope<'a> {
    names: FxHashMap<&'a str, Entry<Symbol>>,
    tags: FxHashMap<&'a str, Entry<Tag>>,
    undo: Vec<Undo<'a>>,
    marks: Vec<usize>,
}

impl<'a> Scope<'a> {
    pub fn new() -> Scope<'a> {
        Scope { names: FxHashMap::default(), tags: FxHashMap::default(), undo: Vec::new(), marks: Vec::new() }
    }

    pub fn depth(&self) -> u32 {
        self.marks.len() as u32
    }

    pub fn enter(&mut self) {
        self.marks.push(self.undo.len());
    }

    pub fn leave(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        while self.undo.len() > mark {
            match self.undo.pop() {
                Some(Undo::Name(name, old)) => restore(&mut self.names, name, old),
                Some(Undo::Tag(name, old)) => restore(&mut self.tags, name, old),
                None => break,
            }
        }
    }

    pub fn lookup(&self, name: &str) -> Option<Symbol> {
        self.names.get(name).map(|e| e.what)
    }

    /// Only what the innermost scope declares.
    pub fn lookup_here(&self, name: &str) -> Option<Symbol> {
        self.names.get(name).filter(|e| e.depth == self.depth()).map(|e| e.what)
    }

    /// The meaning, and whether it is one of file scope.
    pub fn lookup_depth(&self, name: &str) -> Option<(Symbol, bool)> {
        self.names.get(name).map(|e| (e.what, e.depth == 0))
    }

    pub fn declare(&mut self, name: &'a str, what: Symbol) {
        let old = self.names.insert(name, Entry { depth: self.depth(), what });
        if !self.marks.is_empty() {
            self.undo.push(Undo::Name(name, old));
        }
    }

    pub fn tag(&self, name: &str) -> Option<Tag> {
        self.tags.get(name).map(|e| e.what)
    }

    pub fn tag_here(&self, name: &str) -> Option<Tag> {
        self.tags.get(name).filter(|e| e.depth == self.depth()).map(|e| e.what)
    }

    pub fn declare_tag(&mut self, name: &'a str, what: Tag) {
        let old = self.tags.insert(name, Entry { depth: self.depth(), what });
        if !self.marks.is_empty() {
            self.undo.push(Undo::Tag(name, old));
        }
    }

    /// Changes what a visible tag means, in the scope that declared it.
    pub fn update_tag(&mut self, name: &str, what: Tag) {
        if let Some(entry) = self.tags.get_mut(name) {
            entry.what = what;
        }
    }
}

fn restore<'a, T>(map: &mut FxHashMap<&'a str, Entry<T>>, name: &'a str, old: Option<Entry<T>>) {
    match old {
        Some(entry) => map.insert(name, entry),
        None => map.remove(name),
    };
}
