//! Runs a program under gcc and under the interpreter.

use std::io::Write;
use std::process::{Command, Stdio};
use syncline_frontend::lower::{self, LowerOptions};
use syncline_frontend::parse::on_big_stack;
use syncline_frontend::sema::{self, Options};
use syncline_frontend::types::DataModel;
use syncline_ir::interp::{self, Limits, NoObserver, Observer, Outcome, ZeroInputs};
use syncline_ir::Program;

pub const BOTH: [DataModel; 2] = [DataModel::Ilp32, DataModel::Lp64];

/// Lowers preprocessed text and verifies the result.
pub fn lower_text(text: &str, model: DataModel, options: &LowerOptions) -> Program {
    let program = on_big_stack(|| {
        let unit = sema::analyse_source("test.c", text, &Options::new(model)).unwrap_or_else(|e| panic!("{e}\n{text}"));
        lower::lower(&unit, options).unwrap_or_else(|e| panic!("{e}"))
    });
    let program = program.expect("a thread");
    if let Err(errors) = syncline_ir::verify::verify(&program) {
        panic!("{errors:?}\n{}", syncline_ir::write::program(&program));
    }
    program
}

#[derive(Default)]
struct Output(String);

impl Observer for Output {
    fn watches(&self) -> bool {
        false
    }
    fn print(&mut self, text: &str) {
        self.0.push_str(text);
    }
}

/// The same text under gcc and under the interpreter prints the same.
pub fn agree(text: &str, model: DataModel) {
    let program = lower_text(text, model, &LowerOptions::default());
    let reasons: Vec<_> = program.obligations.values().collect();
    assert!(reasons.is_empty(), "{reasons:?}");
    let mut output = Output::default();
    let outcome = interp::run(&program, &mut ZeroInputs, &mut output, Limits::default());
    assert!(matches!(outcome, Outcome::Returned(_) | Outcome::Stopped), "{model:?}: {outcome:?}\n{}", output.0);
    assert_eq!(output.0, gcc(text, model), "{model:?}");
}

pub fn outcome(program: &Program) -> Outcome {
    interp::run(program, &mut ZeroInputs, &mut NoObserver, Limits { fuel: 1_000_000, ..Limits::default() })
}

/// What the program prints when gcc compiles it.
fn gcc(text: &str, model: DataModel) -> String {
    let unique = format!("{}-{:?}", std::process::id(), std::thread::current().id());
    let path = std::env::temp_dir().join(format!("syncline-lower-{unique}-{model:?}"));
    let flags: &[&str] = match model {
        DataModel::Ilp32 => &["-m32", "-msse2", "-mfpmath=sse"],
        DataModel::Lp64 => &["-m64"],
    };
    let mut child = Command::new("gcc")
        .args(["-std=gnu11", "-O0", "-fwrapv", "-fgnu89-inline", "-w", "-x", "c", "-", "-o"])
        .arg(&path)
        .args(flags)
        .stdin(Stdio::piped())
        .spawn()
        .expect("gcc");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("gcc reads");
    assert!(child.wait().expect("gcc").success(), "gcc does not take\n{text}");
    let output = Command::new(&path).output().expect("the program runs");
    std::fs::remove_file(&path).expect("the program is there");
    String::from_utf8(output.stdout).expect("text")
}
