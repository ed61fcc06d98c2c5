//! What the unrolling needs to know of a procedure before it starts, computed once.

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashSet;
use syncline_ir::analysis::{Component, LoopId, LoopNest};
use syncline_ir::{Block, Procedure, Terminator, Value, ValueDef};

/// Where control goes when it leaves a loop.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Exit {
    Block(Block),
    Return,
}

#[derive(Clone, Debug, Default)]
pub struct LoopShape {
    /// Every target outside of an edge from inside, once.
    pub exits: Vec<Exit>,
    /// The blocks entered from outside; the header is one of them.
    pub entries: Vec<Block>,
    /// Values defined in the loop but in no loop inside it.
    pub values: u32,
}

pub struct Shape {
    pub nest: LoopNest,
    pub loops: SecondaryMap<LoopId, LoopShape>,
    /// Values defined in no loop.
    pub values: u32,
    /// The number of a value among those of its innermost loop.
    pub number: SecondaryMap<Value, u32>,
    /// The innermost loop a value is defined in.
    pub home: SecondaryMap<Value, Option<LoopId>>,
}

impl Shape {
    pub fn compute(proc: &Procedure) -> Shape {
        let nest = LoopNest::compute(proc);
        let mut shape = Shape {
            nest,
            loops: SecondaryMap::new(),
            values: 0,
            number: SecondaryMap::new(),
            home: SecondaryMap::new(),
        };
        shape.number_values(proc);
        shape.find_borders(proc);
        shape
    }

    fn number_values(&mut self, proc: &Procedure) {
        for &block in &proc.layout {
            let home = self.nest.innermost[block];
            let data = &proc.blocks[block];
            let results = data.insts.iter().flat_map(|&i| proc.insts[i].results.iter());
            for &value in data.params.iter().chain(results) {
                debug_assert!(matches!(proc.values[value].def, ValueDef::Param(..) | ValueDef::Result(..)));
                let count = match home {
                    Some(l) => &mut self.loops[l].values,
                    None => &mut self.values,
                };
                self.number[value] = *count;
                self.home[value] = home;
                *count += 1;
            }
        }
    }

    fn find_borders(&mut self, proc: &Procedure) {
        let mut seen_exits = FxHashSet::default();
        let mut seen_entries = FxHashSet::default();
        for block in self.reachable() {
            let from = self.nest.innermost[block];
            let term = &proc.blocks[block].term;
            if matches!(term, Terminator::Return(_)) {
                for l in self.nest.chain(from).collect::<Vec<_>>() {
                    if seen_exits.insert((l, Exit::Return)) {
                        self.loops[l].exits.push(Exit::Return);
                    }
                }
            }
            for target in term.targets() {
                let to = target.block;
                for l in self.nest.chain(from).take_while(|&l| !self.nest.contains(l, to)).collect::<Vec<_>>() {
                    if seen_exits.insert((l, Exit::Block(to))) {
                        self.loops[l].exits.push(Exit::Block(to));
                    }
                }
                let into = self.nest.innermost[to];
                for l in self.nest.chain(into).take_while(|&l| !self.nest.contains(l, block)).collect::<Vec<_>>() {
                    if seen_entries.insert((l, to)) {
                        self.loops[l].entries.push(to);
                    }
                }
            }
        }
    }

    fn reachable(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut work: Vec<Component> = self.nest.top.clone();
        while let Some(component) = work.pop() {
            match component {
                Component::Block(b) => blocks.push(b),
                Component::Loop(l) => work.extend(self.nest.loops[l].body.iter().copied()),
            }
        }
        blocks
    }
}
