//! The text form, read. `docs/ir.md` has the grammar; [`crate::write`] writes it.
//!
//! The reader takes what it can give a shape to: names resolve, constants fit their types, every block ends. Whether
//! the program is well-formed is [`crate::verify`]'s question. No input makes it panic, and it takes time and memory
//! linear in the text.
//!
//! Numbers in the text are free. Tables of the program are declared before use and numbered in the order of the text,
//! which is how the writer prints them. Values and blocks of a procedure keep their numbers, so that reading a dump
//! keeps its names: a number left out belongs to an instruction or a block that the layout does not list. Should the
//! numbers be so far apart that the gaps would outgrow the text, they are given anew in the order of the text.

mod body;
mod cursor;
mod lexer;
mod operators;

use crate::consts::Const;
use crate::entities::*;
use crate::inst::{InstData, Place};
use crate::ops::{BinOp, UnOp};
use crate::program::*;
use cursor::{entity_number, Cursor};
use lexer::{Fault, Token};
use rustc_hash::FxHashMap;
use thiserror::Error;

/// Why a text is not a program. Line and column count from 1, the column in characters.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{line}:{column}: {message}")]
pub struct ReadError {
    pub line: u32,
    pub column: u32,
    pub message: String,
}

/// Reads a whole program.
pub fn program(text: &str) -> Result<Program, ReadError> {
    read(text).map_err(|fault| locate(text, fault))
}

/// Reads a whole program that is well-formed; otherwise every reason why it is none, a line each.
pub fn well_formed(text: &str) -> Result<Program, String> {
    let program = program(text).map_err(|e| e.to_string())?;
    match crate::verify::verify(&program) {
        Ok(()) => Ok(program),
        Err(violations) => Err(violations.iter().map(|v| format!("{v}\n")).collect()),
    }
}

/// Reads one constant, as [`crate::Const`] prints it.
pub fn constant(text: &str) -> Result<Const, ReadError> {
    let whole = || {
        let mut cursor = Cursor::new(text)?;
        let constant = cursor.constant()?;
        match cursor.peek() {
            Token::End => Ok(constant),
            _ => cursor.expected("the end"),
        }
    };
    whole().map_err(|fault| locate(text, fault))
}

/// The unary operator that the text form has under this name, its parameters included: `zext.32`.
pub fn unary_operator(name: &str) -> Option<UnOp> {
    operators::unary(name)
}

/// The binary operator that the text form has under this name.
pub fn binary_operator(name: &str) -> Option<BinOp> {
    BinOp::ALL.into_iter().find(|op| op.name() == name)
}

fn read(text: &str) -> Result<Program, Fault> {
    let mut reader = Reader::new(text)?;
    while *reader.cursor.peek() != Token::End {
        reader.item()?;
    }
    reader.finish()
}

fn locate(text: &str, fault: Fault) -> ReadError {
    let mut end = fault.at.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    ReadError { line: clamp(line), column: clamp(column), message: fault.message }
}

/// What a number in the text stands for, for one table of the program.
type Numbered<T> = FxHashMap<u32, T>;

struct Reader<'a> {
    cursor: Cursor<'a>,
    program: Program,
    origins: Numbered<Origin>,
    files: Numbered<u32>,
    sites: Numbered<Site>,
    props: Numbered<Prop>,
    obligations: Numbered<Obligation>,
    vars: FxHashMap<String, Var>,
    procs: FxHashMap<String, Proc>,
    /// Procedures by name in the order they are first mentioned, with the place. Until [`Reader::finish`] a `Proc`
    /// in the program is an index into it, because calls may come before what they call.
    mentions: Vec<(String, usize)>,
    mentioned: FxHashMap<String, Proc>,
    system: Option<System>,
    entry: Option<Proc>,
    binary: FxHashMap<&'static str, BinOp>,
    /// How many numbers of values and blocks the text may still leave out before they are given anew.
    gaps: usize,
}

