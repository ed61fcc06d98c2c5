//! The first access of a counterexample that is outside of its object: from there on reads like it give any value, and
//! the engineer must know.
//!
//! The lowering knows how to ask whether an access is inside: `--check bounds,pointer`. So the input is lowered once more
//! with these checks, and the counterexample runs on that program, to the first check that fails.

use crate::args::{CheckKind, InputArgs};
use crate::load::{self, Wanted};
use std::time::Instant;
use syncline_engines::evidence::replay;
use syncline_engines::task::Trace;
use syncline_ir::interp::{Observer, Outcome};
use syncline_ir::{Block, Const, Origin, OriginData, Place, Proc, Program, PropKind, Site};

/// What the lowering names values that come from outside of objects.
pub const SITE: &str = "read outside ";

/// Where a run leaves its objects.
#[derive(Clone, Debug)]
pub struct Outside {
    /// The inputs, writes and branches before.
    pub events: u64,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// What is known of the accesses of a run.
#[derive(Clone, Debug)]
pub enum Accesses {
    Unknown,
    Inside,
    Outside(Outside),
}

pub fn first(args: &InputArgs, program: &Program, trace: &Trace, deadline: Option<Instant>) -> Accesses {
    if !program.sites.values().any(|s| s.name.starts_with(SITE)) && program.assumptions.is_empty() {
        return Accesses::Inside;
    }
    let mut args = args.clone();
    args.check.extend([CheckKind::Bounds, CheckKind::Pointer]);
    let Ok(checked) = load::program(&args, &Wanted::default()) else { return Accesses::Unknown };
    if !checked.sites.values().eq(program.sites.values()) {
        return Accesses::Unknown;
    }
    let mut counter = Counter(0);
    match replay::run(&checked, trace, &mut counter, deadline) {
        Outcome::Violated(prop) => match (checked.props[prop].kind, &checked.origins[checked.props[prop].origin]) {
            (PropKind::Bounds | PropKind::Pointer, &OriginData::Source { file, line, column }) => {
                Accesses::Outside(Outside {
                    events: counter.0,
                    file: checked.files[file as usize].clone(),
                    line,
                    column,
                })
            }
            _ => Accesses::Inside,
        },
        _ => Accesses::Unknown,
    }
}

struct Counter(u64);

impl Observer for Counter {
    fn input(&mut self, _: Site, _: &Const, _: Origin) {
        self.0 += 1;
    }

    fn write(&mut self, _: Proc, _: Place, _: Option<u128>, _: &Const, _: Origin) {
        self.0 += 1;
    }

    fn branch(&mut self, _: Proc, _: Block, _: usize, _: Origin) {
        self.0 += 1;
    }
}
