//! Facts about the shape of programs: control flow, dominance, loops, calls. They are computed from a procedure as it
//! stands and know nothing of later changes; a pass that edits control flow computes them again.
//!
//! Everything here runs on explicit stacks, since blocks and calls nest as deeply as a generated program wants.

pub mod callgraph;
pub mod cfg;
pub mod dominators;
pub mod effects;
pub mod loops;
pub mod system;

pub use callgraph::CallGraph;
pub use cfg::Cfg;
pub use dominators::{Dominators, IteratedFrontier};
pub use effects::{Effect, Effects};
pub use loops::{cut_points, Component, Loop, LoopId, LoopNest};

use cranelift_entity::EntityRef;
use std::marker::PhantomData;

/// A set of entities that is emptied in constant time, for scratch sets used once per slot or per value.
#[derive(Clone, Debug)]
pub(crate) struct Marks<K> {
    stamps: Vec<u32>,
    epoch: u32,
    key: PhantomData<K>,
}

impl<K: EntityRef> Marks<K> {
    pub fn new(len: usize) -> Marks<K> {
        Marks { stamps: vec![0; len], epoch: 1, key: PhantomData }
    }

    pub fn clear(&mut self) {
        if self.epoch == u32::MAX {
            self.stamps.fill(0);
            self.epoch = 0;
        }
        self.epoch += 1;
    }

    /// Whether the key was not there yet.
    pub fn insert(&mut self, key: K) -> bool {
        let stamp = &mut self.stamps[key.index()];
        let fresh = *stamp != self.epoch;
        *stamp = self.epoch;
        fresh
    }

    pub fn contains(&self, key: K) -> bool {
        self.stamps[key.index()] == self.epoch
    }
}
