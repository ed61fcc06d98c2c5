//! A program: procedures over variables, the properties asked of them, and where everything comes from.
//!
//! ```text
//! Program ─┬─ procs: Procedure ─┬─ blocks: params, instructions, terminator
//!          │                    ├─ insts, values      (the data-flow tables)
//!          │                    └─ slots              (mutable locals, gone after `passes::ssa`)
//!          ├─ vars, props, obligations, sites, origins
//!          └─ system: processes and shared variables of a synchronous system, if it is one
//! ```

use crate::consts::Const;
use crate::entities::*;
use crate::inst::{BlockCall, InstData, Place, Terminator};
use crate::ops::{BinOp, UnOp};
use crate::types::Type;
use cranelift_entity::PrimaryMap;
use smallvec::SmallVec;

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub procs: PrimaryMap<Proc, Procedure>,
    pub vars: PrimaryMap<Var, VarData>,
    pub props: PrimaryMap<Prop, PropData>,
    pub obligations: PrimaryMap<Obligation, ObligationData>,
    pub sites: PrimaryMap<Site, SiteData>,
    pub origins: PrimaryMap<Origin, OriginData>,
    /// Source files; `OriginData::Source::file` is an index into it.
    pub files: Vec<String>,
    /// Where a run starts. `None` in a library, which nothing can be asked about.
    pub entry: Option<Proc>,
    pub system: Option<System>,
    /// What a verdict on this program rests on, in the user's words, each with its place. Printed with the verdict.
    pub assumptions: Vec<(Origin, String)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct VarData {
    pub name: String,
    pub ty: Type,
    pub init: Initial,
    pub origin: Origin,
}

/// The value of a variable before the run.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    Const(Const),
    /// Unknown; the site names it in traces.
    Any(Site),
}

