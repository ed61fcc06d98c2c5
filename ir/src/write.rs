//! The text form, written. `docs/ir.md` has the grammar and [`crate::read`] reads it back.
//!
//! Entities print with the numbers they have in the tables, so a dump, a message of the verifier and a debugger name
//! the same thing alike. What has a unique name prints by it: `@speed`, `main`. Tables of the program print whole and
//! in order; of a procedure only what its layout lists prints, so `v7` may be missing between `v6` and `v8`.
//!
//! An ill-formed program prints too (a dangling reference as `?var7`): the dump is wanted most when something is
//! wrong. Only text of a program with unique names and no dangling references reads back.

use crate::entities::*;
use crate::inst::{BlockCall, InstData, Place, Terminator};
use crate::ops::UnOp;
use crate::program::*;
use std::fmt::{self, Display, Write};

/// The whole program.
pub fn program(program: &Program) -> String {
    DisplayProgram(program).to_string()
}

/// One procedure.
pub fn procedure(program: &Program, procedure: &Procedure) -> String {
    DisplayProcedure(program, procedure).to_string()
}

/// One instruction, without its origin: `v3: bv32 = add v1, v2`.
pub fn inst(program: &Program, procedure: &Procedure, inst: Inst) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write_inst(&mut out, program, procedure, inst);
    out
}

/// Prints a program as text, piece by piece.
pub struct DisplayProgram<'a>(pub &'a Program);

/// Prints one procedure as text, piece by piece.
pub struct DisplayProcedure<'a>(pub &'a Program, pub &'a Procedure);

impl Display for DisplayProgram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = self.0;
        write_sources(f, program)?;
        write_tables(f, program)?;
        if let Some(system) = &program.system {
            write_system(f, program, system)?;
        }
        if let Some(entry) = program.entry {
            writeln!(f, "entry {}", proc_name(program, entry))?;
        }
        for procedure in program.procs.values() {
            write!(f, "\n{}", DisplayProcedure(program, procedure))?;
        }
        Ok(())
    }
}

fn write_sources(f: &mut impl Write, program: &Program) -> fmt::Result {
    for (n, file) in program.files.iter().enumerate() {
        writeln!(f, "file{n} = {}", Quoted(file))?;
    }
    for (origin, data) in program.origins.iter() {
        match data {
            OriginData::None if origin.as_u32() == 0 => {}
            OriginData::None => writeln!(f, "{origin} = none")?,
            OriginData::Source { file, line, column } => writeln!(f, "{origin} = file{file}:{line}:{column}")?,
            OriginData::Element(path) => writeln!(f, "{origin} = element {}", Quoted(path))?,
        }
    }
    Ok(())
}

fn write_tables(f: &mut impl Write, program: &Program) -> fmt::Result {
    for (site, data) in program.sites.iter() {
        writeln!(f, "{site} = site {}: {}{}", Quoted(&data.name), data.ty, At(data.origin))?;
    }
    for data in program.vars.values() {
        write!(f, "var @{}: {} = ", Name(&data.name), data.ty)?;
        match &data.init {
            Initial::Const(value) => write!(f, "{value}")?,
            Initial::Any(site) => write!(f, "any {site}")?,
        }
        writeln!(f, "{}", At(data.origin))?;
    }
    for (prop, data) in program.props.iter() {
        let (name, description) = (Quoted(&data.name), Quoted(&data.description));
        writeln!(f, "{prop} = {} {name} {description}{}", data.kind.name(), At(data.origin))?;
    }
    for (obligation, data) in program.obligations.iter() {
        writeln!(f, "{obligation} = {}{}", Quoted(&data.reason), At(data.origin))?;
    }
    for (origin, text) in &program.assumptions {
        writeln!(f, "assumption {}{}", Quoted(text), At(*origin))?;
    }
    Ok(())
}

