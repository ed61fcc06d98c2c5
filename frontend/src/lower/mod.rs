//! HIR to IR: what C means, spelled out in values, branches and explicit checks.
//!
//! ```text
//! mod        options, the program under construction, types       stmt    statements, switch, jumps
//! scan       which functions are reachable, which jump where      expr    expressions as values or for their effects
//! globals    objects with static storage; `image` their bits      cond    conditions as branches or Booleans
//! function   one function: parameters, locals, returns            arith   operators, with what C leaves open
//! build      emitting instructions, folding constants             place   lvalues: variables, array cells, memory
//! cleanup    threads and merges the blocks of a finished function range   intervals of expressions, from syntax alone
//! memory     regions, slots, and the variables that hold cells    path    from an object or pointer to a place
//! access     reading and writing memory                           inside  whether an access is inside an object
//! pointer    addresses and arithmetic on them                     record  structs and unions as lists of scalars
//! heap       objects made while the program runs                  map     where memory is, for `--test`
//! call, intrinsics, math, print   calls: defined, through pointers, declared only, known by name
//! ```
//!
//! Choices:
//! * Integers are bit-vectors of their storage width (`_Bool`: a byte that holds 0 or 1), pointers are bit-vectors
//!   too: addresses (`docs/decisions/0004-memory.md`). `crate::points` says what each may point to.
//! * An object no pointer points to is a variable; a record is one for each scalar that is used; an array of scalars,
//!   of any dimensions, is one IR array indexed by element. What is read outside it is any value, and what is written
//!   outside it lands in cells that are never read.
//! * Operands of `&&`, `||` and `?:` that can neither fail, nor change anything, nor bring in an unknown value are
//!   computed without a branch.
//! * Functions the entry cannot reach by calls or by taken addresses are left out.
//!
//! Limits: what is not modelled is an obligation at its place (`docs/soundness.md` lists it).

mod access;
mod arith;
mod build;
mod call;
mod cleanup;
mod cond;
mod convert;
mod expr;
mod function;
mod globals;
mod heap;
mod image;
mod inside;
mod intrinsics;
mod map;
mod math;
mod memory;
mod path;
mod place;
mod pointer;
mod print;
mod range;
mod record;
mod scan;
mod stmt;
mod system;

pub use map::{MemoryMap, Part, RegionMap};

use crate::hir::{Func, Loc, Obj, Unit};
use crate::leaves::LeafTable;
use crate::points::{self, Points};
use crate::types::{IntKind, Type as CType, TypeId};
use place::Home;
use rustc_hash::{FxHashMap, FxHashSet};
use syncline_ir::{
    ObligationData, Origin, OriginData, Proc, Program, Prop, PropData, PropKind, Scalar, Site, SiteData, Type, Var,
};

/// What to lower and which checks to add.
#[derive(Clone, Debug)]
pub struct LowerOptions {
    /// The function a run starts in.
    pub entry: String,
    /// Kinds of checks that become properties (`--check`). `Assertion` and `Reach` are always on.
    pub checks: Vec<PropKind>,
    /// A call of a function without a body is an unsupported obligation, not "any value".
    pub strict_calls: bool,
    /// Functions whose call is a violation, from a property file: also where the program defines them.
    /// Empty: `__VERIFIER_error` and `reach_error`, where they are only declared.
    pub error_functions: Vec<String>,
    /// `malloc` may return null.
    pub malloc_may_fail: bool,
    /// `%s` prints what its pointer points to: for programs that are interpreted, since it costs a loop.
    pub print_strings: bool,
}

impl Default for LowerOptions {
    fn default() -> LowerOptions {
        LowerOptions {
            entry: "main".into(),
            checks: Vec::new(),
            strict_calls: false,
            error_functions: Vec::new(),
            malloc_may_fail: false,
            print_strings: false,
        }
    }
}

/// Why a program has no IR at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    #[error("there is no function `{entry}` to start in: define it, or name another with --entry{}", hint(.candidates))]
    NoEntry { entry: String, candidates: Vec<String> },
    #[error(
        "the entry function `{0}` is only declared: give the file that defines it too, or name another with --entry"
    )]
    EntryWithoutBody(String),
    #[error("{}", .0.iter().map(|(_, words)| words.as_str()).collect::<Vec<_>>().join("\n"))]
    System(Vec<(Loc, String)>),
}

fn hint(candidates: &[String]) -> String {
    match candidates {
        [] => " (no function is defined)".into(),
        some => format!(" (defined are: {})", some.join(", ")),
    }
}

/// Lowers everything the entry can reach. Recursion follows the nesting of the source: run it on a large stack.
pub fn lower(unit: &Unit, options: &LowerOptions) -> Result<Program, LowerError> {
    lower_mapped(unit, options).map(|(program, _)| program)
}

