//! The bounded search beside a proof engine: violations are its, and it has half of the time. Where steps are counted only
//! to prove that they end, it has none: that a count is exceeded says nothing, and short runs show most of those. Nor has it any
//! where another engine searches at the same time ([`Context::beside`]).

use crate::relation::Stop;
use crate::sample;
use crate::search::Search;
use crate::task::{Context, Reason, Task};
use std::time::{Duration, Instant};
use syncline_ir::Prop;

/// The proof's first turn; turns get longer as time goes on.
pub const FIRST_TURN: Duration = Duration::from_millis(500);
/// Longer than any time a user waits, and far from what clocks can count.
pub const LONGEST_TURN: Duration = Duration::from_secs(24 * 3600);

/// The bounded search beside the proof: as much time as it has had, now and then.
pub(crate) struct Companion<'b, 'p> {
    task: &'b Task<'b>,
    bmc: &'b mut Search<'p>,
    prop: Prop,
    /// When the proof was given its turn, and how long it is.
    since: Instant,
    turn: Duration,
    over: bool,
}

/// What a search asks for now and then.
pub(crate) trait Turns {
    /// Lets others work if it is their turn, and says whether to stop.
    fn turn(&mut self, context: &mut Context) -> Result<(), Stop>;
}

/// Nobody works beside the search.
pub(crate) struct Alone;

impl Turns for Alone {
    fn turn(&mut self, context: &mut Context) -> Result<(), Stop> {
        context.must_stop().map_or(Ok(()), |_| Err(Stop::Cancelled))
    }
}

impl<'b, 'p> Companion<'b, 'p> {
    pub fn new(task: &'b Task<'b>, bmc: &'b mut Search<'p>, prop: Prop, context: &Context) -> Companion<'b, 'p> {
        let over = task.counts() || context.beside;
        Companion { task, bmc, prop, since: Instant::now(), turn: FIRST_TURN, over }
    }

    /// One that leaves all the time to the proof.
    pub fn silent(task: &'b Task<'b>, bmc: &'b mut Search<'p>, prop: Prop) -> Companion<'b, 'p> {
        Companion { task, bmc, prop, since: Instant::now(), turn: FIRST_TURN, over: true }
    }

    /// Lets the bounded search work as long as there is time.
    pub fn rest(&mut self, context: &mut Context) {
        if !self.over {
            self.over = self.bmc.run(context) != Reason::Time;
        }
    }

    /// Whether neither the bounded search nor another engine has found the answer.
    pub fn undecided(&self) -> bool {
        self.bmc.undecided.contains(&self.prop)
    }
}

impl Turns for Companion<'_, '_> {
    fn turn(&mut self, context: &mut Context) -> Result<(), Stop> {
        if !self.over && self.since.elapsed() >= self.turn {
            if self.turn == FIRST_TURN {
                sample::search(self.task, &mut self.bmc.undecided, context);
            }
            let deadline = context.deadline;
            context.deadline = deadline.min(Instant::now() + self.turn);
            self.over = self.bmc.run(context) != Reason::Time;
            context.deadline = deadline;
            self.turn = (self.turn * 2).min(LONGEST_TURN);
            self.since = Instant::now();
        }
        context.news.keep_open(&mut self.bmc.undecided);
        if !self.undecided() {
            return Err(Stop::Decided);
        }
        Alone.turn(context)
    }
}
