//! The text form as a whole: the files of `tests/ir` use everything there is; large programs take linear time; no
//! text, however broken, makes the reader panic.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use syncline_ir::write::DisplayUnOp;
use syncline_ir::*;

/// Every piece of the IR by name; a piece counts when a `test roundtrip` file has it.
const PIECES: &[&str] = &[
    "inst const",
    "inst unary",
    "inst binary",
    "inst ite",
    "inst update",
    "inst havoc",
    "inst read",
    "inst write",
    "inst load",
    "inst store",
    "inst call",
    "inst assume",
    "inst assert",
    "inst unsupported",
    "inst print",
    "un not",
    "un bvnot",
    "un bvneg",
    "un zext",
    "un sext",
    "un extract",
    "un fneg",
    "un fisnan",
    "un fisinf",
    "un fsign",
    "un fsqrt",
    "un fround",
    "un ftof",
    "un stof",
    "un utof",
    "un ftos",
    "un ftou",
    "un frombits",
    "un tobits",
    "term jump",
    "term branch",
    "term switch",
    "term return",
    "term stop",
    "term step",
    "type bool",
    "type bv",
    "type f32",
    "type f64",
    "type x87",
    "type array",
    "const bool",
    "const bv",
    "const float",
    "const array",
    "initial const",
    "initial any",
    "place global",
    "place local",
    "origin none",
    "origin source",
    "origin element",
    "prop assertion",
    "prop reach",
    "prop overflow",
    "prop shift",
    "prop division",
    "prop bounds",
    "prop pointer",
    "prop race",
    "prop nondeterminism",
    "prop stability",
    "time synchronous",
    "time asynchronous",
    "shared next",
    "shared blocking",
    "process",
    "process parent",
    "environment",
    "observer",
    "process control",
    "shared choice",
    "shared race",
    "stability bound",
    "stability lasso",
    "entry",
    "obligation",
    "assumption",
    "site",
    "slot",
    "file",
    "results several",
    "entry not first",
];

#[derive(Default)]
struct Counter(BTreeMap<String, usize>);

impl Counter {
    fn add(&mut self, piece: impl Into<String>) {
        *self.0.entry(piece.into()).or_default() += 1;
    }

    fn program(&mut self, program: &Program) {
        program.files.iter().for_each(|_| self.add("file"));
        program.obligations.values().for_each(|_| self.add("obligation"));
        program.assumptions.iter().for_each(|_| self.add("assumption"));
        program.entry.iter().for_each(|_| self.add("entry"));
        program.props.values().for_each(|p| self.add(format!("prop {}", p.kind.name())));
        for origin in program.origins.values() {
            self.add(match origin {
                OriginData::None => "origin none",
                OriginData::Source { .. } => "origin source",
                OriginData::Element(_) => "origin element",
            });
        }
        for site in program.sites.values() {
            self.add("site");
            self.ty(site.ty);
        }
        for var in program.vars.values() {
            self.ty(var.ty);
            match &var.init {
                Initial::Const(value) => {
                    self.add("initial const");
                    self.constant(value);
                }
                Initial::Any(_) => self.add("initial any"),
            }
        }
        program.system.iter().for_each(|s| self.system(s));
        program.procs.values().for_each(|p| self.procedure(p));
    }

    fn system(&mut self, system: &System) {
        self.add(match system.time {
            TimeModel::Synchronous => "time synchronous",
            TimeModel::Asynchronous => "time asynchronous",
        });
        system.environment.iter().for_each(|_| self.add("environment"));
        system.observer.iter().for_each(|_| self.add("observer"));
        system.stability.iter().for_each(|s| {
            self.add(match s.ask {
                StabilityAsk::Bound(_) => "stability bound",
                StabilityAsk::Lasso(_) => "stability lasso",
            });
        });
        for process in &system.processes {
            self.add(if process.parent.is_some() { "process parent" } else { "process" });
            process.control.iter().for_each(|_| self.add("process control"));
        }
        for shared in &system.shared {
            self.add(match shared.write {
                WriteKind::Next => "shared next",
                WriteKind::Blocking => "shared blocking",
            });
            shared.choice.iter().for_each(|_| self.add("shared choice"));
            shared.race.iter().for_each(|_| self.add("shared race"));
        }
    }

    fn ty(&mut self, ty: Type) {
        let elem = match ty {
            Type::Scalar(scalar) => scalar,
            Type::Array { elem, .. } => {
                self.add("type array");
                elem
            }
        };
        self.add(match elem {
            Scalar::Bv(_) => "type bv".to_string(),
            Scalar::Bool | Scalar::Float(_) => format!("type {elem}"),
        });
    }

    fn constant(&mut self, value: &Const) {
        self.add(match value {
            Const::Bool(_) => "const bool",
            Const::Bv { .. } => "const bv",
            Const::Float { .. } => "const float",
            Const::Array(_) => "const array",
        });
    }