/// As [`lower`], with where memory is.
pub fn lower_mapped(unit: &Unit, options: &LowerOptions) -> Result<(Program, MemoryMap), LowerError> {
    let entry = find_entry(unit, options)?;
    let reach = scan::reachable(unit, entry);
    let leaves = LeafTable::default();
    let points = points::analyse(unit, &leaves, &reach.functions, &reach.objects, entry);
    let mut lower = Lower::new(unit, options, &leaves, points);
    for (index, &func) in reach.functions.iter().enumerate() {
        lower.procs.insert(func, Proc::from_u32(index as u32));
    }
    lower.lay_out_memory(&reach.recursive_locals(unit, &lower.points));
    lower.note_escapes(&reach.nested());
    globals::declare(&mut lower, &reach);
    lower.plan = system::plan(unit, entry);
    system::declare(&mut lower);
    let (functions, entry_is_called) = (reach.functions.clone(), reach.entry_is_called);
    lower.reach = reach;
    for &func in &functions {
        let role = match (func == entry, entry_is_called) {
            (false, _) => function::Role::Callee,
            (true, false) => function::Role::Entry,
            (true, true) => function::Role::Callee,
        };
        let procedure = function::lower(&mut lower, func, role);
        lower.program.procs.push(procedure);
    }
    let mut start = lower.procs[&entry];
    let starts = entry_is_called && (!unit.functions[entry].params.is_empty() || lower.starts_late());
    if starts {
        let procedure = function::wrapper(&mut lower, entry);
        start = lower.program.procs.push(procedure);
    }
    lower.program.entry = Some(start);
    system::finish(&mut lower);
    if !lower.faults.is_empty() {
        lower.faults.sort_by_key(|(loc, _)| *loc);
        lower.faults.dedup();
        return Err(LowerError::System(lower.faults));
    }
    lower.map_regions();
    Ok((lower.program, lower.map))
}

fn find_entry(unit: &Unit, options: &LowerOptions) -> Result<Func, LowerError> {
    let named = unit.functions.iter().find(|(_, f)| f.name == options.entry);
    match named {
        Some((func, f)) if f.body.is_some() => Ok(func),
        Some(_) => Err(LowerError::EntryWithoutBody(options.entry.clone())),
        None => {
            let defined = unit.functions.values().filter(|f| f.body.is_some());
            let candidates = defined.take(8).map(|f| f.name.clone()).collect();
            Err(LowerError::NoEntry { entry: options.entry.clone(), candidates })
        }
    }
}

/// The program under construction and what all functions share.
struct Lower<'a> {
    unit: &'a Unit,
    options: &'a LowerOptions,
    program: Program,
    procs: FxHashMap<Func, Proc>,
    /// Objects with static storage. Locals are in `FnLower::homes`.
    homes: FxHashMap<Obj, Home>,
    origins: FxHashMap<Loc, Origin>,
    last_origin: Option<(Loc, Origin)>,
    assumed: FxHashSet<(u32, u32, String)>,
    /// Of procedures: static functions of different files may share one.
    names: Names,
    reach: scan::Reach,
    points: Points<'a>,
    leaves: &'a LeafTable,
    memory: memory::Memory,
    map: MemoryMap,
    /// Of variables of the program.
    var_names: Names,
    /// By width, what the machine makes of shift counts out of range.
    shifts: FxHashMap<u32, Var>,
    /// Of a synchronous system.
    plan: Option<system::Plan<'a>>,
    /// What is wrong with it.
    faults: Vec<(Loc, String)>,
}

/// Names that must differ.
#[derive(Default)]
struct Names(FxHashSet<String>);

impl Names {
    /// The wanted name, or a variant of it that is still free.
    fn claim(&mut self, wanted: String) -> String {
        if self.0.insert(wanted.clone()) {
            return wanted;
        }
        let mut candidates = (2u32..).map(|n| format!("{wanted}#{n}"));
        candidates.find(|name| self.0.insert(name.clone())).unwrap_or(wanted)
    }
}

