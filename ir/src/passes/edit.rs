//! Edits that several passes share.

use crate::analysis::{Cfg, Dominators, Marks};
use crate::entities::{Block, Value};
use crate::program::{Procedure, ValueDef};
use cranelift_entity::{EntityRef, SecondaryMap};

/// Takes blocks that no run reaches out of the layout.
pub fn remove_unreachable_blocks(proc: &mut Procedure) {
    let cfg = Cfg::compute(proc);
    if cfg.rpo().len() < proc.layout.len() {
        proc.layout.retain(|&b| cfg.is_reachable(b));
    }
}

/// Values that stand for others. Chains are followed and shortened.
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    of: SecondaryMap<Value, Option<Value>>,
    any: bool,
}

impl Aliases {
    /// From now on `value` is `target`, which must not resolve to `value`.
    pub fn set(&mut self, value: Value, target: Value) {
        self.any = true;
        self.of[value] = Some(target);
    }

    pub fn resolve(&mut self, value: Value) -> Value {
        let mut end = value;
        while let Some(next) = self.of[end] {
            end = next;
        }
        let mut at = value;
        while let Some(next) = self.of[at].filter(|&n| n != end) {
            self.of[at] = Some(end);
            at = next;
        }
        end
    }

    /// Replaces every use in the procedure.
    pub fn apply(&mut self, proc: &mut Procedure) {
        if !self.any {
            return;
        }
        for i in 0..proc.layout.len() {
            let block = proc.layout[i];
            let data = &mut proc.blocks[block];
            data.term.map_args(|v| self.resolve(v));
            for &inst in &data.insts {
                proc.insts[inst].data.map_args(|v| self.resolve(v));
            }
        }
    }
}

/// Drops parameters of blocks, with the arguments of the edges that lead there. The entry's are the procedure's, its
/// callers must change with them.
pub fn drop_params(proc: &mut Procedure, dead: impl Fn(Value) -> bool) {
    let mut kept: SecondaryMap<Block, Option<Vec<bool>>> = SecondaryMap::new();
    let mut any = false;
    for i in 0..proc.layout.len() {
        let block = proc.layout[i];
        let params = &mut proc.blocks[block].params;
        if !params.iter().any(|&p| dead(p)) {
            continue;
        }
        any = true;
        kept[block] = Some(params.iter().map(|&p| !dead(p)).collect());
        params.retain(|&p| !dead(p));
        for (n, &p) in params.iter().enumerate() {
            proc.values[p].def = ValueDef::Param(block, n as u32);
        }
    }
    if !any {
        return;
    }
    for i in 0..proc.layout.len() {
        let block = proc.layout[i];
        for target in proc.blocks[block].term.targets_mut() {
            if let Some(kept) = &kept[target.block] {
                retain_by(&mut target.args, kept);
            }
        }
    }
}

/// Keeps the elements whose flag is set.
pub fn retain_by<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut flags = kept.iter();
    list.retain(|_| *flags.next().unwrap_or(&true));
}

/// The block of each value's definition, for the values defined in the layout.
pub fn definition_blocks(proc: &Procedure) -> SecondaryMap<Value, Option<Block>> {
    let mut defs = SecondaryMap::with_capacity(proc.values.len());
    for &block in &proc.layout {
        let data = &proc.blocks[block];
        data.params.iter().for_each(|&p| defs[p] = Some(block));
        for &inst in &data.insts {
            proc.insts[inst].results.iter().for_each(|&r| defs[r] = Some(block));
        }
    }
    defs
}

/// Marks the blocks where a variable is live on entry, given the blocks that use it before they define it and the
/// blocks that define it. `live` must be empty.
pub(crate) fn mark_live_in(cfg: &Cfg, uses: &[Block], is_def: impl Fn(Block) -> bool, live: &mut Marks<Block>) {
    let mut stack: Vec<Block> = uses.iter().copied().filter(|&b| live.insert(b)).collect();
    while let Some(block) = stack.pop() {
        stack.extend(cfg.preds(block).iter().copied().filter(|&p| !is_def(p) && live.insert(p)));
    }
}

/// Visits the dominator tree from the root: `enter` before the blocks below, `leave` after them.
pub fn walk_tree<S>(
    state: &mut S,
    root: Block,
    dom: &Dominators,
    mut enter: impl FnMut(&mut S, Block),
    mut leave: impl FnMut(&mut S, Block),
) {
    let mut stack: Vec<(Block, usize)> = vec![(root, 0)];
    enter(state, root);
    while let Some((block, at)) = stack.last_mut() {
        match dom.children(*block).get(*at) {
            Some(&child) => {
                *at += 1;
                enter(state, child);
                stack.push((child, 0));
            }
            None => {
                leave(state, *block);
                stack.pop();
            }
        }
    }
}

/// A value per key with the scoping of a walk down the dominator tree.
#[derive(Clone, Debug)]
pub struct ScopedValues<K> {
    current: Vec<Option<Value>>,
    undo: Vec<(K, Option<Value>)>,
    scopes: Vec<usize>,
}

impl<K: EntityRef> ScopedValues<K> {
    pub fn new(keys: usize) -> ScopedValues<K> {
        ScopedValues { current: vec![None; keys], undo: Vec::new(), scopes: Vec::new() }
    }

    pub fn get(&self, key: K) -> Option<Value> {
        self.current[key.index()]
    }

    pub fn set(&mut self, key: K, value: Value) {
        self.undo.push((key, self.current[key.index()].replace(value)));
    }

    pub fn enter(&mut self) {
        self.scopes.push(self.undo.len());
    }

    /// Forgets what was set since the matching `enter`.
    pub fn leave(&mut self) {
        let start = self.scopes.pop().unwrap_or(0);
        for (key, old) in self.undo.drain(start..).rev() {
            self.current[key.index()] = old;
        }
    }
}
