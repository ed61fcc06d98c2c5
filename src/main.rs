//! The command line. Everything that knows of terminals, exit codes and report files is in this crate.

/// A line on standard output. Who has closed it does not want it: no reason to fail.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

mod answer;
mod args;
mod certificate;
mod chart;
mod check;
mod crew;
mod draw;
mod interrupt;
mod job;
mod load;
mod outbox;
mod outside;
mod process;
mod program;
mod project;
mod reactive;
mod report;
mod run;
mod sim;
mod table;
mod testcase;
mod trace;
mod vacuity;
mod watch;
mod witness;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

/// Syntax trees and terms are many small objects: this allocator takes a fifth off the front end.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Exit status of the tool; `check` has the verdicts' own.
pub const USAGE: u8 = 1;
pub const BAD_INPUT: u8 = 2;
pub const INTERNAL: u8 = 6;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { USAGE } else { 0 });
        }
    };
    interrupt::install();
    let status = match cli.command {
        Command::Check(args) => check::main(*args),
        Command::Ir(args) => program::main(args),
        Command::Run(args) => run::main(args),
        Command::Sim(args) => sim::main(args),
        Command::Draw(args) => draw::main(args),
        Command::Init(args) => project::init::main(args),
        Command::Header => {
            say!("{}", syncline_frontend::standin::HEADER.trim_end());
            0
        }
    };
    ExitCode::from(status)
}
