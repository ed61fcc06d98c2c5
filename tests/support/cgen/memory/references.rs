//! Pointers to scalars: families of a scalar, an array and pointers into it, and the statements that set pointers to
//! other targets. A pointer always has `len` elements at its target, so it is used without a check.

use super::super::{Class, Expr, Gen, Place, Storage, Var};
use crate::support::coverage::pair;
use crate::support::kinds::Kind;

/// A scalar, an array or a pointer of a family.
#[derive(Clone)]
pub struct Reference {
    name: String,
    kind: Kind,
    /// Elements that are there.
    len: usize,
    role: Role,
    /// How deep its block is nested; a pointer is set to targets of its own level and of outer ones.
    level: usize,
    /// The array a pointer never leaves.
    home: Option<String>,
    /// A variable that is in scope as long as this is.
    witness: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Scalar,
    Array,
    Pointer,
    /// Points to pointers with `len` elements.
    Indirect,
}

impl Gen {
    pub(in super::super) fn global_references(&mut self) {
        for _ in 0..2 {
            let prefix = self.rng.pick(&["", "static "]);
            self.family(prefix);
        }
    }

    pub(in super::super) fn local_references(&mut self) {
        self.cov.hit("reference", "local");
        self.family("");
    }

    fn family(&mut self, prefix: &str) {
        let kind = self.any_kind();
        let c_name = kind.c_name();
        let size = 3 + self.rng.below(4);
        let [scalar, array, first, home, indirect] = ["y", "ya", "yp", "yh", "yy"].map(|stem| self.fresh(stem));
        let values: Vec<_> = (0..=size).map(|_| self.initial_value(kind)).collect();
        values.iter().for_each(|value| self.cov.hit("init", pair("to", value.kind, kind)));
        let items: Vec<_> = values[1..].iter().map(|value| value.at(2)).collect();
        self.line(format!(
            "{prefix}{c_name} {scalar} = {}, {array}[{size}] = {{{}}};",
            values[0].at(2),
            items.join(", ")
        ));
        let len = 1 + self.rng.below(2);
        let at = self.rng.below(size - len + 1);
        let pointers = format!("*{first} = &{array}[{at}], *{home} = {array}, **{indirect} = &{first}");
        self.line(format!("{prefix}{c_name} {pointers};"));
        self.add_reference(&scalar, kind, 1, Role::Scalar, None);
        self.add_reference(&array, kind, size, Role::Array, None);
        self.add_reference(&first, kind, len, Role::Pointer, None);
        self.add_reference(&home, kind, 1, Role::Pointer, Some(array));
        self.add_reference(&indirect, kind, len, Role::Indirect, None);
    }

    fn add_reference(&mut self, name: &str, kind: Kind, len: usize, role: Role, home: Option<String>) {
        let (form, witness) = match role {
            Role::Scalar => ("scalar", name.to_string()),
            Role::Array => ("array", name.to_string()),
            Role::Pointer => ("pointer", format!("(*{name})")),
            Role::Indirect => ("pointer to pointer", format!("(**{name})")),
        };
        self.cov.hit("reference", form);
        let dims = if role == Role::Array { vec![len] } else { Vec::new() };
        let place = Place::Memory;
        self.vars.push(Var { dims, place, ..Var::new(witness.clone(), kind, Storage::Shared) });
        if role == Role::Pointer {
            self.vars.push(Var { dims: vec![len], place, ..Var::new(name.to_string(), kind, Storage::Shared) });
        }
        self.references.push(Reference { name: name.to_string(), kind, len, role, level: self.indent, home, witness });
    }

    fn live_references(&self, wanted: impl Fn(&Reference) -> bool) -> Vec<Reference> {
        let in_scope = |reference: &&Reference| self.vars.iter().any(|var| var.name == reference.witness);
        self.references.iter().filter(in_scope).filter(|reference| wanted(reference)).cloned().collect()
    }

    fn pick_reference(&mut self, wanted: impl Fn(&Reference) -> bool) -> Option<Reference> {
        let found = self.live_references(wanted);
        (!found.is_empty()).then(|| found[self.rng.below(found.len())].clone())
    }

    /// One statement of the profile; not a declaration.
    pub(in super::super) fn memory_statement(&mut self) {
        if !self.records.is_empty() && self.rng.chance(55) {
            return self.object_statement();
        }
        if self.reference_statement().is_none() {
            self.observe_statement();
        }
    }

    fn reference_statement(&mut self) -> Option<()> {
        match self.rng.below(10) {
            0..=4 => self.retarget(),
            5 | 6 => self.compare(),
            7 => self.difference(),
            8 => self.walk(),
            _ => self.byte_view(),
        }
    }