fn write_system(f: &mut impl Write, program: &Program, system: &System) -> fmt::Result {
    let time = match system.time {
        TimeModel::Synchronous => "synchronous",
        TimeModel::Asynchronous => "asynchronous",
    };
    writeln!(f, "system {time} {{")?;
    for process in &system.processes {
        write!(f, "    process {} = {}", Quoted(&process.name), proc_name(program, process.body))?;
        if let Some(parent) = process.parent {
            write!(f, " parent {parent}")?;
        }
        if let Some(control) = process.control {
            write!(f, " control {}", place(program, Place::Global(control)))?;
        }
        if process.silent {
            write!(f, " silent")?;
        }
        writeln!(f)?;
    }
    if let Some(environment) = system.environment {
        writeln!(f, "    environment {}", proc_name(program, environment))?;
    }
    if let Some(observer) = system.observer {
        writeln!(f, "    observer {}", proc_name(program, observer))?;
    }
    match system.stability {
        Some(Stability { prop, ask: StabilityAsk::Bound(bound) }) => writeln!(f, "    stability {prop} bound {bound}")?,
        Some(Stability { prop, ask: StabilityAsk::Lasso(site) }) => writeln!(f, "    stability {prop} lasso {site}")?,
        None => {}
    }
    for shared in &system.shared {
        let write = match shared.write {
            WriteKind::Next => "next",
            WriteKind::Blocking => "blocking",
        };
        write!(f, "    shared {} {write}", place(program, Place::Global(shared.var)))?;
        if let Some(choice) = shared.choice {
            write!(f, " choice {choice}")?;
        }
        if let Some(race) = shared.race {
            write!(f, " race {race}")?;
        }
        writeln!(f)?;
    }
    writeln!(f, "}}")
}

impl Display for DisplayProcedure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DisplayProcedure(program, procedure) = *self;
        write!(f, "proc {}", Name(&procedure.name))?;
        for (n, ty) in procedure.results.iter().enumerate() {
            write!(f, "{}{ty}", if n == 0 { " -> " } else { ", " })?;
        }
        // The first block is the entry unless said otherwise.
        if procedure.layout.first() != Some(&procedure.entry) {
            write!(f, " entry {}", procedure.entry)?;
        }
        writeln!(f, "{} {{", At(procedure.origin))?;
        for (slot, data) in procedure.slots.iter() {
            writeln!(f, "    {slot} = slot {}: {}{}", Quoted(&data.name), data.ty, At(data.origin))?;
        }
        for &block in &procedure.layout {
            write_block(f, program, procedure, block)?;
        }
        writeln!(f, "}}")
    }
}

fn write_block(f: &mut impl Write, program: &Program, procedure: &Procedure, block: Block) -> fmt::Result {
    let Some(data) = procedure.blocks.get(block) else { return writeln!(f, "?{block}:") };
    write!(f, "{block}")?;
    for (n, &param) in data.params.iter().enumerate() {
        write!(f, "{}", if n == 0 { "(" } else { ", " })?;
        write_def(f, procedure, param)?;
    }
    writeln!(f, "{}", if data.params.is_empty() { ":" } else { "):" })?;
    for &inst in &data.insts {
        write!(f, "    ")?;
        write_inst(f, program, procedure, inst)?;
        match procedure.insts.get(inst) {
            Some(node) => writeln!(f, "{}", At(node.origin))?,
            None => writeln!(f)?,
        }
    }
    writeln!(f, "    {}{}", DisplayTerminator(&data.term), At(data.term_origin))
}

fn write_def(f: &mut impl Write, procedure: &Procedure, value: Value) -> fmt::Result {
    match procedure.values.get(value) {
        Some(data) => write!(f, "{value}: {}", data.ty),
        None => write!(f, "?{value}"),
    }
}

fn write_inst(f: &mut impl Write, program: &Program, procedure: &Procedure, inst: Inst) -> fmt::Result {
    let Some(node) = procedure.insts.get(inst) else { return write!(f, "?{inst}") };
    for (n, &result) in node.results.iter().enumerate() {
        write!(f, "{}", if n == 0 { "" } else { ", " })?;
        match &node.data {
            // A constant has its type with it.
            InstData::Const(c) if procedure.values.get(result).is_some_and(|v| v.ty == c.ty()) => {
                write!(f, "{result}")?
            }
            _ => write_def(f, procedure, result)?,
        }
    }
    write!(f, "{}", if node.results.is_empty() { "" } else { " = " })?;
    match &node.data {
        InstData::Const(value) => write!(f, "const {value}"),
        InstData::Unary { op, arg } => write!(f, "{} {arg}", DisplayUnOp(*op)),
        InstData::Binary { op, args: [a, b] } => write!(f, "{} {a}, {b}", op.name()),
        InstData::Ite { cond, then, other } => write!(f, "ite {cond}, {then}, {other}"),
        InstData::Update { array, index, value } => write!(f, "update {array}, {index}, {value}"),
        InstData::Havoc { site } => write!(f, "havoc {site}"),
        InstData::Read { place: p } => write!(f, "read {}", place(program, *p)),
        InstData::Write { place: p, value } => write!(f, "write {}, {value}", place(program, *p)),
        InstData::Load { place: p, index } => write!(f, "load {}[{index}]", place(program, *p)),
        InstData::Store { place: p, index, value } => write!(f, "store {}[{index}], {value}", place(program, *p)),
        InstData::Call { callee, args } => write!(f, "call {}({})", proc_name(program, *callee), Values(args)),
        InstData::Assume { cond } => write!(f, "assume {cond}"),
        InstData::Assert { prop, cond } => write!(f, "assert {prop}, {cond}"),
        InstData::Unsupported { obligation } => write!(f, "unsupported {obligation}"),
        InstData::Print { format, args } if args.is_empty() => write!(f, "print {}", Quoted(format)),
        InstData::Print { format, args } => write!(f, "print {}, {}", Quoted(format), Values(args)),
    }
}

