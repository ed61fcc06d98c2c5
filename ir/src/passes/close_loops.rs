//! Loop-closed form: a use of a value lies in every loop (of [`LoopNest`]) that its definition lies in. A value that
//! is wanted after a loop leaves it through a parameter of the block the exit leads to. Engines that copy loop bodies
//! then need no bookkeeping for what an iteration leaves behind.
//!
//! A value with a use outside its loop is treated like a variable: its definitions are the old one and a parameter at
//! every exit of a loop around any of its definitions where it is live, until nothing is added (an exit can lead into
//! another loop, or across several), then joins get parameters as in SSA construction. Edges are never split: the
//! old definition dominates each place where the value is live, so every edge there has an argument to pass.
//! Constants move to the entry instead.

use super::edit::{definition_blocks, mark_live_in, remove_unreachable_blocks, walk_tree, ScopedValues};
use crate::analysis::{Cfg, Dominators, IteratedFrontier, LoopId, LoopNest, Marks};
use crate::entities::{Block, Inst, Value};
use crate::inst::InstData;
use crate::program::{Procedure, Program, ValueDef};
use cranelift_entity::SecondaryMap;

/// Brings every procedure into loop-closed form. Values only: run it after `ssa` to cover slots.
pub fn close_loops(program: &mut Program) {
    program.procs.values_mut().for_each(procedure);
}

/// Says which use breaks loop-closed form, if any.
pub fn check_loop_closed(proc: &Procedure) -> Result<(), String> {
    let nest = LoopNest::compute(proc);
    match escaping_uses(proc, &nest).first() {
        None => Ok(()),
        Some((value, block)) => {
            Err(format!("{}: {value} is used in {block}, outside a loop it is defined in", proc.name))
        }
    }
}

/// Uses outside the loop of the definition, in reachable blocks.
fn escaping_uses(proc: &Procedure, nest: &LoopNest) -> Vec<(Value, Block)> {
    if nest.loops.is_empty() {
        return Vec::new();
    }
    let defs = definition_blocks(proc);
    let cfg = Cfg::compute(proc);
    let mut escaping = Vec::new();
    for &block in cfg.rpo() {
        let mut check = |value: Value| {
            if defs[value].is_some_and(|def| !nest.may_use(def, block)) {
                escaping.push((value, block));
            }
        };
        for &inst in &proc.blocks[block].insts {
            proc.insts[inst].data.for_each_arg(&mut check);
        }
        proc.blocks[block].term.for_each_arg(&mut check);
    }
    escaping
}

fn procedure(proc: &mut Procedure) {
    remove_unreachable_blocks(proc);
    let cfg = Cfg::compute(proc);
    let nest = LoopNest::of(&cfg);
    let mut values: Vec<Value> = escaping_uses(proc, &nest).into_iter().map(|(v, _)| v).collect();
    values.sort_unstable();
    values.dedup();
    let defs = definition_blocks(proc);
    hoist_constants(proc, &mut values, &defs);
    if values.is_empty() {
        return;
    }
    let dom = Dominators::of(proc.entry, &cfg);
    let uses = use_blocks(proc, &cfg, &values);
    let mut closer = Closer::new(&cfg, &dom, &nest);
    let mut params: SecondaryMap<Block, Vec<(Value, Value)>> = SecondaryMap::with_capacity(proc.blocks.len());
    for (value, uses) in values.into_iter().zip(uses) {
        let Some(def) = defs[value] else { continue };
        let ty = proc.value_type(value);
        for block in closer.param_blocks(def, &uses) {
            let param = proc.add_param(block, ty);
            params[block].push((value, param));
        }
    }
    let (root, count) = (proc.entry, proc.values.len());
    let mut renamer = Renamer { proc, params, current: ScopedValues::new(count) };
    walk_tree(&mut renamer, root, &dom, Renamer::enter, |r, _| r.current.leave());
}

/// Moves the constants among the values to the entry and takes them off the list.
fn hoist_constants(proc: &mut Procedure, values: &mut Vec<Value>, defs: &SecondaryMap<Value, Option<Block>>) {
    let mut moved: Vec<Inst> = Vec::new();
    let mut blocks: Vec<Block> = Vec::new();
    values.retain(|&value| {
        let ValueDef::Result(inst, _) = proc.values[value].def else { return true };
        if !matches!(proc.insts[inst].data, InstData::Const(_)) {
            return true;
        }
        moved.push(inst);
        blocks.extend(defs[value]);
        false
    });
    blocks.sort_unstable();
    blocks.dedup();
    let mut is_moved = Marks::new(proc.insts.len());
    for &inst in &moved {
        is_moved.insert(inst);
    }
    for block in blocks {
        proc.blocks[block].insts.retain(|&i| !is_moved.contains(i));
    }
    proc.blocks[proc.entry].insts.splice(0..0, moved);
}