impl<'a> Lower<'a> {
    fn new(unit: &'a Unit, options: &'a LowerOptions, leaves: &'a LeafTable, points: Points<'a>) -> Lower<'a> {
        let mut program = Program::new();
        program.files = unit.files.clone();
        Lower {
            unit,
            options,
            program,
            procs: FxHashMap::default(),
            homes: FxHashMap::default(),
            origins: FxHashMap::default(),
            last_origin: None,
            assumed: FxHashSet::default(),
            names: Names::default(),
            reach: scan::Reach::default(),
            points,
            leaves,
            memory: memory::Memory::default(),
            map: MemoryMap::default(),
            var_names: Names::default(),
            shifts: FxHashMap::default(),
            plan: None,
            faults: Vec::new(),
        }
    }

    fn origin(&mut self, loc: Loc) -> Origin {
        // Most requests come from one expression.
        if let Some((last, origin)) = self.last_origin {
            if last == loc {
                return origin;
            }
        }
        let origins = &mut self.program.origins;
        let source = OriginData::Source { file: loc.file, line: loc.line, column: loc.column };
        let origin = *self.origins.entry(loc).or_insert_with(|| origins.push(source));
        self.last_origin = Some((loc, origin));
        origin
    }

    fn fault(&mut self, loc: Loc, words: impl Into<String>) {
        self.faults.push((loc, words.into()));
    }

    fn site(&mut self, name: impl Into<String>, ty: Type, origin: Origin) -> Site {
        self.program.sites.push(SiteData { name: name.into(), ty, origin })
    }

    /// Notes what a verdict rests on, once for a text and a source line.
    fn assume_line(&mut self, text: String, loc: Loc) {
        if self.assumed.insert((loc.file, loc.line, text.clone())) {
            let origin = self.origin(loc);
            self.program.assumptions.push((origin, text));
        }
    }

    /// Notes what a verdict rests on at a place.
    fn assume_at(&mut self, text: String, origin: Origin) {
        let OriginData::Source { file, line, column } = self.program.origins[origin] else { return };
        self.assume_line(text, Loc { file, line, column });
    }

    /// Notes what a verdict rests on, once for a text.
    fn assume_once(&mut self, text: String, loc: Loc) {
        if self.assumed.insert((u32::MAX, 0, text.clone())) {
            let origin = self.origin(loc);
            self.program.assumptions.push((origin, text));
        }
    }

    fn obligation(&mut self, reason: String, origin: Origin) -> syncline_ir::Obligation {
        self.program.obligations.push(ObligationData { reason, origin })
    }

    /// A property without its final name, which [`function`] gives when it has seen the whole function.
    fn property(&mut self, kind: PropKind, description: String, origin: Origin) -> Prop {
        self.program.props.push(PropData { name: String::new(), kind, description, origin })
    }

    fn checks(&self, kind: PropKind) -> bool {
        self.options.checks.contains(&kind)
    }

    fn ctype(&self, ty: TypeId) -> &'a CType {
        self.unit.types.get(ty)
    }

    fn pointer_bits(&self) -> u32 {
        self.unit.types.model.pointer_bits()
    }

    /// The IR type of a scalar C type.
    fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        match self.ctype(ty) {
            CType::Int(kind) => Some(Scalar::Bv(kind.bits(self.unit.types.model))),
            CType::Float(format) => Some(Scalar::Float(*format)),
            CType::Pointer(_) => Some(Scalar::Bv(self.pointer_bits())),
            CType::Void
            | CType::Array { .. }
            | CType::Vla { .. }
            | CType::Function(_)
            | CType::Record(_)
            | CType::Opaque(_) => None,
        }
    }

    /// The IR type of a value. What has none stands behind an obligation; a byte takes its place.
    fn value_type(&self, ty: TypeId) -> Type {
        self.scalar(ty).map_or(Type::bv(8), Type::from)
    }

    fn is_void(&self, ty: TypeId) -> bool {
        matches!(self.ctype(ty), CType::Void)
    }

    fn is_bool(&self, ty: TypeId) -> bool {
        matches!(self.ctype(ty), CType::Int(IntKind::Bool))
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.ctype(ty), CType::Pointer(_))
    }

    fn is_float(&self, ty: TypeId) -> bool {
        matches!(self.ctype(ty), CType::Float(_))
    }

    /// Whether values of the type compare and extend as signed numbers. Pointers compare unsigned.
    fn is_signed(&self, ty: TypeId) -> bool {
        matches!(self.ctype(ty), CType::Int(kind) if kind.signed())
    }

    /// The words for a type in messages.
    fn type_words(&self, ty: TypeId) -> String {
        match self.ctype(ty) {
            CType::Void => "void".into(),
            CType::Int(_) => "integer".into(),
            CType::Float(_) => "floating-point".into(),
            CType::Pointer(_) => "pointer".into(),
            CType::Array { .. } => "array".into(),
            CType::Vla { .. } => "variable-length array".into(),
            CType::Function(_) => "function".into(),
            CType::Record(record) => {
                let record = &self.unit.types.records[*record];
                format!("{} {}", if record.union { "union" } else { "struct" }, record.tag).trim_end().into()
            }
            CType::Opaque(text) => text.clone(),
        }
    }
}