/// `v1, v2, v3`
struct Values<'a>(&'a [Value]);

impl Display for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, value) in self.0.iter().enumerate() {
            write!(f, "{}{value}", if n == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// A unary operator with its parameters: `extract.7.0`.
pub struct DisplayUnOp(pub UnOp);

impl Display for DisplayUnOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let op = self.0;
        f.write_str(op.name())?;
        match op {
            UnOp::ZExt(w) | UnOp::SExt(w) | UnOp::FToS(w) | UnOp::FToU(w) => write!(f, ".{w}"),
            UnOp::Extract { hi, lo } => write!(f, ".{hi}.{lo}"),
            UnOp::FToF(to) | UnOp::SToF(to) | UnOp::UToF(to) | UnOp::FromBits(to) => {
                write!(f, ".{}", crate::types::Scalar::Float(to))
            }
            UnOp::FRound(mode) => write!(f, ".{}", mode.smtlib().to_lowercase()),
            UnOp::Not | UnOp::BvNot | UnOp::BvNeg | UnOp::FSqrt => Ok(()),
            UnOp::FNeg | UnOp::FIsNan | UnOp::FIsInf | UnOp::FSign | UnOp::ToBits => Ok(()),
        }
    }
}

struct Target<'a>(&'a BlockCall);

impl Display for Target<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BlockCall { block, args } = self.0;
        match args.is_empty() {
            true => write!(f, "{block}"),
            false => write!(f, "{block}({})", Values(args)),
        }
    }
}

/// Prints a terminator without its origin.
pub struct DisplayTerminator<'a>(pub &'a Terminator);

impl Display for DisplayTerminator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Terminator::Jump(to) => write!(f, "jump {}", Target(to)),
            Terminator::Branch { cond, then, other } => write!(f, "branch {cond}, {}, {}", Target(then), Target(other)),
            Terminator::Switch { value, cases, default } => {
                write!(f, "switch {value} {{ ")?;
                for (constant, to) in cases {
                    write!(f, "{constant}: {}, ", Target(to))?;
                }
                write!(f, "default: {} }}", Target(default))
            }
            Terminator::Return(values) if values.is_empty() => write!(f, "return"),
            Terminator::Return(values) => write!(f, "return {}", Values(values)),
            Terminator::Stop => write!(f, "stop"),
            Terminator::Step(to) => write!(f, "step {}", Target(to)),
        }
    }
}

fn place(program: &Program, place: Place) -> String {
    match place {
        Place::Global(var) => match program.vars.get(var) {
            Some(data) => format!("@{}", Name(&data.name)),
            None => format!("?{var}"),
        },
        Place::Local(slot) => slot.to_string(),
    }
}

fn proc_name(program: &Program, proc: Proc) -> String {
    match program.procs.get(proc) {
        Some(procedure) => Name(&procedure.name).to_string(),
        None => format!("?{proc}"),
    }
}

/// The origin's suffix. Nothing for the tool's own.
struct At(Origin);

impl Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_u32() {
            0 => Ok(()),
            _ => write!(f, " !{}", self.0),
        }
    }
}

/// Whether a name stands in the text without quotes. Shared with the reader, which calls this a word.
pub(crate) fn is_word(name: &str) -> bool {
    name.bytes().next().is_some_and(|b| is_word_byte(b) && !b.is_ascii_digit()) && name.bytes().all(is_word_byte)
}

pub(crate) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

/// A name, quoted where it has to be.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match is_word(self.0) {
            true => f.write_str(self.0),
            false => Quoted(self.0).fmt(f),
        }
    }
}

struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                '\r' => f.write_str("\\r")?,
                c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}
