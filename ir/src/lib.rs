//! The intermediate representation every part of syncline meets in.
//!
//! Start reading at [`program`] (what a program is) and [`inst`] (what it can do); [`verify`] lists the rules a
//! well-formed program keeps, [`interp`] says what it means. This crate knows no parser, no chart and no solver.

pub mod analysis;
pub mod consts;
pub mod entities;
pub mod eval;
pub mod inline;
pub mod inst;
pub mod interp;
pub mod ops;
pub mod passes;
pub mod program;
pub mod read;
pub mod types;
pub mod verify;
pub mod write;

pub use consts::{ArrayConst, Const};
pub use entities::{Block, Inst, Obligation, Origin, Proc, Prop, Site, Slot, Value, Var};
pub use inst::{BlockCall, InstData, Place, Terminator};
pub use ops::{BinOp, Rounding, UnOp};
pub use program::{
    bits_for, BlockData, Initial, InstNode, ObligationData, OriginData, Procedure, Process, Program, PropData,
    PropKind, SharedVar, SiteData, SlotData, Stability, StabilityAsk, System, TimeModel, ValueData, ValueDef, VarData,
    WriteKind,
};
pub use types::{FloatFormat, Scalar, Type, MAX_WIDTH};
