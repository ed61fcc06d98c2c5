//! What the generated programs use: a counter for each cell of each table (operator by operand kinds, conversion pairs,
//! statement kinds, ...). A cell that stays at zero is something the suite claims to test and does not.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::kinds::{Kind, ALL, INTS};

/// Binary operators that take any arithmetic operands.
pub const ANY_OPS: [&str; 13] = ["+", "-", "*", "/", "<", ">", "<=", ">=", "==", "!=", "&&", "||", ","];
/// Binary operators that take integers only.
pub const INT_OPS: [&str; 6] = ["%", "&", "|", "^", "<<", ">>"];
/// The places where a value is converted to another type.
pub const CONVERSIONS: [&str; 5] = ["cast", "assign", "init", "argument", "return"];
/// Unary operators, with their position.
pub const UNARY: [&str; 8] = ["+x", "-x", "~x", "!x", "++x", "--x", "x++", "x--"];
/// Everything that is counted by name alone.
pub const FORMS: &[(&str, &[&str])] = &[
    (
        "statement",
        &[
            "assign",
            "compound",
            "incdec",
            "expression",
            "if",
            "if-else",
            "else-if",
            "for-up",
            "for-down",
            "for-wrap",
            "for-ever",
            "while",
            "do",
            "break",
            "continue",
            "switch",
            "switch-nested",
            "switch-fall",
            "switch-range",
            "switch-default-middle",
            "switch-continue",
            "duff",
            "goto-forward",
            "goto-backward",
            "goto-into-loop",
            "goto-into-branch",
            "goto-irreducible",
            "goto-out",
            "block",
            "shadow",
            "empty",
            "return",
            "return-early",
            "call",
        ],
    ),
    (
        "expression",
        &[
            "?:",
            "a ?: b",
            "sizeof type",
            "sizeof expression",
            "sizeof array",
            "statement expression",
            "call",
            "chained assignment",
            "assignment value",
            "compound value",
            "incdec value",
            "enum constant",
            "index",
            "index 2-D",
            "index 3-D",
        ],
    ),
    (
        "constant",
        &["dec", "hex", "octal", "binary", "char", "escape", "u", "l", "ul", "ll", "ull", "large", "float", "double"],
    ),
    (
        "declaration",
        &[
            "global",
            "tentative",
            "extern",
            "static global",
            "const",
            "local",
            "static local",
            "typedef",
            "array",
            "array 2-D",
            "array 3-D",
            "array partial",
            "array designated",
            "array range",
            "array unsized",
            "array flat",
            "string",
            "string unsized",
            "local array",
            "static array",
            "prototype",
            "K&R",
            "recursive",
            "mutually recursive",
            "void function",
            "many parameters",
            "inline",
            "include",
        ],
    ),
    ("truth of", &["if", "!", "?:", "&&", "||", "_Bool", "while", "== 0"]),
    ("format", &["%d", "%u", "%x", "%ld", "%lu", "%lx", "%lld", "%llu", "%llx", "%c"]),
    (
        "switch on",
        &[
            "bool", "char", "schar", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "llong", "ullong",
            "enumu", "enums",
        ],
    ),
];

