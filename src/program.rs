//! `syncline ir`: shows what a program has become.

use crate::args::IrArgs;
use crate::load::{self, Wanted};
use crate::{BAD_INPUT, USAGE};
use std::io::Write;
use syncline_ir::{passes, write};

pub fn main(args: IrArgs) -> u8 {
    let mut program = match load::program(&args.input, &Wanted::default()) {
        Ok(program) => program,
        Err(errors) => {
            load::print_errors(&errors);
            return BAD_INPUT;
        }
    };
    if args.stage != "lowered" {
        for pass in args.stage.split(',') {
            if let Err(message) = passes::run_by_name(&mut program, pass) {
                eprintln!("error: {message}");
                return USAGE;
            }
        }
    }
    if args.quiet {
        let blocks: usize = program.procs.values().map(|p| p.layout.len()).sum();
        let insts: usize =
            program.procs.values().map(|p| p.layout.iter().map(|&b| p.blocks[b].insts.len()).sum::<usize>()).sum();
        say!(
            "{} procedures, {blocks} blocks, {insts} instructions, {} properties, {} unsupported",
            program.procs.len(),
            program.props.len(),
            program.obligations.len()
        );
        for obligation in program.obligations.values() {
            say!("{}: unsupported: {}", program.describe_origin(obligation.origin), obligation.reason);
        }
    } else {
        // A closed pipe is not an error worth a word.
        let _ = std::io::stdout().write_all(write::program(&program).as_bytes());
    }
    0
}