    fn place(&mut self, place: Place) {
        self.add(match place {
            Place::Global(_) => "place global",
            Place::Local(_) => "place local",
        });
    }

    fn procedure(&mut self, procedure: &Procedure) {
        procedure.slots.values().for_each(|_| self.add("slot"));
        if procedure.results.len() > 1 {
            self.add("results several");
        }
        if procedure.layout[0] != procedure.entry {
            self.add("entry not first");
        }
        for &block in &procedure.layout {
            let data = &procedure.blocks[block];
            data.insts.iter().for_each(|&inst| self.inst(&procedure.insts[inst].data));
            self.add(match &data.term {
                Terminator::Jump(_) => "term jump",
                Terminator::Branch { .. } => "term branch",
                Terminator::Switch { .. } => "term switch",
                Terminator::Return(_) => "term return",
                Terminator::Stop => "term stop",
                Terminator::Step(_) => "term step",
            });
        }
    }

    fn inst(&mut self, data: &InstData) {
        let name = match data {
            InstData::Const(value) => {
                self.constant(value);
                "const"
            }
            InstData::Unary { op, .. } => {
                self.add(format!("un {}", op.name()));
                "unary"
            }
            InstData::Binary { op, .. } => {
                self.add(format!("bin {}", op.name()));
                "binary"
            }
            InstData::Ite { .. } => "ite",
            InstData::Update { .. } => "update",
            InstData::Havoc { .. } => "havoc",
            InstData::Read { place } => {
                self.place(*place);
                "read"
            }
            InstData::Write { .. } => "write",
            InstData::Load { .. } => "load",
            InstData::Store { .. } => "store",
            InstData::Call { .. } => "call",
            InstData::Assume { .. } => "assume",
            InstData::Assert { .. } => "assert",
            InstData::Unsupported { .. } => "unsupported",
            InstData::Print { .. } => "print",
        };
        self.add(format!("inst {name}"));
    }
}

fn directory() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ir")
}

fn roundtrip_files() -> Vec<String> {
    let entries = fs::read_dir(directory()).expect("tests/ir is there");
    let texts = entries.map(|e| fs::read_to_string(e.expect("a readable entry").path()).expect("text"));
    texts.filter_map(|text| text.strip_prefix("test roundtrip\n").map(str::to_string)).collect()
}

#[test]
fn files_use_every_piece() {
    let mut counter = Counter::default();
    for text in roundtrip_files() {
        counter.program(&read::program(&text).expect("it reads"));
    }
    let operators = BinOp::ALL.iter().map(|op| format!("bin {}", op.name()));
    let wanted: Vec<String> = PIECES.iter().map(|p| p.to_string()).chain(operators).collect();
    let missing: Vec<&String> = wanted.iter().filter(|&p| !counter.0.contains_key(p)).collect();
    assert!(missing.is_empty(), "no file has {missing:?}");
    let unknown: Vec<&String> = counter.0.keys().filter(|p| !wanted.contains(p)).collect();
    assert!(unknown.is_empty(), "not in the list of pieces: {unknown:?}");
}

fn same_after_reading(program: &Program) {
    let text = write::program(program);
    let again = read::program(&text).expect("the writer's text reads");
    assert_eq!(write::program(&again), text);
}

#[test]
fn a_dump_keeps_its_numbers() {
    let mut program = Program::new();
    let none = program.no_origin();
    let mut procedure = Procedure::new("sparse", none);
    procedure.add_block(none);
    let last = procedure.add_block(none);
    for n in 0..1000 {
        procedure.constant(procedure.entry, Const::bv(32, n), none);
    }
    // As a pass does: the instructions go, the tables keep their length.
    procedure.blocks[procedure.entry].insts.drain(..999);
    procedure.layout.retain(|b| b.as_u32() != 1);
    procedure.set_term(procedure.entry, Terminator::Jump(last.into()), none);
    program.procs.push(procedure);
    assert!(write::program(&program).contains("v999 = const bv32 999\n    jump block2"));
    same_after_reading(&program);
    let again = read::program(&write::program(&program)).expect("it reads");
    verify::verify(&again).expect("it verifies");
}

#[test]
fn numbers_far_apart_do_not_cost_memory() {
    let mut text = String::new();
    for n in 0..300 {
        text += &format!("proc p{n} {{ block4294967294: v4294967294 = const bv8 1\n jump block3(v4294967294) ");
        text += "block3(v9: bv8): return }\n";
    }
    let program = read::program(&text).expect("it reads");
    verify::verify(&program).expect("it verifies");
    assert!(program.procs.values().all(|p| p.values.len() == 2 && p.blocks.len() == 2));
    same_after_reading(&program);
}

