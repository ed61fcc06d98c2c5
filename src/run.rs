//! `syncline run`: interprets a program.

use crate::args::RunArgs;
use crate::load::{self, Wanted};
use crate::BAD_INPUT;
use std::collections::VecDeque;
use std::io::Write;
use std::time::{Duration, Instant};
use syncline_ir::interp::{self, Limits, Observer, Outcome, Sequence};

/// Passes on what the program prints.
struct Printer(std::io::BufWriter<std::io::Stdout>);

impl Observer for Printer {
    fn watches(&self) -> bool {
        false
    }

    fn print(&mut self, text: &str) {
        let _ = self.0.write_all(text.as_bytes());
    }
}

/// 0 when the run ended, 10 when it violated a property, 5 when it could not be followed to its end.
pub fn main(args: RunArgs) -> u8 {
    let program = match load::program(&args.input, &Wanted { prints: true, ..Wanted::default() }) {
        Ok(program) => program,
        Err(errors) => {
            load::print_errors(&errors);
            return BAD_INPUT;
        }
    };
    let inputs = match args.inputs.as_deref().map(read_inputs).transpose() {
        Ok(inputs) => inputs.unwrap_or_default(),
        Err(message) => {
            eprintln!("error: {message}");
            return BAD_INPUT;
        }
    };
    let mut printer = Printer(std::io::BufWriter::new(std::io::stdout()));
    let deadline = Instant::now().checked_add(Duration::try_from_secs_f64(args.time).unwrap_or(Duration::MAX));
    let limits = Limits { deadline, ..Limits::default() };
    let outcome = interp::run(&program, &mut Sequence(inputs), &mut printer, limits);
    let _ = printer.0.flush();
    let place = |origin| program.describe_origin(origin);
    let (status, words) = match outcome {
        Outcome::Returned(values) => {
            let values: Vec<String> = values.iter().map(crate::trace::show).collect();
            (0, format!("returned {}", values.join(", ")))
        }
        Outcome::Stopped => (0, "ended".to_string()),
        Outcome::AssumeFailed(origin) => (0, format!("ended: the assumption at {} does not hold", place(origin))),
        Outcome::Violated(prop) => {
            let prop = &program.props[prop];
            (10, format!("violated {} at {}: {}", prop.name, place(prop.origin), prop.description))
        }
        Outcome::Unsupported(o) => {
            let o = &program.obligations[o];
            (5, format!("stopped at {}: unsupported: {}", place(o.origin), o.reason))
        }
        Outcome::OutOfFuel => (5, "stopped: out of time".to_string()),
        Outcome::StackOverflow => (5, "stopped: the calls nest too deeply".to_string()),
        Outcome::NotRunnable(reason) => (5, format!("stopped: {reason}")),
    };
    eprintln!("{words}");
    status
}

fn read_inputs(path: &std::path::Path) -> Result<VecDeque<u128>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut values = VecDeque::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        for word in line.split_whitespace() {
            let value = parse_number(word).ok_or_else(|| {
                format!("{}:{}: {word} is not a number; write one number for each input", path.display(), n + 1)
            })?;
            values.push_back(value);
        }
    }
    Ok(values)
}

fn parse_number(word: &str) -> Option<u128> {
    if let Some(hex) = word.strip_prefix("0x") {
        return u128::from_str_radix(hex, 16).ok();
    }
    match word.strip_prefix('-') {
        Some(digits) => Some(digits.parse::<u128>().ok()?.wrapping_neg()),
        None => word.parse().ok(),
    }
}