    /// An address with `len` elements of the kind; how it is made, and its text.
    fn address(&mut self, pointer: &Reference) -> Option<(&'static str, String)> {
        let Reference { kind, len, level, ref home, ref name, .. } = *pointer;
        let fits = |other: &Reference| {
            other.kind == kind && other.len >= len && other.level <= level && other.role != Role::Indirect
        };
        let at_home = |other: &Reference| match home {
            Some(array) => other.name == *array || other.home.as_ref() == Some(array),
            None => true,
        };
        let target = self.pick_reference(|other| fits(other) && at_home(other) && other.name != *name)?;
        let spare = target.len - len + 1;
        Some(match target.role {
            Role::Scalar => ("element", format!("&{}", target.name)),
            Role::Array if self.rng.chance(60) => ("element", format!("&{}[{}]", target.name, self.index(spare, true))),
            Role::Array => ("a + i", format!("{} + ({})", target.name, self.index(spare, true))),
            _ if spare == 1 => ("copy", target.name),
            _ => ("copy", format!("{} + {}", target.name, self.rng.below(spare))),
        })
    }

    fn retarget(&mut self) -> Option<()> {
        let pointer = self.pick_reference(|reference| matches!(reference.role, Role::Pointer | Role::Indirect))?;
        if pointer.role == Role::Indirect {
            return self.retarget_indirect(&pointer);
        }
        let (form, text) = self.address(&pointer)?;
        if self.rng.chance(25) {
            let (_, other) = self.address(&pointer)?;
            self.cov.hit("reference statement", "conditional");
            let condition = self.expr(1, Class::Any).at(4);
            self.line(format!("{} = {condition} ? {text} : {other};", pointer.name));
        } else {
            self.cov.hit("reference statement", form);
            self.line(format!("{} = {text};", pointer.name));
        }
        Some(())
    }

    /// Sets the pointer's target to another pointer, or that pointer to another place.
    fn retarget_indirect(&mut self, indirect: &Reference) -> Option<()> {
        let Reference { kind, len, level, .. } = *indirect;
        self.cov.hit("reference statement", "through **");
        if self.rng.chance(50) {
            let fits = |other: &Reference| other.kind == kind && other.len == len && other.home.is_none();
            let target =
                self.pick_reference(|other| other.role == Role::Pointer && fits(other) && other.level <= level)?;
            self.line(format!("{} = &{};", indirect.name, target.name));
            return Some(());
        }
        // What is stored may end up in a global pointer, so its target lives for ever.
        let stored = Reference { level: 0, ..indirect.clone() };
        let (_, text) = self.address(&stored)?;
        self.line(format!("*{} = {text};", indirect.name));
        Some(())
    }

    fn compare(&mut self) -> Option<()> {
        let pointer = self.pick_reference(|reference| reference.role == Role::Pointer)?;
        if self.rng.chance(25) {
            self.cov.hit("reference statement", "null test");
            let text = self.rng.pick(&["out({} ? 3 : 4);", "out(!{});", "out({} != 0);", "if ({}) out(5);"]);
            self.line(text.replace("{}", &pointer.name));
            return Some(());
        }
        let (_, other) = self.address(&pointer)?;
        self.cov.hit("reference statement", "compare");
        let ops = ["==", "!=", "<", "<=", ">", ">="];
        let op = if pointer.home.is_some() { self.rng.pick(&ops) } else { self.rng.pick(&ops[..2]) };
        self.line(format!("out({} {op} {other});", pointer.name));
        Some(())
    }

    fn difference(&mut self) -> Option<()> {
        let pointer = self.pick_reference(|reference| reference.home.is_some())?;
        let (_, other) = self.address(&pointer)?;
        self.cov.hit("reference statement", "difference");
        self.line(format!("out({} - ({other}));", pointer.name));
        Some(())
    }

    /// A loop over an array by a pointer.
    fn walk(&mut self) -> Option<()> {
        let array = self.pick_reference(|reference| reference.role == Role::Array)?;
        self.cov.hit("reference statement", "loop");
        let (cursor, c_name) = (self.fresh("w"), array.kind.c_name());
        let Reference { ref name, len, kind, .. } = array;
        let down = self.rng.chance(30);
        let target = if down { format!("*--{cursor}") } else { format!("*{cursor}") };
        let change = self.compound(Expr::new(target, kind, 15), 1).text;
        let head = match self.rng.below(2) {
            _ if down => format!("for ({c_name} *{cursor} = {name} + {len}; {cursor} > {name};)"),
            0 => format!("for ({c_name} *{cursor} = {name}; {cursor} < {name} + {len}; {cursor}++)"),
            _ => format!("for ({c_name} *{cursor} = {name}; {cursor} != &{name}[{len}]; ++{cursor})"),
        };
        self.cost += self.mult * len as u64;
        self.line(format!("{head} {change};"));
        Some(())
    }

    fn byte_view(&mut self) -> Option<()> {
        let target = self.pick_reference(|r| r.role != Role::Indirect && !r.kind.is_float())?;
        self.cov.hit("reference statement", "bytes");
        let (name, counter) = (&target.name, self.fresh("k"));
        let address = if target.role == Role::Scalar { format!("&{name}") } else { name.clone() };
        let size = format!("{} * sizeof({})", target.len, target.kind.c_name());
        self.cost += self.mult * 4 * target.len as u64;
        let byte = format!("((unsigned char *){address})[{counter}]");
        self.line(format!("for (unsigned {counter} = 0; {counter} < {size}; {counter}++) out({byte});"));
        Some(())
    }
}