#[test]
fn a_million_cells_and_many_blocks_are_fast() {
    let start = Instant::now();
    let mut program = Program::new();
    let none = program.no_origin();
    let mut array = ArrayConst::filled(32, Const::bv(32, 0));
    (0..1_000_000).for_each(|n| array.set(n, Const::bv(32, n + 1)));
    let ty = Type::Array { index: 32, elem: Scalar::Bv(32) };
    program.vars.push(VarData { name: "a".into(), ty, init: Initial::Const(Const::Array(array)), origin: none });
    let mut procedure = Procedure::new("chain", none);
    let mut block = procedure.entry;
    let mut value = procedure.constant(block, Const::bv(32, 0), none);
    for _ in 0..100_000 {
        let next = procedure.add_block(none);
        procedure.set_term(block, Terminator::Jump(BlockCall::new(next, vec![value])), none);
        value = procedure.add_param(next, Type::bv(32));
        block = next;
    }
    program.procs.push(procedure);
    same_after_reading(&program);
    verify::verify(&program).expect("it verifies");
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

/// A small generator of its own, so that a failure repeats.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Reading must end; what reads must print and verify or not, without a panic, and print the same again.
fn survives(text: &str) {
    if let Ok(program) = read::program(text) {
        let _ = verify::verify(&program);
        same_after_reading(&program);
    }
}

#[test]
fn broken_texts_do_not_panic() {
    let mut random = Random(0x5eed);
    let files = roundtrip_files();
    let pieces = [
        "{",
        "}",
        "(",
        ",",
        ":",
        "v1",
        "block0",
        "-1",
        "0x",
        "\"",
        "\\u{110000}",
        "@",
        "é",
        "!loc9",
        "bv129",
        "v4294967295",
        "[bv0]bool",
        "{0; 1",
        "99999999999999999999999999999999999999999",
        "step",
        "=",
        "->",
        "//",
    ];
    for text in &files {
        for cut in (0..text.len()).filter(|&n| text.is_char_boundary(n)).step_by(7) {
            survives(&text[..cut]);
        }
        let words: Vec<&str> = text.split_inclusive([' ', '\n', ',']).collect();
        for _ in 0..3000 {
            let mut mutated: Vec<&str> = words.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(mutated.len());
                match random.below(4) {
                    0 => drop(mutated.remove(at)),
                    1 => mutated.insert(at, pieces[random.below(pieces.len())]),
                    2 => mutated[at] = words[random.below(words.len())],
                    _ => mutated[at] = pieces[random.below(pieces.len())],
                }
                if mutated.is_empty() {
                    break;
                }
            }
            survives(&mutated.concat());
        }
    }
}

#[test]
fn errors_say_where() {
    let error = |text: &str| read::program(text).map(|_| ()).expect_err("it must not read").to_string();
    assert_eq!(error("var @x: bv8 = bv8 256"), "1:19: 256 does not fit in 8 bits");
    assert_eq!(error("var @x: bv8 = bv8 -129"), "1:19: -129 does not fit in 8 bits");
    assert_eq!(error("\n  var @é"), "2:8: unexpected character 'é'");
    assert_eq!(error("assumption \"a"), "1:12: this string does not end on its line");
    assert_eq!(error("entry main"), "1:7: no procedure main is declared");
    assert_eq!(error("proc f { }"), "1:6: a procedure has at least one block");
    assert_eq!(error("proc f { block0: stop block0: stop }"), "1:23: block0 is defined twice");
    assert_eq!(error("proc f { block0: v1 = add v1, v1 stop }"), "1:18: v1 needs its type: `v1: bv32`");
    assert_eq!(error("proc f { block0: frob v1 stop }"), "1:18: `frob` is no instruction");
    assert_eq!(error("proc f { block0: v1: bv8 = zext v1 stop }"), "1:28: `zext` is no instruction");
    assert_eq!(error("proc f { block0: return"), "1:24: expected `block` with a number, found the end of the text");
    assert!(error("var @x: bv129 = bv129 0").starts_with("1:9: `bv129` is not a type"));
}

#[test]
fn pieces_print_alone() {
    assert_eq!(DisplayUnOp(UnOp::Extract { hi: 7, lo: 0 }).to_string(), "extract.7.0");
    let text = &roundtrip_files().into_iter().find(|t| t.contains("proc nothing")).expect("it is there");
    let program = read::program(text).expect("it reads");
    let nothing = program.procs.values().find(|p| p.name == "nothing").expect("it is there");
    assert_eq!(write::procedure(&program, nothing), "proc nothing {\nblock0:\n    return\n}\n");
}

/// What the documentation shows is a program.
#[test]
fn the_documents_program_reads() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/ir.md");
    let text = fs::read_to_string(document).expect("docs/ir.md is there");
    let mut shown = 0;
    for piece in text.split("```ir\n").skip(1) {
        let code = piece.split("```").next().expect("split gives one piece at least");
        let program = read::program(code).expect("it reads");
        verify::verify(&program).expect("it verifies");
        assert_eq!(write::program(&program), code);
        shown += 1;
    }
    assert!(shown > 0);
}
