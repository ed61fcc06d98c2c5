//! What can be said on the command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::sync::Arc;
use syncline_engines::task::EAGER;
use syncline_frontend::reactive::{Input, Number, Said, Spec};
use syncline_frontend::Place;

#[derive(Parser)]
#[command(
    name = "syncline",
    version,
    args_override_self = true,
    about = "Verdicts with evidence for C programs",
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Decide every property of the program. Exit status: 0 all SAFE, 10 some UNSAFE, 5 some UNKNOWN, 1 usage, 2 bad
    /// input, 6 internal error
    Check(Box<CheckArgs>),
    /// Print the program's intermediate representation
    Ir(IrArgs),
    /// Interpret the program
    Run(RunArgs),
    /// Run a statechart on given inputs, step by step. Exit status: 0, 10 if a step has a fault or violates a
    /// requirement, 1 usage, 2 bad input
    Sim(SimArgs),
    /// Draw a statechart, as SVG. Exit status: 0, 1 usage, 2 bad input or no Graphviz
    Draw(DrawArgs),
    /// Look at C files and write syncline.toml with the models that are found
    Init(InitArgs),
    /// Print syncline.h, the header of synchronous C
    Header,
}

/// What to read, and as what.
#[derive(Args, Clone, Debug)]
pub struct InputArgs {
    /// C files (.c, .i); several are linked. Or a chart (.xml). `check` also takes a project file (.toml); without a
    /// FILE it takes syncline.toml
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// ILP32, as gcc -m32
    #[arg(long = "32", conflicts_with = "lp64")]
    pub ilp32: bool,
    /// LP64, as gcc -m64 (default)
    #[arg(long = "64")]
    pub lp64: bool,
    /// The function a run starts in
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,
    /// The function that is called for ever, if there is no `main` (default: found by its name)
    #[arg(long, value_name = "NAME")]
    pub step: Option<String>,
    /// The function that is called before the first step (default: found by its name)
    #[arg(long, value_name = "NAME")]
    pub init: Option<String>,
    /// What gets any value before every step, of a range if one is given, beside what is found
    #[arg(long, value_name = "NAME[=LO..HI]")]
    pub input: Vec<InputRange>,
    /// Directory for #include, as gcc's
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<String>,
    /// Macro definition, as gcc's
    #[arg(short = 'D', value_name = "MACRO[=VALUE]")]
    pub define: Vec<String>,
    /// A header that is taken as empty if it is not found (rtwtypes.h, kcg_assign.h: as usual)
    #[arg(long, value_name = "HEADER")]
    pub stand_in: Vec<String>,
    /// A call of a function that is only declared is not modelled (default: it returns any value)
    #[arg(long)]
    pub strict_calls: bool,
    /// `malloc` may return null (default: it never does)
    #[arg(long)]
    pub malloc_may_fail: bool,
    /// Look for these faults too; of a chart: for these only (default: all that charts have)
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub check: Vec<CheckKind>,
    /// Of a chart: the names of elements and attributes in the file
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// Of a chart: more requirements
    #[arg(long, value_name = "FILE")]
    pub requirements: Vec<PathBuf>,
    /// What a project file says about the program.
    #[arg(skip)]
    pub spec: Option<Arc<Spec>>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckKind {
    Overflow,
    Shift,
    Div,
    Bounds,
    Pointer,
    /// Of a synchronous system: processes that write different values in one step
    Race,
    /// Of a synchronous system: choices with two enabled transitions
    Nondeterminism,
    /// Of a synchronous system in asynchronous time: runs without a stable state
    Stability,
    /// Of a chart: transitions that are enabled together
    Conflict,
    /// Of a chart: states that are never entered
    Unreachable,
    /// Of a chart: transitions that never fire
    Dead,
    /// Of a chart: values, indices and divisors out of their range
    Range,
    /// Of a chart: conditions that are always true or always false
    Constant,
    /// Of a chart: its requirements
    Requirement,
    /// The faults of sequential C; all of a chart
    All,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// Those that fit the program, side by side
    Auto,
    /// Bounded model checking, unwinding lazily
    Bmc,
    /// k-induction at the loop headers, with invariants
    Kinduction,
    /// Property-directed reachability at the loop headers
    Pdr,
    /// The same with one set of frames for all properties
    Together,
    /// Explicit search of the states at the loop headers
    Explicit,
    /// Lazy abstraction with interpolants at the loop headers
    Lawi,
    /// Procedures and loops opened as the question asks for it
    Inline,
}

/// Which calls share a body that is opened.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum InlineStrategy {
    /// None
    Tree,
    /// The oldest that no run comes to twice
    First,
    /// The one with the most below it
    Maxc,
    /// Any
    Randompick,
    /// As in the graph with the fewest bodies, found before
    Opt,
}

/// How variables to track are picked.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum InlineRefine {
    /// All are tracked
    None,
    /// By halves, the path's condition made anew for each check
    Hierarchical,
    /// By halves, with one condition that has a Boolean for each variable
    Vc,
    /// One by one
    Linear,
}