/// For each of the values (sorted), the blocks that use it.
fn use_blocks(proc: &Procedure, cfg: &Cfg, values: &[Value]) -> Vec<Vec<Block>> {
    let mut place: SecondaryMap<Value, Option<u32>> = SecondaryMap::with_capacity(proc.values.len());
    for (n, &value) in values.iter().enumerate() {
        place[value] = Some(n as u32);
    }
    let mut uses: Vec<Vec<Block>> = vec![Vec::new(); values.len()];
    for &block in cfg.rpo() {
        let mut note = |value: Value| {
            if let Some(n) = place[value] {
                let list = &mut uses[n as usize];
                if list.last() != Some(&block) {
                    list.push(block);
                }
            }
        };
        for &inst in &proc.blocks[block].insts {
            proc.insts[inst].data.for_each_arg(&mut note);
        }
        proc.blocks[block].term.for_each_arg(&mut note);
    }
    uses
}

/// Finds where one value after another needs parameters.
struct Closer<'a> {
    cfg: &'a Cfg,
    nest: &'a LoopNest,
    exits: SecondaryMap<LoopId, Vec<Block>>,
    frontier: IteratedFrontier<'a>,
    live: Marks<Block>,
    defined: Marks<Block>,
    left: Marks<LoopId>,
}

impl<'a> Closer<'a> {
    fn new(cfg: &'a Cfg, dom: &'a Dominators, nest: &'a LoopNest) -> Closer<'a> {
        let blocks = cfg.table_len();
        Closer {
            cfg,
            nest,
            exits: exit_targets(cfg, nest),
            frontier: IteratedFrontier::new(cfg, dom),
            live: Marks::new(blocks),
            defined: Marks::new(blocks),
            left: Marks::new(nest.loops.len()),
        }
    }

    fn param_blocks(&mut self, def: Block, uses: &[Block]) -> Vec<Block> {
        self.live.clear();
        self.defined.clear();
        self.left.clear();
        let uses: Vec<Block> = uses.iter().copied().filter(|&b| b != def).collect();
        mark_live_in(self.cfg, &uses, |b| b == def, &mut self.live);
        self.defined.insert(def);
        let mut defs = vec![def];
        let mut done = 0;
        loop {
            while done < defs.len() {
                self.add_exits(defs[done], &mut defs);
                done += 1;
            }
            let live = &self.live;
            let joins = self.frontier.solve(&defs, |b| live.contains(b));
            defs.extend(joins.into_iter().filter(|&b| self.defined.insert(b)));
            if done == defs.len() {
                return defs.split_off(1);
            }
        }
    }

    /// Adds the live exits of the loops around a definition.
    fn add_exits(&mut self, block: Block, defs: &mut Vec<Block>) {
        let nest = self.nest;
        for l in nest.chain(nest.innermost[block]) {
            if !self.left.insert(l) {
                return;
            }
            for &exit in &self.exits[l] {
                if self.live.contains(exit) && self.defined.insert(exit) {
                    defs.push(exit);
                }
            }
        }
    }
}

/// The blocks outside each loop that an edge from inside leads to.
fn exit_targets(cfg: &Cfg, nest: &LoopNest) -> SecondaryMap<LoopId, Vec<Block>> {
    let mut exits: SecondaryMap<LoopId, Vec<Block>> = SecondaryMap::with_capacity(nest.loops.len());
    for &block in cfg.rpo() {
        for &target in cfg.succs(block) {
            for l in nest.chain(nest.innermost[block]).take_while(|&l| !nest.contains(l, target)) {
                exits[l].push(target);
            }
        }
    }
    for list in nest.loops.keys() {
        exits[list].sort_unstable();
        exits[list].dedup();
    }
    exits
}

struct Renamer<'a> {
    proc: &'a mut Procedure,
    params: SecondaryMap<Block, Vec<(Value, Value)>>,
    current: ScopedValues<Value>,
}

impl Renamer<'_> {
    fn enter(&mut self, block: Block) {
        self.current.enter();
        for &(value, param) in &self.params[block] {
            self.current.set(value, param);
        }
        let current = &self.current;
        let data = &mut self.proc.blocks[block];
        for &inst in &data.insts {
            self.proc.insts[inst].data.map_args(|v| current.get(v).unwrap_or(v));
        }
        data.term.map_args(|v| current.get(v).unwrap_or(v));
        for target in data.term.targets_mut() {
            let passed = self.params[target.block].iter().map(|&(v, _)| current.get(v).unwrap_or(v));
            target.args.extend(passed);
        }
    }
}