/// Counters by table and cell.
#[derive(Default, Clone)]
pub struct Coverage(BTreeMap<(&'static str, String), u64>);

/// The cell's name of a binary operator on two kinds.
pub fn pair(op: &str, left: Kind, right: Kind) -> String {
    format!("{op} {},{}", left.label(), right.label())
}

/// Every binary operator with every pair of kinds it accepts.
pub fn binary_cells(floats: bool, ops: &[&'static str]) -> Vec<(&'static str, Kind, Kind)> {
    let mut cells = Vec::new();
    for &op in ops {
        let kinds: &[Kind] = if floats && !INT_OPS.contains(&op) { &ALL } else { &INTS };
        for &left in kinds {
            cells.extend(kinds.iter().map(|&right| (op, left, right)));
        }
    }
    cells
}

/// The kinds in use.
pub fn kinds(floats: bool) -> &'static [Kind] {
    if floats {
        &ALL
    } else {
        &INTS
    }
}

/// The operators that have a compound assignment.
pub fn compound_ops() -> Vec<&'static str> {
    ANY_OPS[..4].iter().chain(&INT_OPS).copied().collect()
}

impl Coverage {
    pub fn hit(&mut self, table: &'static str, cell: impl Into<String>) {
        *self.0.entry((table, cell.into())).or_default() += 1;
    }

    pub fn merge(&mut self, other: &Coverage) {
        for (key, count) in &other.0 {
            *self.0.entry(key.clone()).or_default() += count;
        }
    }

    fn count(&self, table: &'static str, cell: &str) -> u64 {
        self.0.get(&(table, cell.to_string())).copied().unwrap_or(0)
    }

    /// Every cell the suite promises to use.
    fn promised(floats: bool) -> Vec<(&'static str, String)> {
        let mut cells = Vec::new();
        let all_ops: Vec<_> = ANY_OPS.iter().chain(&INT_OPS).copied().collect();
        cells.extend(binary_cells(floats, &all_ops).into_iter().map(|(op, l, r)| ("binary", pair(op, l, r))));
        cells.extend(binary_cells(floats, &compound_ops()).into_iter().map(|(op, l, r)| ("compound", pair(op, l, r))));
        for op in UNARY {
            let accepted = kinds(floats && op != "~x");
            cells.extend(accepted.iter().map(|kind| ("unary", format!("{op} {}", kind.label()))));
        }
        for place in CONVERSIONS {
            cells.extend(binary_cells(floats, &["?"]).into_iter().map(|(_, l, r)| (place, pair("to", l, r))));
        }
        for &(table, names) in FORMS {
            let float_form = |name: &str| table == "constant" && matches!(name, "float" | "double");
            cells.extend(names.iter().filter(|n| floats || !float_form(n)).map(|name| (table, name.to_string())));
        }
        cells
    }

    /// The cells of a list that no program used.
    pub fn unused(&self, cells: &[(&'static str, String)]) -> Vec<String> {
        let zero = cells.iter().filter(|(table, cell)| self.count(table, cell) == 0);
        zero.map(|(table, cell)| format!("{table}: {cell}")).collect()
    }

    /// The counters of a list of cells as text, a line for each table.
    pub fn listed(&self, cells: &[(&'static str, String)]) -> String {
        let mut text = String::new();
        let mut last = "";
        for (table, cell) in cells {
            if *table != last {
                let _ = write!(text, "\n{table}:");
                last = table;
            }
            let _ = write!(text, "  {cell} {}", self.count(table, cell));
        }
        let _ = writeln!(text, "\n\n{} cells, {} at zero", cells.len(), self.unused(cells).len());
        text
    }

    /// The promised cells that no program used.
    pub fn zeros(&self, floats: bool) -> Vec<String> {
        self.unused(&Self::promised(floats))
    }

    /// The counters as text: matrices for the operators, lists for the rest.
    pub fn report(&self, floats: bool) -> String {
        let mut text = String::new();
        let all_ops: Vec<_> = ANY_OPS.iter().chain(&INT_OPS).copied().collect();
        self.matrix(&mut text, "binary operators by left operand", "binary", &all_ops, floats, true);
        self.matrix(&mut text, "binary operators by right operand", "binary", &all_ops, floats, false);
        self.matrix(&mut text, "compound assignments by target", "compound", &compound_ops(), floats, true);
        self.matrix(&mut text, "compound assignments by operand", "compound", &compound_ops(), floats, false);
        heading(&mut text, "unary operators", floats);
        for op in UNARY {
            self.row(&mut text, op, floats, |cov, kind| cov.count("unary", &format!("{op} {}", kind.label())));
        }
        for place in CONVERSIONS {
            heading(&mut text, &format!("conversion by {place}, row to column"), floats);
            for &from in kinds(floats) {
                self.row(&mut text, from.label(), floats, |cov, to| cov.count(place, &pair("to", from, to)));
            }
        }
        for &(table, names) in FORMS {
            let _ = write!(text, "\n{table}:");
            for name in names {
                let _ = write!(text, "  {name} {}", self.count(table, name));
            }
            text.push('\n');
        }
        let promised = Self::promised(floats);
        let _ = writeln!(text, "\n{} cells, {} at zero", promised.len(), self.unused(&promised).len());
        text
    }

    fn matrix(&self, text: &mut String, title: &str, table: &'static str, ops: &[&str], floats: bool, left: bool) {
        heading(text, title, floats);
        for op in ops {
            self.row(text, op, floats, |cov, kind| {
                let cell = |other| if left { pair(op, kind, other) } else { pair(op, other, kind) };
                kinds(floats).iter().map(|&other| cov.count(table, &cell(other))).sum()
            });
        }
    }

    fn row(&self, text: &mut String, name: &str, floats: bool, count: impl Fn(&Self, Kind) -> u64) {
        let _ = write!(text, "{name:>8}");
        for &kind in kinds(floats) {
            let _ = write!(text, "{:>7}", count(self, kind));
        }
        text.push('\n');
    }
}

fn heading(text: &mut String, title: &str, floats: bool) {
    let _ = write!(text, "\n{title}\n{:>8}", "");
    for kind in kinds(floats) {
        let _ = write!(text, "{:>7}", kind.label());
    }
    text.push('\n');
}
