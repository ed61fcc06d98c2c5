//! Which variables of the program a procedure may read and write, itself or by what it calls: the least solution over
//! the components of the call graph. A write counts as a use of the old value, since a path may not write.

use super::CallGraph;
use crate::entities::{Block, Proc, Var};
use crate::inst::{InstData, Place};
use crate::program::{Procedure, Program};
use cranelift_entity::{EntitySet, SecondaryMap};

/// What a procedure, or a part of one, may do to the variables of the program.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    /// Read or written.
    pub touched: EntitySet<Var>,
    pub written: EntitySet<Var>,
}

impl Effect {
    fn join(&mut self, other: &Effect) {
        self.touched.extend(other.touched.iter());
        self.written.extend(other.written.iter());
    }
}

#[derive(Clone, Debug)]
pub struct Effects {
    of_proc: SecondaryMap<Proc, Effect>,
}

impl Effects {
    pub fn compute(program: &Program) -> Effects {
        let calls = CallGraph::compute(program);
        let mut effects = Effects { of_proc: SecondaryMap::with_capacity(program.procs.len()) };
        for component in &calls.components {
            let mut whole = Effect::default();
            for &id in component {
                let body = &program.procs[id];
                whole.join(&effects.of_blocks(body, &body.layout));
            }
            component.iter().for_each(|&id| effects.of_proc[id] = whole.clone());
        }
        effects
    }

    pub fn of(&self, proc: Proc) -> &Effect {
        &self.of_proc[proc]
    }

    /// What these blocks may do, with what they call.
    pub fn of_blocks(&self, body: &Procedure, blocks: &[Block]) -> Effect {
        let mut effect = Effect::default();
        for &inst in blocks.iter().flat_map(|&b| &body.blocks[b].insts) {
            let (place, writes) = match body.insts[inst].data {
                InstData::Read { place } | InstData::Load { place, .. } => (place, false),
                InstData::Write { place, .. } | InstData::Store { place, .. } => (place, true),
                InstData::Call { callee, .. } => {
                    effect.join(&self.of_proc[callee]);
                    continue;
                }
                InstData::Const(_)
                | InstData::Unary { .. }
                | InstData::Binary { .. }
                | InstData::Ite { .. }
                | InstData::Update { .. }
                | InstData::Havoc { .. }
                | InstData::Assume { .. }
                | InstData::Assert { .. }
                | InstData::Unsupported { .. }
                | InstData::Print { .. } => continue,
            };
            let Place::Global(var) = place else { continue };
            effect.touched.insert(var);
            if writes {
                effect.written.insert(var);
            }
        }
        effect
    }
}