/// What an edge of lazy abstraction's tree is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum LawiEdges {
    /// Everything between two loop headers
    Blocks,
    /// The turn of one process of a synchronous system
    Turns,
    /// One basic block
    Statements,
}

/// A solver by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverName {
    Mixed,
    Cadical,
    Z3,
    /// A command line.
    External(String),
}

impl std::str::FromStr for SolverName {
    type Err = String;

    fn from_str(text: &str) -> Result<SolverName, String> {
        match text {
            "mixed" => Ok(SolverName::Mixed),
            "cadical" => Ok(SolverName::Cadical),
            "z3" => Ok(SolverName::Z3),
            _ => match text.strip_prefix("external:").map(str::trim) {
                Some("") => Err("external: needs a command".into()),
                Some(command) => Ok(SolverName::External(command.to_string())),
                None => Err("not one of mixed, cadical, z3, external:CMD".into()),
            },
        }
    }
}

/// Reports beside the text, any number at once. One of them may be `-`, standard output: then there is no text.
#[derive(Args, Clone, Debug, Default)]
pub struct ReportArgs {
    /// Write the results as JSON; - is standard output, as for all reports
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write them as SARIF 2.1.0, for editors and code hosts
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write them as JUnit XML, for build servers: a test case a property
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write an SV-COMP witness (YAML, format 2.0): of the first violation, or of the proof if all holds
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Write them as one self-contained page: verdicts, runs as tables and signals, a chart's picture
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

impl ReportArgs {
    /// Whether one is wanted.
    pub fn any(&self) -> bool {
        let ReportArgs { json, sarif, junit, witness, html } = self;
        [json, sarif, junit, witness, html].iter().any(|file| file.is_some())
    }
}

/// An input and the numbers it is between.
#[derive(Clone, Debug, PartialEq)]
pub struct InputRange(Input);

impl std::str::FromStr for InputRange {
    type Err = String;

    fn from_str(text: &str) -> Result<InputRange, String> {
        let (name, range) = match text.split_once('=') {
            Some((name, range)) => (name.trim(), Some(self::range(range)?)),
            None => (text.trim(), None),
        };
        let name = Said { text: name.to_string(), place: Place::file("--input") };
        Ok(InputRange(Input { name, range }))
    }
}

/// `LO..HI`.
pub fn range(text: &str) -> Result<(Number, Number), String> {
    let number = |text: &str| -> Option<Number> {
        let text = text.trim();
        let hex = text.strip_prefix("0x").and_then(|digits| i128::from_str_radix(digits, 16).ok());
        let whole = hex.or_else(|| text.parse().ok()).map(Number::Int);
        whole.or_else(|| text.parse().ok().filter(|x: &f64| x.is_finite()).map(Number::Float))
    };
    let ends = text.split_once("..").and_then(|(lo, hi)| Some((number(lo)?, number(hi)?)));
    ends.ok_or_else(|| format!("`{text}` is not a range such as 0..250 or -1.5..1.5"))
}

impl InputArgs {
    /// What is said about a program that is called step by step.
    pub fn reactive(&self) -> Spec {
        let said =
            |name: &Option<String>, option: &str| name.clone().map(|text| Said { text, place: Place::file(option) });
        let mut spec = self.spec.as_deref().cloned().unwrap_or_default();
        spec.init = said(&self.init, "--init").or(spec.init);
        spec.step = said(&self.step, "--step").or(spec.step);
        spec.inputs.extend(self.input.iter().map(|i| i.0.clone()));
        spec
    }
}

#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Decide only this property (may be given more than once)
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,
    /// The property of an SV-COMP property file
    #[arg(long, value_name = "F.prp")]
    pub propertyfile: Option<PathBuf>,
    /// What decides the properties
    #[arg(long, value_enum)]
    pub engine: Option<EngineName>,
    /// With --engine kinduction: the induction step looks only at runs that repeat no state
    #[arg(long)]
    pub simple_path: bool,
    /// With --engine lawi: what one edge of the tree is
    #[arg(long, value_enum, default_value = "blocks")]
    pub lawi_edges: LawiEdges,
    /// With --engine lawi: nodes are split by the values of location variables
    #[arg(long)]
    pub lawi_vectors: bool,
    /// With --engine lawi: no facts beside what houdini finds; the tree finds all lemmas
    #[arg(long, hide = true)]
    pub lawi_bare: bool,
    /// With --engine inline: which calls share a body that is opened
    #[arg(long, value_enum, default_value = "first")]
    pub inline_strategy: InlineStrategy,
    /// With --engine inline: how variables to track are picked
    #[arg(long, value_enum, default_value = "none")]
    pub inline_refine: InlineRefine,
    /// With --engine inline: no contracts of procedures and loops
    #[arg(long, hide = true)]
    pub inline_bare: bool,
    /// The solver: mixed (CaDiCaL, Z3 for floats), cadical, z3, or external:CMD for a command that reads SMT-LIB, such
    /// as "external:cvc5 --incremental --lang smt2"
    #[arg(long, value_name = "NAME", default_value = "mixed")]
    pub solver: SolverName,
    /// Make every iteration of a loop by itself
    #[arg(long)]
    pub no_accelerate: bool,
    /// Prove without facts found beforehand
    #[arg(long)]
    pub no_invariants: bool,
    /// Find violations without runs on guessed inputs
    #[arg(long)]
    pub no_guesses: bool,
    /// Instructions of a program, all its calls in place, up to which kinduction, pdr and lawi put them there at once; beyond, calls
    /// are opened where a proof asks for it
    #[arg(long, value_name = "N", default_value_t = EAGER)]
    pub eager: u64,
    /// Do not look whether any run comes to the properties that hold
    #[arg(long)]
    pub no_vacuity: bool,
    /// Unwind loops and recursion no further than N; UNKNOWN if that was the reason
    #[arg(long, value_name = "N")]
    pub unwind: Option<u32>,
    /// Seconds for one property; of a chart: for one kind of check (default: 60)
    #[arg(long, value_name = "SECONDS")]
    pub time: Option<f64>,
    /// Memory for the run, in MiB, all its processes together (default: 4096)
    #[arg(long, value_name = "MIB")]
    pub memory: Option<u64>,
    #[command(flatten)]
    pub reports: ReportArgs,
    /// Write the counterexample of the first violated property as a C program that aborts there
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// Write the queries that show each SAFE verdict to this directory, as SMT-LIB 2 files; its README says which answer
    /// each must give
    #[arg(long, value_name = "DIR")]
    pub certificate: Option<PathBuf>,
    /// Of a chart: write the inputs of the first fault's run as comma-separated values, for `syncline sim --inputs`
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Of a synchronous system: turns in any order, the last writer wins. To compare with; it is not the system's meaning
    #[arg(long, hide = true)]
    pub interleaving: bool,
    /// Print which engines ran, why, and what they did
    #[arg(long)]
    pub stats: bool,
    /// Of a project: only this model (may be given more than once)
    #[arg(long, value_name = "NAME")]
    pub model: Vec<String>,
    /// Keep verdicts in this directory, and take them from there as long as nothing they depend on has changed
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// For make: write this file when every property is SAFE, and in any case FILE.d with what the verdicts depend on
    #[arg(long, value_name = "FILE")]
    pub stamp: Option<PathBuf>,
}

