//! The program that a system is made of: sliced to the properties, with all its calls in place, or with some.
//!
//! Small programs have all their calls in place from the start. In larger ones only those of small procedures are
//! ([`syncline_ir::inline::calls`]); the others are opened, as [`crate::inline`] opens them, when a proof comes to them: a run that
//! violates a property and goes through open calls says which. What is proved of the program with open calls holds of the program.

use crate::task::{Context, Task};
use syncline_ir::inline::calls::{self, CallPath, Calls};
use syncline_ir::inline::{inline_some, Inlined, Refusal};
use syncline_ir::{passes, Program, Prop};

/// Instructions of the inlined program beyond which there is no system.
const MAX_INSTS: usize = 400_000;
/// Instructions of a procedure, its calls in place, up to which it is small.
const SMALL: u64 = 200;

pub struct Source {
    program: Program,
    calls: Option<Calls>,
}

impl Source {
    /// With every call in place.
    pub fn whole(task: &Task, props: &[Prop]) -> Source {
        let mut program = task.program.clone();
        passes::run(&mut program, "slice", |p| passes::slice(p, props));
        Source { program, calls: None }
    }

    /// With some calls open, if there are too many instructions otherwise.
    pub fn new(task: &Task, props: &[Prop], context: &Context) -> Source {
        Source::sliced(Source::whole(task, props).program, task.program, props, context.eager)
    }

    /// A program that was cut down from a larger one, with some calls open if there are more instructions otherwise.
    pub fn sliced(program: Program, larger: &Program, props: &[Prop], eager: u64) -> Source {
        let large = program.entry.is_some_and(|entry| calls::sizes(&program)[entry] > eager);
        let calls = large.then(|| Calls::new(&program, larger, props, SMALL.min(eager)));
        Source { program, calls }
    }

    /// Puts these calls in place; whether any of them was open.
    pub fn open(&mut self, paths: impl IntoIterator<Item = CallPath>) -> bool {
        self.calls.as_mut().is_some_and(|calls| calls.open(paths))
    }

    pub fn inlined(&self) -> Result<Inlined, Refusal> {
        inline_some(&self.program, self.calls.as_ref(), MAX_INSTS)
    }
}
