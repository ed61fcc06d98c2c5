//! References into the tables of a program. Each prints as it stands in the text form.

use cranelift_entity::entity_impl;

macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);
        entity_impl!($name, $prefix);
    };
}

entity! {
    /// A procedure of the program.
    Proc, "proc"
}
entity! {
    /// A variable of the program: a global, or a shared variable of a synchronous system.
    Var, "var"
}
entity! {
    /// A property that gets a verdict.
    Prop, "prop"
}
entity! {
    /// Something that could not be lowered: a run that reaches it can prove nothing.
    Obligation, "obligation"
}
entity! {
    /// Where an instruction comes from.
    Origin, "loc"
}
entity! {
    /// A place that brings in an unknown value. Passes keep it, so a model names the same inputs as the source.
    Site, "in"
}
entity! {
    /// A block of one procedure.
    Block, "block"
}
entity! {
    /// An instruction of one procedure.
    Inst, "inst"
}
entity! {
    /// An SSA value of one procedure.
    Value, "v"
}
entity! {
    /// A mutable variable of one activation of a procedure; `passes::ssa` turns it into values.
    Slot, "slot"
}