/// Gaps any text may have, however short.
const FREE_GAPS: usize = 1 << 17;

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Result<Reader<'a>, Fault> {
        let program = Program::new();
        let origins = FxHashMap::from_iter([(0, program.no_origin())]);
        Ok(Reader {
            cursor: Cursor::new(text)?,
            program,
            origins,
            files: FxHashMap::default(),
            sites: FxHashMap::default(),
            props: FxHashMap::default(),
            obligations: FxHashMap::default(),
            vars: FxHashMap::default(),
            procs: FxHashMap::default(),
            mentions: Vec::new(),
            mentioned: FxHashMap::default(),
            system: None,
            entry: None,
            binary: BinOp::ALL.iter().map(|op| (op.name(), *op)).collect(),
            gaps: FREE_GAPS + text.len(),
        })
    }

    fn item(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "a declaration (file, loc, in, var, prop, obligation, assumption, system, entry, proc)";
        let at = self.cursor.at;
        let Token::Word(word) = *self.cursor.peek() else { return self.cursor.expected(WHAT) };
        match word {
            "var" => self.var(),
            "assumption" => self.assumption(),
            "system" => self.read_system(at),
            "entry" => self.read_entry(at),
            "proc" => self.procedure(),
            _ => match word.bytes().position(|b| b.is_ascii_digit()) {
                Some(split) => match (&word[..split], entity_number(word, &word[..split])) {
                    ("file", Some(number)) => self.file(number, at),
                    ("loc", Some(number)) => self.origin_entry(number, at),
                    ("in", Some(number)) => self.site(number, at),
                    ("prop", Some(number)) => self.prop(number, at),
                    ("obligation", Some(number)) => self.obligation(number, at),
                    _ => self.cursor.expected(WHAT),
                },
                None => self.cursor.expected(WHAT),
            },
        }
    }

    /// Passes over `entity =`.
    fn left_side(&mut self) -> Result<(), Fault> {
        self.cursor.take()?;
        self.cursor.expect('=')
    }

    fn file(&mut self, number: u32, at: usize) -> Result<(), Fault> {
        self.left_side()?;
        let file = self.program.files.len() as u32;
        self.program.files.push(self.cursor.string("the file's name in quotes")?);
        define(&mut self.files, number, file, "file", at)
    }

    fn origin_entry(&mut self, number: u32, at: usize) -> Result<(), Fault> {
        self.left_side()?;
        let data = if self.cursor.eat_word("none")? {
            OriginData::None
        } else if self.cursor.eat_word("element")? {
            OriginData::Element(self.cursor.string("the element's path in quotes")?)
        } else {
            let (file, at) = self.cursor.entity("file")?;
            let file = look_up(&self.files, file, "file", at)?;
            self.cursor.expect(':')?;
            let line = self.cursor.number32("a line")?;
            self.cursor.expect(':')?;
            OriginData::Source { file, line, column: self.cursor.number32("a column")? }
        };
        if number == 0 {
            // The first entry is there from the start; a text that redefines it is for the verifier to judge.
            let none = self.program.no_origin();
            self.program.origins[none] = data;
            return Ok(());
        }
        let origin = self.program.origins.push(data);
        define(&mut self.origins, number, origin, "loc", at)
    }

    /// The origin's suffix, `!loc12`; without one, the tool's own.
    fn origin(&mut self) -> Result<Origin, Fault> {
        if !self.cursor.eat('!')? {
            return Ok(self.program.no_origin());
        }
        let (number, at) = self.cursor.entity("loc")?;
        look_up(&self.origins, number, "loc", at)
    }

    fn site(&mut self, number: u32, at: usize) -> Result<(), Fault> {
        self.left_side()?;
        if !self.cursor.eat_word("site")? {
            return self.cursor.expected("`site`");
        }
        let name = self.cursor.string("what is unknown, in quotes")?;
        self.cursor.expect(':')?;
        let ty = self.cursor.ty()?;
        let origin = self.origin()?;
        let site = self.program.sites.push(SiteData { name, ty, origin });
        define(&mut self.sites, number, site, "in", at)
    }

    fn site_ref(&mut self) -> Result<Site, Fault> {
        let (number, at) = self.cursor.entity("in")?;
        look_up(&self.sites, number, "in", at)
    }

    fn var(&mut self) -> Result<(), Fault> {
        self.cursor.take()?;
        let at = self.cursor.at;
        self.cursor.expect('@')?;
        let name = self.cursor.name("a variable's name")?;
        self.cursor.expect(':')?;
        let ty = self.cursor.ty()?;
        self.cursor.expect('=')?;
        let init = match self.cursor.eat_word("any")? {
            true => Initial::Any(self.site_ref()?),
            false => Initial::Const(self.cursor.constant()?),
        };
        let origin = self.origin()?;
        let var = self.program.vars.push(VarData { name: name.clone(), ty, init, origin });
        match self.vars.insert(name, var) {
            None => Ok(()),
            Some(_) => Err(Fault { at, message: "a variable of this name exists already".to_string() }),
        }
    }

    fn var_ref(&mut self) -> Result<Var, Fault> {
        let at = self.cursor.at;
        self.cursor.expect('@')?;
        let name = self.cursor.name("a variable's name")?;
        let message = || format!("no variable @{} is declared before this", lexer::clip(&name));
        self.vars.get(&name).copied().ok_or_else(|| Fault { at, message: message() })
    }

    fn prop(&mut self, number: u32, at: usize) -> Result<(), Fault> {
        self.left_side()?;
        let kind_at = self.cursor.at;
        let word = self.cursor.word("the property's kind")?;
        let kind = match word {
            "assertion" => PropKind::Assertion,
            "reach" => PropKind::Reach,
            "overflow" => PropKind::Overflow,
            "shift" => PropKind::Shift,
            "division" => PropKind::Division,
            "bounds" => PropKind::Bounds,
            "pointer" => PropKind::Pointer,
            "race" => PropKind::Race,
            "nondeterminism" => PropKind::Nondeterminism,
            "stability" => PropKind::Stability,
            _ => {
                let message = format!("`{}` is no kind of property", lexer::clip(word));
                return Err(Fault { at: kind_at, message });
            }
        };
        let name = self.cursor.string("the property's name in quotes")?;
        let description = self.cursor.string("the property's description in quotes")?;
        let origin = self.origin()?;
        let prop = self.program.props.push(PropData { name, kind, description, origin });
        define(&mut self.props, number, prop, "prop", at)
    }

    fn obligation(&mut self, number: u32, at: usize) -> Result<(), Fault> {
        self.left_side()?;
        let reason = self.cursor.string("the reason in quotes")?;
        let origin = self.origin()?;
        let obligation = self.program.obligations.push(ObligationData { reason, origin });
        define(&mut self.obligations, number, obligation, "obligation", at)
    }

    fn assumption(&mut self) -> Result<(), Fault> {
        self.cursor.take()?;
        let text = self.cursor.string("the assumption in quotes")?;
        let origin = self.origin()?;
        self.program.assumptions.push((origin, text));
        Ok(())
    }

    fn read_system(&mut self, at: usize) -> Result<(), Fault> {
        self.cursor.take()?;
        let time = if self.cursor.eat_word("synchronous")? {
            TimeModel::Synchronous
        } else if self.cursor.eat_word("asynchronous")? {
            TimeModel::Asynchronous
        } else {
            return self.cursor.expected("`synchronous` or `asynchronous`");
        };
        let mut system = System {
            processes: Vec::new(),
            environment: None,
            observer: None,
            shared: Vec::new(),
            time,
            stability: None,
        };
        self.cursor.expect('{')?;
        while !self.cursor.eat('}')? {
            self.system_item(&mut system)?;
        }
        match self.system.replace(system) {
            None => Ok(()),
            Some(_) => Err(Fault { at, message: "there is a system already".to_string() }),
        }
    }

    fn system_item(&mut self, system: &mut System) -> Result<(), Fault> {
        let at = self.cursor.at;
        if self.cursor.eat_word("process")? {
            let name = self.cursor.string("the process's name in quotes")?;
            self.cursor.expect('=')?;
            let body = self.proc_ref()?;
            let parent = match self.cursor.eat_word("parent")? {
                true => Some(self.cursor.number32("the parent's place")?),
                false => None,
            };
            let control = match self.cursor.eat_word("control")? {
                true => Some(self.var_ref()?),
                false => None,
            };
            let silent = self.cursor.eat_word("silent")?;
            system.processes.push(Process { name, body, parent, control, silent });
        } else if self.cursor.eat_word("environment")? {
            if system.environment.replace(self.proc_ref()?).is_some() {
                return Err(Fault { at, message: "there is an environment already".to_string() });
            }
        } else if self.cursor.eat_word("observer")? {
            if system.observer.replace(self.proc_ref()?).is_some() {
                return Err(Fault { at, message: "there is an observer already".to_string() });
            }
        } else if self.cursor.eat_word("stability")? {
            let stability = self.stability()?;
            if system.stability.replace(stability).is_some() {
                return Err(Fault { at, message: "stability is asked for already".to_string() });
            }
        } else if self.cursor.eat_word("shared")? {
            let var = self.var_ref()?;
            let write = if self.cursor.eat_word("next")? {
                WriteKind::Next
            } else if self.cursor.eat_word("blocking")? {
                WriteKind::Blocking
            } else {
                return self.cursor.expected("`next` or `blocking`");
            };
            let choice = match self.cursor.eat_word("choice")? {
                true => Some(self.site_ref()?),
                false => None,
            };
            let cells = match self.cursor.eat_word("cells")? {
                true => self.cursor.number32("the number of cells")?,
                false => 0,
            };
            let race = match self.cursor.eat_word("race")? {
                true => Some(self.prop_ref()?),
                false => None,
            };
            system.shared.push(SharedVar { var, write, choice, cells, race });
        } else {
            return self.cursor.expected("`process`, `environment`, `observer`, `stability`, `shared` or `}`");
        }
        Ok(())
    }

    fn stability(&mut self) -> Result<Stability, Fault> {
        let prop = self.prop_ref()?;
        let ask = if self.cursor.eat_word("bound")? {
            StabilityAsk::Bound(self.cursor.number32("a number of steps")?)
        } else if self.cursor.eat_word("lasso")? {
            StabilityAsk::Lasso(self.site_ref()?)
        } else {
            return self.cursor.expected("`bound` or `lasso`");
        };
        Ok(Stability { prop, ask })
    }

    fn prop_ref(&mut self) -> Result<Prop, Fault> {
        let (number, at) = self.cursor.entity("prop")?;
        look_up(&self.props, number, "prop", at)
    }

    fn read_entry(&mut self, at: usize) -> Result<(), Fault> {
        self.cursor.take()?;
        let entry = self.proc_ref()?;
        match self.entry.replace(entry) {
            None => Ok(()),
            Some(_) => Err(Fault { at, message: "there is an entry already".to_string() }),
        }
    }

    /// A procedure by its name: an index into `mentions` for now.
    fn proc_ref(&mut self) -> Result<Proc, Fault> {
        let at = self.cursor.at;
        let name = self.cursor.name("a procedure's name")?;
        if let Some(&mention) = self.mentioned.get(&name) {
            return Ok(mention);
        }
        let mention = Proc::from_u32(self.mentions.len() as u32);
        self.mentions.push((name.clone(), at));
        self.mentioned.insert(name, mention);
        Ok(mention)
    }

    /// A variable of the program or of the procedure.
    fn place(&mut self, slots: &Numbered<Slot>) -> Result<Place, Fault> {
        match self.cursor.peek_entity("slot") {
            Some(_) => {
                let (number, at) = self.cursor.entity("slot")?;
                Ok(Place::Local(look_up(slots, number, "slot", at)?))
            }
            None => Ok(Place::Global(self.var_ref()?)),
        }
    }

    /// Puts the procedures in the place of their mentions.
    fn finish(mut self) -> Result<Program, Fault> {
        let mut real = Vec::with_capacity(self.mentions.len());
        for (name, at) in &self.mentions {
            let message = || format!("no procedure {} is declared", lexer::clip(name));
            real.push(*self.procs.get(name).ok_or_else(|| Fault { at: *at, message: message() })?);
        }
        let resolve = |proc: &mut Proc| *proc = real[proc.as_u32() as usize];
        for procedure in self.program.procs.values_mut() {
            for node in procedure.insts.values_mut() {
                if let InstData::Call { callee, .. } = &mut node.data {
                    resolve(callee);
                }
            }
        }
        if let Some(system) = &mut self.system {
            system.processes.iter_mut().for_each(|p| resolve(&mut p.body));
            system.environment.iter_mut().chain(&mut system.observer).for_each(resolve);
        }
        self.entry.iter_mut().for_each(resolve);
        self.program.system = self.system;
        self.program.entry = self.entry;
        Ok(self.program)
    }
}

fn define<T>(table: &mut Numbered<T>, number: u32, entity: T, prefix: &str, at: usize) -> Result<(), Fault> {
    match table.insert(number, entity) {
        None => Ok(()),
        Some(_) => Err(Fault { at, message: format!("{prefix}{number} is defined twice") }),
    }
}

fn look_up<T: Copy>(table: &Numbered<T>, number: u32, prefix: &str, at: usize) -> Result<T, Fault> {
    let message = || format!("{prefix}{number} is not declared before this");
    table.get(&number).copied().ok_or_else(|| Fault { at, message: message() })
}