impl CheckArgs {
    pub fn time(&self) -> f64 {
        self.time.unwrap_or(60.0)
    }

    /// In bytes.
    pub fn memory(&self) -> u64 {
        self.memory.unwrap_or(4096).saturating_mul(1 << 20)
    }

    /// Whether a run leaves more behind than what it prints.
    pub fn writes_files(&self) -> bool {
        self.reports.any() || self.test.is_some() || self.certificate.is_some() || self.csv.is_some()
    }
}

#[derive(Args)]
pub struct InitArgs {
    /// C files, or directories with them (default: this directory)
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Write syncline.mk too, for make: a target for each model, and `verify` for all
    #[arg(long)]
    pub make: bool,
    /// Replace a syncline.toml that is there
    #[arg(long)]
    pub force: bool,
    /// ILP32, as gcc -m32
    #[arg(long = "32")]
    pub ilp32: bool,
    /// Directory for #include, as gcc's
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<String>,
    /// Macro definition, as gcc's
    #[arg(short = 'D', value_name = "MACRO[=VALUE]")]
    pub define: Vec<String>,
}

#[derive(Args)]
pub struct IrArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// As the front end made it, or after these passes
    #[arg(long, value_name = "PASS", default_value = "lowered")]
    pub stage: String,
    /// Print sizes and what is not modelled only
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// The unknown values, one number each, in the order they are asked for; then zeros
    #[arg(long, value_name = "FILE")]
    pub inputs: Option<PathBuf>,
    /// Seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub time: f64,
}

#[derive(Args)]
pub struct SimArgs {
    /// The chart (.xml)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Inputs as comma-separated values: a header with their names (`time` for the time that passes), then a row for each
    /// step, in asynchronous time for each superstep
    #[arg(long, value_name = "F.csv")]
    pub inputs: Option<PathBuf>,
    /// Without --inputs: how often the environment comes and brings nothing
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub steps: usize,
    /// Where the chart leaves a choice, choose by chance (default: the first)
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Names of elements and attributes that the file uses in place of syncline's own
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// Print the steps as comma-separated values
    #[arg(long)]
    pub csv: bool,
}

#[derive(Args)]
pub struct DrawArgs {
    /// The chart (.xml)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The picture; a name that ends in .dot gets Graphviz's input instead, - is standard output
    #[arg(short = 'o', long, value_name = "F.svg")]
    pub output: PathBuf,
    /// Mark what a counterexample visits: a report of `check --json`
    #[arg(long, value_name = "REPORT.json")]
    pub trace: Option<PathBuf>,
    /// With --trace: the property whose run it is (default: the first that has one)
    #[arg(long, value_name = "NAME", requires = "trace")]
    pub property: Option<String>,
    /// Names of elements and attributes that the file uses in place of syncline's own
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
}
