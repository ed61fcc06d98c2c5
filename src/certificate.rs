//! `--certificate DIR`: the queries behind SAFE verdicts as files, and a README that says what they are.
//!
//! A file is named by its property and its purpose. Whatever reads SMT-LIB 2 can be asked again.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use syncline_engines::evidence::Answered;

const HEAD: &str = "\
Queries in SMT-LIB 2 about the program as it was lowered, before any transformation. The answer to each of them must be
`unsat`; then the properties below hold of every run of the program. Ask with `z3 FILE` or `cvc5 FILE`.

A certificate is of one of two kinds. `unwinding`: one query says that no run within bounds on its loops violates the
property or goes beyond the bounds. Otherwise formulas hold at loop headers: `entry` and `from` say that they hold at the
first header and are kept from one to the next, `base` and `step` (if they are there) that no run violates the property
before some number of headers, and none does after so many without. If there are `alike` queries, a `step` is about runs
that come to no header twice with the same values of some cells of the state; `alike` says that runs from a header with
equal cells do the same on the same inputs, so that a shortest run that violates the property is of this kind. A `case` is one disjunct of the formulas at the
header a query starts from. What constants decide is not asked.
";

/// The directory of a certificate, and what its README says so far.
pub struct Directory {
    path: PathBuf,
    readme: String,
}

impl Directory {
    pub fn new(path: PathBuf) -> Directory {
        Directory { path, readme: HEAD.to_string() }
    }

    /// Adds what shows that a property holds.
    pub fn add(&mut self, property: &str, queries: &[Answered]) -> Result<(), String> {
        std::fs::create_dir_all(&self.path).map_err(|e| format!("{}: {e}", self.path.display()))?;
        let _ = writeln!(self.readme, "\nProperty {property}");
        if queries.is_empty() {
            let _ = writeln!(self.readme, "    Nothing is left to ask: constants decide that no run violates it.");
        }
        let stem: String =
            property.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect();
        for query in queries {
            let name = format!("{stem}.{}.smt2", query.purpose);
            write(&self.path.join(&name), &query.text)?;
            let _ = writeln!(self.readme, "    {name}: unsat\n        {}.", query.meaning);
        }
        write(&self.path.join("README"), &self.readme)
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
