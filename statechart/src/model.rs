//! A chart after import: names are resolved, labels typed, off-page charts merged, defined actions expanded.
//!
//! The importer guarantees what [`Chart`]'s fields say; the simulator and the lowering rely on it.
//!
//! Numbers: integers are 32-bit two's complement and wrap, as in Statemate's generated code; enumerations are integers whose
//! type names the values; conditions are Booleans. Records are items of their own for every field, named `r.f`. An
//! array is one [`Item`] with `cells`.

use cranelift_entity::{entity_impl, PrimaryMap};

macro_rules! entities {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);
        entity_impl!($name, $prefix);
    )*};
}

entities! {
    /// A state.
    State "state";
    /// A connector.
    Connector "connector";
    /// A transition segment, between states and connectors.
    Segment "segment";
    /// An event with a name.
    Event "event";
    /// A condition or data-item.
    Item "item";
}

#[derive(Clone, Debug)]
pub struct Chart {
    pub name: String,
    pub time: Time,
    /// Files the chart was read from; the first one is the chart itself.
    pub files: Vec<String>,
    /// The root comes first, and parents before their children.
    pub states: PrimaryMap<State, StateData>,
    pub connectors: PrimaryMap<Connector, ConnectorData>,
    pub segments: PrimaryMap<Segment, SegmentData>,
    pub events: PrimaryMap<Event, EventData>,
    pub items: PrimaryMap<Item, ItemData>,
    pub enums: Vec<EnumData>,
    pub requirements: Vec<Requirement>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Time {
    /// M1.
    Synchronous,
    /// M2. Between two supersteps the environment lets 1 to `max_advance` (at least 1) time units pass.
    Asynchronous { max_advance: u32 },
}

/// Where something stands: an index into [`Chart::files`], and line and column from 1.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Debug)]
pub struct StateData {
    pub name: String,
    /// Names from below the root to this state with `.` between them; the root's is the chart's name.
    pub path: String,
    /// `None` for the root only.
    pub parent: Option<State>,
    pub kind: StateKind,
    /// In the order of the document.
    pub children: Vec<State>,
    /// Entering actions: an action list each.
    pub entering: Vec<ActionList>,
    pub exiting: Vec<ActionList>,
    pub reactions: Vec<Reaction>,
    pub position: Position,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// Exactly one child is active. Has children, and one segment from [`End::Default`]. The root is one.
    Or,
    /// All children are active: two or more, each an OR-state or basic.
    And,
    /// No children.
    Basic,
}

/// A static reaction (T5).
#[derive(Clone, Debug)]
pub struct Reaction {
    pub guard: Guard,
    pub action: ActionList,
    pub position: Position,
}

#[derive(Clone, Debug)]
pub struct ConnectorData {
    pub kind: ConnectorKind,
    pub name: String,
    /// The state it is drawn in; of a history connector the OR-state whose history it is.
    pub parent: State,
    pub position: Position,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ConnectorKind {
    /// Condition, switch and junction connectors choose one way out (T1). They have ways in and out.
    Condition,
    Switch,
    Junction,
    /// Joint and fork: takes all ways in and all ways out.
    Joint,
    /// At most one way out: where to go without a past.
    History,
    DeepHistory,
    /// No way out (H2).
    Termination,
}

/// Connectors form no cycles. A segment's guard is the whole of `trigger[condition]`.
#[derive(Clone, Debug)]
pub struct SegmentData {
    pub source: End,
    pub target: End,
    pub guard: Guard,
    /// Actions of a compound transition's segments, source to target, are one action list (A1b): they count as one writer.
    pub action: ActionList,
    /// The label as it stands in the file; empty if there is none.
    pub label: String,
    pub position: Position,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum End {
    State(State),
    Connector(Connector),
    /// As a source: the default of this OR-state.
    Default(State),
}

/// `trigger[condition]`; what is absent holds.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    pub trigger: Option<EventExpr>,
    pub condition: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct EventData {
    pub name: String,
    /// The environment raises it; the chart may do so too.
    pub input: bool,
    pub position: Position,
}

#[derive(Clone, Debug)]
pub struct ItemData {
    /// `speed`, `door.locked` for a field of a record.
    pub name: String,
    pub ty: ItemType,
    /// Number of cells, indexed from `first`; `None`: no array.
    pub array: Option<ArrayData>,
    /// Of every cell.
    pub initial: Literal,
    /// The environment sets it, to values of its range; the chart does not write it.
    pub input: bool,
    pub position: Position,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ArrayData {
    pub first: i32,
    /// At least 1.
    pub cells: u32,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ItemType {
    /// A condition.
    Bool,
    /// Values outside of `min..=max` are a range violation when they are assigned.
    Int { min: i32, max: i32 },
    /// An index into [`Chart::enums`]; its values are 0, 1, ...
    Enum(u32),
    /// IEEE double.
    Real,
}

#[derive(Clone, Debug, PartialEq)]
pub struct EnumData {
    pub name: String,
    pub values: Vec<String>,
}

#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Literal {
    Bool(bool),
    Int(i32),
    Real(f64),
}

/// The value type of an expression.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ValueType {
    Bool,
    /// Integers and enumerations.
    Int,
    Real,
}

/// Event expressions (A4, A5).
#[derive(Clone, Debug)]
pub enum EventExpr {
    Event(Event),
    /// `en(S)`, `ex(S)`.
    Entered(State),
    Exited(State),
    /// `tr(C)`, `fs(C)`: the condition expression holds (does not hold) now and did not (did) at the step before.
    BecameTrue(Expr),
    BecameFalse(Expr),
    /// `ch(X)`: the expression's value is another one than at the step before; of an array: that of some cell.
    Changed(Watched),
    /// `wr(X)`, `rd(X)`: an action of the step before has written (read) it; of an array: some cell.
    Written(Item),
    Read(Item),
    /// `tm(E, N)`.
    Timeout(Box<EventExpr>, Box<Expr>),
    Not(Box<EventExpr>),
    And(Box<EventExpr>, Box<EventExpr>),
    Or(Box<EventExpr>, Box<EventExpr>),
    /// `E[C]`.
    When(Box<EventExpr>, Box<Expr>),
}

#[derive(Clone, Debug)]
pub enum Watched {
    Expr(Expr),
    Array(Item),
}

/// Expressions without effect. Typed: operands are as the operator wants them, conversions are explicit.
#[derive(Clone, Debug)]
pub enum Expr {
    Literal(Literal),
    Item(Item),
    /// A cell. An index outside of the array ends the run: it is a range violation.
    Cell(Item, Box<Expr>),
    /// A context variable, by its number in its action list.
    Context(u32),
    /// `in(S)`.
    In(State),
    /// The event occurs in this step. In requirements only.
    Occurs(Box<EventExpr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Integer to real.
    ToReal(Box<Expr>),
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Not,
    /// Of integers and reals; wraps.
    Neg,
    Abs,
}

/// Both operands have one type: Boolean for `And`, `Or`, `Xor`; integer or real for arithmetic and order; any for
/// equality. `Div` and `Mod` are of C: towards zero; division by zero ends the run: it is a range violation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mul,
    Div,
    /// Integers only.
    Mod,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// What is done in order; all of it is one writer (A1b), and has context variables of its own (A2), which start as 0.
#[derive(Clone, Debug, Default)]
pub struct ActionList {
    /// Types of its context variables, with their names.
    pub context: Vec<(String, ValueType)>,
    pub statements: Vec<Statement>,
    pub position: Position,
}

#[derive(Clone, Debug)]
pub enum Statement {
    /// `E`
    Raise(Event),
    /// `X := e`, `tr!(C)`, `fs!(C)`
    Assign {
        item: Item,
        /// Of an array: the cell, evaluated like any expression.
        index: Option<Expr>,
        value: Expr,
    },
    /// `$x := e`
    SetContext(u32, Expr),
    If {
        condition: Expr,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// `when E then ... else ... end when`
    When {
        event: EventExpr,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// `for $i in a to b loop ... end loop`: the bounds are evaluated once; ends behind `b` without wrapping.
    For {
        variable: u32,
        from: Expr,
        to: Expr,
        body: Vec<Statement>,
    },
    While {
        condition: Expr,
        body: Vec<Statement>,
    },
    /// `sc!(A, N)`: the list is performed `max(N, 1)` time units later, as an action list of its own.
    Schedule {
        action: Box<ActionList>,
        delay: Expr,
    },
    /// `hc!(S)`
    ClearHistory(State),
    /// `dc!(S)`: of the state and all below it.
    ClearDeepHistory(State),
}

/// Judged on the status of every step's start, inputs included.
#[derive(Clone, Debug)]
pub struct Requirement {
    pub name: String,
    pub kind: RequirementKind,
    /// As it stands in the file.
    pub text: String,
    pub position: Position,
}

#[derive(Clone, Debug)]
pub enum RequirementKind {
    /// `always C`; `in(S) implies C` and `never C` are written as such.
    Always(Expr),
    /// `C leads to D within n steps`: whenever C holds, D holds at this step or one of the next n.
    LeadsTo { cause: Expr, effect: Expr, within: u32 },
    /// `after E, C until F`: once E has occurred C holds from the same step on, up to but not including the step in which
    /// F occurs. (F in the same step as E: nothing is asked.)
    AfterUntil { after: EventExpr, holds: Expr, until: EventExpr },
}

/// A place in a label where something may go wrong: this expression or statement of this very chart (a copy of the chart
/// has other ones). It is how a fault of the simulator and a property of the lowering are known to be about the same.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot {
    address: usize,
    failure: Failure,
}

impl Spot {
    pub fn new<T>(part: &T, failure: Failure) -> Spot {
        Spot { address: std::ptr::from_ref(part) as usize, failure }
    }
}

/// What can go wrong at a place of a label.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Failure {
    /// An assigned value is outside of its item's range; of the statement.
    Value,
    /// The index of a cell that is read is outside of its array; of the expression of the cell.
    Index,
    /// The same of a cell that is assigned; of the statement.
    Target,
    /// Of the division.
    Division,
}