#[derive(Clone, Debug, PartialEq)]
pub struct PropData {
    /// `function.kind.N`, unique in the program.
    pub name: String,
    pub kind: PropKind,
    pub description: String,
    pub origin: Origin,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum PropKind {
    /// `assert`, `__VERIFIER_assert`.
    Assertion,
    /// `__VERIFIER_error`, `reach_error`.
    Reach,
    Overflow,
    Shift,
    Division,
    Bounds,
    Pointer,
    /// Two processes write different values to a shared variable in one step.
    Race,
    /// Two transitions of a choice are enabled.
    Nondeterminism,
    /// A synchronous system comes to a stable state again and again.
    Stability,
}

impl PropKind {
    /// The middle part of a property's name.
    pub fn name(self) -> &'static str {
        match self {
            PropKind::Assertion => "assertion",
            PropKind::Reach => "reach",
            PropKind::Overflow => "overflow",
            PropKind::Shift => "shift",
            PropKind::Division => "division",
            PropKind::Bounds => "bounds",
            PropKind::Pointer => "pointer",
            PropKind::Race => "race",
            PropKind::Nondeterminism => "nondeterminism",
            PropKind::Stability => "stability",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ObligationData {
    /// What is not modelled, in the user's words.
    pub reason: String,
    pub origin: Origin,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SiteData {
    /// What the unknown value is, as it should stand in a trace: a variable's name, `__VERIFIER_nondet_int()`.
    pub name: String,
    pub ty: Type,
    pub origin: Origin,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OriginData {
    /// Made by the tool.
    None,
    Source {
        file: u32,
        line: u32,
        column: u32,
    },
    /// An element of a chart, by its path.
    Element(String),
}

/// A procedure. The parameters are those of the entry block.
#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: String,
    pub results: Vec<Type>,
    pub entry: Block,
    /// Blocks in the order of the text form. A block not listed here does not exist.
    pub layout: Vec<Block>,
    pub blocks: PrimaryMap<Block, BlockData>,
    pub insts: PrimaryMap<Inst, InstNode>,
    pub values: PrimaryMap<Value, ValueData>,
    pub slots: PrimaryMap<Slot, SlotData>,
    pub origin: Origin,
}

#[derive(Clone, Debug)]
pub struct BlockData {
    /// What the source calls the place: a label where a step of a process can begin. For traces; it means nothing.
    pub label: Option<String>,
    pub params: Vec<Value>,
    pub insts: Vec<Inst>,
    pub term: Terminator,
    pub term_origin: Origin,
}

#[derive(Clone, Debug)]
pub struct InstNode {
    pub data: InstData,
    pub results: SmallVec<[Value; 1]>,
    pub origin: Origin,
}

#[derive(Copy, Clone, Debug)]
pub struct ValueData {
    pub ty: Type,
    pub def: ValueDef,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ValueDef {
    Param(Block, u32),
    Result(Inst, u32),
}

#[derive(Clone, Debug, PartialEq)]
pub struct SlotData {
    pub name: String,
    pub ty: Type,
    pub origin: Origin,
}

/// A synchronous reactive system: processes that run in lock step once the program's entry has returned.
/// [`crate::interp::system`] says what it means.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// In the order of their turns.
    pub processes: Vec<Process>,
    /// Gives the inputs.
    pub environment: Option<Proc>,
    /// Runs in the initial state and at every step boundary; it writes no variable.
    pub observer: Option<Proc>,
    pub shared: Vec<SharedVar>,
    pub time: TimeModel,
    pub stability: Option<Stability>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    pub name: String,
    pub body: Proc,
    /// The process that starts it, by its place in `System::processes`.
    pub parent: Option<u32>,
    /// A process with such a variable (of type `bv2`) is inactive at first. At the step boundary it is started from its
    /// beginning if the variable is [`START`], stopped with its descendants if it is [`STOP`]; then the variable is 0.
    pub control: Option<Var>,
    /// What it does is not firing: it keeps books (the values of the step before, clocks, observers of requirements), and
    /// a state in which only such processes do something is stable.
    pub silent: bool,
}

/// The bits it takes to name a process.
pub fn choice_width(system: &System) -> u32 {
    bits_for(system.processes.len())
}

/// The width of numbers below `count`, at least 1.
pub fn bits_for(count: usize) -> u32 {
    (usize::BITS - count.saturating_sub(1).leading_zeros()).max(1)
}

/// A value of [`Process::control`].
pub const START: u128 = 1;
/// A value of [`Process::control`].
pub const STOP: u128 = 2;

/// A variable that processes have in common. All other variables are read and written at once.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SharedVar {
    pub var: Var,
    pub write: WriteKind,
    /// Of a variable that is written at the boundary: asked once a step, the place of the process in
    /// [`System::processes`] whose value counts; if that one has written none, the first that has. Without it at most one
    /// process writes.
    pub choice: Option<Site>,
    /// Of an array: its cells, if they are few, and always if it has a choice. Nobody writes behind them. Then each is a
    /// variable by itself: the choice is asked for each of them, in their order. 0 for everything else.
    pub cells: u32,
    pub race: Option<Prop>,
}

/// What is asked about stable states: states from which no process fires.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Stability {
    pub prop: Prop,
    pub ask: StabilityAsk,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StabilityAsk {
    /// Violated when so many steps in a row have not been quiet, and one more is not.
    Bound(u32),
    /// Violated when a state that followed a step in which a process fired comes again, and a process fired in each
    /// step between. The site (a Boolean, asked at each boundary) says from where on such a state is looked for.
    Lasso(Site),
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WriteKind {
    /// Shows at the step boundary.
    Next,
    /// Shows at once.
    Blocking,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TimeModel {
    /// Inputs come at every step.
    Synchronous,
    /// Inputs come at stable states only.
    Asynchronous,
}

impl Program {
    pub fn new() -> Program {
        let mut program = Program::default();
        program.origins.push(OriginData::None);
        program
    }

    /// The origin of what the tool made itself.
    pub fn no_origin(&self) -> Origin {
        Origin::from_u32(0)
    }

    pub fn place_type(&self, proc: &Procedure, place: Place) -> Type {
        match place {
            Place::Global(v) => self.vars[v].ty,
            Place::Local(s) => proc.slots[s].ty,
        }
    }

    pub fn result_types(&self, proc: Proc) -> &[Type] {
        &self.procs[proc].results
    }

    /// `file:line:column`, or the chart element, for messages.
    pub fn describe_origin(&self, origin: Origin) -> String {
        match &self.origins[origin] {
            OriginData::None => "<generated>".to_string(),
            OriginData::Source { file, line, column } => format!("{}:{line}:{column}", self.files[*file as usize]),
            OriginData::Element(path) => path.clone(),
        }
    }
}

impl Procedure {
    /// A procedure with an empty entry block that ends in `Stop`.
    pub fn new(name: impl Into<String>, origin: Origin) -> Procedure {
        let mut blocks = PrimaryMap::new();
        let entry = blocks.push(BlockData::empty(origin));
        Procedure {
            name: name.into(),
            results: Vec::new(),
            entry,
            layout: vec![entry],
            blocks,
            insts: PrimaryMap::new(),
            values: PrimaryMap::new(),
            slots: PrimaryMap::new(),
            origin,
        }
    }

    /// A new block at the end of the layout, with `Stop` as its terminator.
    pub fn add_block(&mut self, origin: Origin) -> Block {
        let block = self.blocks.push(BlockData::empty(origin));
        self.layout.push(block);
        block
    }

    pub fn add_param(&mut self, block: Block, ty: Type) -> Value {
        let index = self.blocks[block].params.len() as u32;
        let value = self.values.push(ValueData { ty, def: ValueDef::Param(block, index) });
        self.blocks[block].params.push(value);
        value
    }

    pub fn params(&self) -> &[Value] {
        &self.blocks[self.entry].params
    }

    pub fn value_type(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// Makes an instruction with results of these types, in no block yet.
    pub fn make_inst(&mut self, data: InstData, results: &[Type], origin: Origin) -> Inst {
        let inst = self.insts.next_key();
        let results = (0u32..)
            .zip(results)
            .map(|(n, &ty)| self.values.push(ValueData { ty, def: ValueDef::Result(inst, n) }))
            .collect();
        self.insts.push(InstNode { data, results, origin })
    }

    /// Appends an instruction with results of these types.
    pub fn append(&mut self, block: Block, data: InstData, results: &[Type], origin: Origin) -> Inst {
        let inst = self.make_inst(data, results, origin);
        self.blocks[block].insts.push(inst);
        inst
    }

    /// Appends an instruction with one result and gives that.
    pub fn append1(&mut self, block: Block, data: InstData, ty: Type, origin: Origin) -> Value {
        let inst = self.append(block, data, &[ty], origin);
        self.insts[inst].results[0]
    }

    pub fn constant(&mut self, block: Block, value: Const, origin: Origin) -> Value {
        let ty = value.ty();
        self.append1(block, InstData::Const(value), ty, origin)
    }

    /// Appends a unary operator. Panics if the operand does not fit: callers check types first.
    pub fn unary(&mut self, block: Block, op: UnOp, arg: Value, origin: Origin) -> Value {
        let ty = op.result(self.value_type(arg)).expect("ill-typed unary operator");
        self.append1(block, InstData::Unary { op, arg }, ty, origin)
    }

    /// Appends a binary operator. Panics if the operands do not fit: callers check types first.
    pub fn binary(&mut self, block: Block, op: BinOp, a: Value, b: Value, origin: Origin) -> Value {
        let ty = op.result(self.value_type(a), self.value_type(b)).expect("ill-typed binary operator");
        self.append1(block, InstData::Binary { op, args: [a, b] }, ty, origin)
    }

    pub fn ite(&mut self, block: Block, cond: Value, then: Value, other: Value, origin: Origin) -> Value {
        let ty = self.value_type(then);
        self.append1(block, InstData::Ite { cond, then, other }, ty, origin)
    }

    pub fn set_term(&mut self, block: Block, term: Terminator, origin: Origin) {
        self.blocks[block].term = term;
        self.blocks[block].term_origin = origin;
    }

    pub fn successors(&self, block: Block) -> impl Iterator<Item = &BlockCall> {
        self.blocks[block].term.targets()
    }
}

impl BlockData {
    pub fn empty(origin: Origin) -> BlockData {
        BlockData { label: None, params: Vec::new(), insts: Vec::new(), term: Terminator::Stop, term_origin: origin }
    }
}
