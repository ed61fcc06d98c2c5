//! Facts: what each domain finds on small programs, and that no run of a random program violates one.
//!
//! `SYNCLINE_FACT_PROGRAMS` is the number of random programs (default 300). `SYNCLINE_FACT_FILES` names files of the
//! text form for the ignored test, which prints what is found and how long it takes.

#[path = "invariants_gen/mod.rs"]
mod invariants_gen;
#[path = "../../ir/tests/passes/generator.rs"]
mod passes_generator;

use invariants_gen::Rng;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use syncline_engines::annotation::{Cell, Facts, Formula, FormulaNode};
use syncline_engines::invariants::facts;
use syncline_ir::inline::{inline, Inlined};
use syncline_ir::interp::{Inputs, Limits, NoObserver, Outcome, Prepared};
use syncline_ir::*;

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

fn inlined(text: &str) -> Inlined {
    let program = read::program(text).unwrap_or_else(|e| panic!("{e:?}"));
    inline(&program, 1_000_000).unwrap_or_else(|e| panic!("{e:?}"))
}

/// A formula as text, with the names of variables.
fn show(inlined: &Inlined, formula: &Formula<Cell>) -> String {
    let mut text: Vec<String> = Vec::new();
    for node in &formula.nodes {
        text.push(match node {
            FormulaNode::Const(Const::Bv { bits, .. }) => bits.to_string(),
            FormulaNode::Const(c) => c.to_string(),
            FormulaNode::State(Cell::Global(var)) => inlined.program.vars[*var].name.clone(),
            FormulaNode::State(Cell::Local(slot)) => inlined.body().slots[*slot].name.clone(),
            FormulaNode::State(Cell::Value(value)) => value.to_string(),
            FormulaNode::Un(UnOp::Extract { hi, .. }, a) => format!("(low.{} {})", hi + 1, text[*a as usize]),
            FormulaNode::Un(op, a) => format!("({} {})", op.name(), text[*a as usize]),
            FormulaNode::Bin(op, a, b) => format!("({} {} {})", op.name(), text[*a as usize], text[*b as usize]),
            FormulaNode::Ite(c, a, b) => {
                format!("(ite {} {} {})", text[*c as usize], text[*a as usize], text[*b as usize])
            }
        });
    }
    text.pop().unwrap_or_default()
}

/// All facts of all headers, sorted.
fn found(text: &str) -> Vec<String> {
    let inlined = inlined(text);
    let facts = facts(&inlined, soon());
    let mut all: Vec<String> = facts.values().flatten().map(|f| show(&inlined, f)).collect();
    all.sort();
    all
}

#[track_caller]
fn expect(text: &str, wanted: &[&str]) {
    let found = found(text);
    for fact in wanted {
        assert!(found.iter().any(|f| f == fact), "{fact} is not among {found:#?}");
    }
}

/// A loop over 32-bit locals x, y, z around these lines, which start at v20; `before` may use v10 to v19.
fn around(before: &str, header: &str, rest: &str) -> String {
    format!(
        r#"
in0 = site "in": bv32
in1 = site "flag": bool
var @g: bv32 = any in0
var @a: [bv8]bv32 = [bv8]bv32 {{0; 2: 7}}
entry main
proc main {{
    slot0 = slot "x": bv32
    slot1 = slot "y": bv32
    slot2 = slot "z": bv32
    slot3 = slot "f": f64
block0:
    v0 = const bv32 0
    v1 = const bv32 1
    v2 = const bv32 2
    v3 = const bv32 3
    v4 = const bv32 10
    v5 = const bv32 100
    {before}
    jump block1
block1:
    {header}
    branch v20, block2, block3
block2:
    {rest}
block3:
    v90: bv32 = read slot0
    v91: bv32 = read slot1
    v92: bv32 = read slot2
    v93: f64 = read slot3
    v94: bv32 = read @g
    print "%d", v90, v91, v92, v93, v94
    return
}}
"#
    )
}

#[test]
fn constants_and_floats() {
    let before = "write slot0, v4\nv10 = const f64 0x3ff0000000000000\nwrite slot3, v10";
    let text = around(before, "v20: bool = havoc in1", "write slot0, v4\njump block1");
    expect(&text, &["(eq x 10)", "(eq y 0)", "(eq f f64 0x3ff0000000000000)"]);
}

#[test]
fn small_sets_of_states() {
    let header = "v20: bool = havoc in1\nv21: bv32 = read slot0";
    let rest = "switch v21 { 0: block4, 3: block5, default: block6 }\nblock4:\nwrite slot0, v3\njump block1\nblock5:
        write slot0, v5\njump block1\nblock6:\nwrite slot0, v0\njump block1";
    expect(&around("", header, rest), &["(or (or (eq x 0) (eq x 3)) (eq x 100))"]);
}

#[test]
fn bounds_widened_to_constants_of_the_program() {
    let header = "v21: bv32 = read slot0\nv20: bool = slt v21, v5";
    let rest = "v22: bv32 = add v21, v1\nwrite slot0, v22\njump block1";
    expect(&around("", header, rest), &["(ule x 100)"]);
}

#[test]
fn signed_bounds() {
    let header = "v21: bv32 = read slot0\nv23 = const bv32 4294967196\nv20: bool = slt v23, v21";
    let rest = "v22: bv32 = sub v21, v1\nwrite slot0, v22\njump block1";
    expect(&around("write slot0, v4", header, rest), &["(sle 4294967196 x)", "(sle x 10)"]);
}

#[test]
fn strides() {
    // A power of two survives wrap-around, any other needs a bound.
    let rest = "v22: bv32 = read slot0\nv23: bv32 = add v22, v2\nwrite slot0, v23\njump block1";
    expect(&around("write slot0, v1", "v20: bool = havoc in1", rest), &["(eq (low.1 x) 1)"]);
    let header = "v21: bv32 = read slot0\nv20: bool = ult v21, v5";
    let rest = "v22: bv32 = add v21, v3\nwrite slot0, v22\njump block1";
    expect(&around("write slot0, v1", header, rest), &["(eq (urem x 3) 1)", "(ule 1 x)", "(ule x 100)"]);
    let unbounded = "v22: bv32 = read slot0\nv23: bv32 = add v22, v3\nwrite slot0, v23\njump block1";
    let found = found(&around("write slot0, v1", "v20: bool = havoc in1", unbounded));
    assert!(!found.iter().any(|f| f.contains(" x")), "{found:?}");
}

#[test]
fn equalities() {
    let rest = "v22: bv32 = havoc in0\nwrite slot0, v22\nwrite slot1, v22\njump block1";
    expect(&around("", "v20: bool = havoc in1", rest), &["(eq x y)"]);
    // A write to one ends it.
    let rest = "v22: bv32 = havoc in0\nwrite slot0, v22\nwrite slot1, v22\nv23: bv32 = add v22, v1\nwrite slot1, v23\njump block1";
    let found = found(&around("", "v20: bool = havoc in1", rest));
    assert!(!found.iter().any(|f| f == "(eq x y)"), "{found:?}");
}

#[test]
fn differences_of_what_is_compared() {
    let before = "v10: bv32 = read @g\nv11: bool = sle v0, v10\nassume v11";
    let header = "v21: bv32 = read slot0\nv22: bv32 = read @g\nv20: bool = slt v21, v22";
    let rest = "v23: bv32 = read slot0\nv24: bv32 = add v23, v1\nwrite slot0, v24\njump block1";
    expect(&around(before, header, rest), &["(sle x g)"]);
    // Compared as unsigned numbers, with a step that may wrap: nothing.
    let header = "v21: bv32 = read slot0\nv22: bv32 = read @g\nv20: bool = ule v21, v22";
    let found = found(&around("", header, rest));
    assert!(!found.iter().any(|f| f.contains("sle")), "{found:?}");
}

#[test]
fn conditions_as_c_has_them() {
    // `if (((x < 100) && y == 2 || y == 10) != 0)`, by way of numbers.
    let before = "v10: bv32 = havoc in0\nwrite slot1, v10";
    let header = "v21: bv32 = read slot1\nv22: bool = eq v21, v2\nv23: bool = eq v21, v4\nv24: bool = or v22, v23
        v25: bv32 = ite v24, v1, v0\nv26: bool = eq v25, v0\nv20: bool = not v26";
    let rest = "v30: bv32 = read slot1\nwrite slot2, v30\njump block1";
    expect(&around(before, header, rest), &["(or (or (eq z 0) (eq z 2)) (eq z 10))"]);
}

#[test]
fn cells_of_arrays() {
    let before = "v10 = const bv8 2\nv11 = const bv8 3\nstore @a[v11], v4";
    let header = "v20: bool = havoc in1\nv21: bv32 = load @a[v10]\nv22: bv32 = load @a[v11]\nwrite slot0, v21";
    let rest = "store @a[v11], v5\njump block1";
    let wanted = ["(eq (select a 2) 7)", "(or (eq (select a 3) 10) (eq (select a 3) 100))"];
    expect(&around(before, header, rest), &wanted);
    // A store at any index may be of any cell.
    let rest = "v30: bv32 = havoc in0\nv31: bv8 = extract.7.0 v30\nstore @a[v31], v30\njump block1";
    let found = found(&around(before, header, rest));
    assert!(!found.iter().any(|f| f.contains("select")), "{found:?}");
}

#[test]
fn an_index_that_is_constant_after_all() {
    let before = "v10: bv32 = read slot1\nv11: bv32 = add v10, v3\nv12: bv8 = extract.7.0 v11\nstore @a[v12], v4";
    let header = "v20: bool = havoc in1\nv21: bv32 = load @a[v12]\nwrite slot2, v21";
    expect(&around(before, header, "jump block1"), &["(eq (select a 3) 10)"]);
}

#[test]
fn asserts_and_assumes() {
    let header = "v21: bv32 = havoc in0\nv22: bool = ult v21, v5\nassume v22\nv20: bool = havoc in1";
    expect(&around("", header, "write slot0, v21\njump block1"), &["(ule x 99)"]);
}

#[test]
fn parameters_of_headers() {
    let text = r#"
in0 = site "in": bool
entry main
proc main {
block0:
    v0 = const bv32 0
    jump block1(v0)
block1(v1: bv32):
    v2 = const bv32 100
    v3: bool = slt v1, v2
    branch v3, block2, block3
block2:
    v4 = const bv32 4
    v5: bv32 = add v1, v4
    jump block1(v5)
block3:
    return
}
"#;
    let found = found(text);
    assert!(found.iter().any(|f| f.starts_with("(ule v") && f.ends_with(" 100)")), "{found:?}");
    assert!(found.iter().any(|f| f.starts_with("(eq (low.2 v")), "{found:?}");
}

#[test]
fn a_loop_no_run_comes_to() {
    let header = "v20: bool = havoc in1";
    let text = around("v10 = const false\nassume v10", header, "jump block1");
    assert_eq!(found(&text), ["false"]);
}

#[test]
fn nothing_is_said_out_of_time() {
    let inlined = inlined(&around("", "v20: bool = havoc in1", "jump block1"));
    assert!(facts(&inlined, Instant::now()).is_empty());
}

/// The program with each fact asserted at the start of its header, and the first of the new properties.
fn instrumented(inlined: &Inlined, facts: &Facts) -> (Program, u32, Vec<(Block, Formula<Cell>)>) {
    let mut program = inlined.program.clone();
    let first = program.props.len() as u32;
    let origin = program.no_origin();
    let mut list = Vec::new();
    let entry = program.entry.unwrap_or_else(|| Proc::from_u32(0));
    let mut body = program.procs[entry].clone();
    for (&header, formulas) in facts {
        let rest = std::mem::take(&mut body.blocks[header].insts);
        for formula in formulas {
            let mut values: Vec<Value> = Vec::new();
            for node in &formula.nodes {
                let value = match node {
                    FormulaNode::Const(c) => body.constant(header, c.clone(), origin),
                    FormulaNode::State(Cell::Value(value)) => *value,
                    FormulaNode::State(Cell::Global(var)) => {
                        let (ty, place) = (program.vars[*var].ty, Place::Global(*var));
                        body.append1(header, InstData::Read { place }, ty, origin)
                    }
                    FormulaNode::State(Cell::Local(slot)) => {
                        let (ty, place) = (body.slots[*slot].ty, Place::Local(*slot));
                        body.append1(header, InstData::Read { place }, ty, origin)
                    }
                    FormulaNode::Un(op, a) => body.unary(header, *op, values[*a as usize], origin),
                    FormulaNode::Bin(op, a, b) => {
                        body.binary(header, *op, values[*a as usize], values[*b as usize], origin)
                    }
                    FormulaNode::Ite(c, a, b) => {
                        let of = |n: &u32| values[*n as usize];
                        body.ite(header, of(c), of(a), of(b), origin)
                    }
                };
                values.push(value);
            }
            let name = format!("fact.{}", list.len());
            let description = String::new();
            let prop = program.props.push(PropData { name, kind: PropKind::Assertion, description, origin });
            let cond = values[values.len() - 1];
            body.append(header, InstData::Assert { prop, cond }, &[], origin);
            list.push((header, formula.clone()));
        }
        body.blocks[header].insts.extend(rest);
    }
    program.procs[entry] = body;
    if let Err(violations) = verify::verify(&program) {
        panic!("{violations:#?}\n{}", write::program(&inlined.program));
    }
    (program, first, list)
}

/// Random inputs, small ones more often.
struct Random<'r>(&'r mut Rng);

impl Inputs for Random<'_> {
    fn next(&mut self, _site: Site, ty: Type) -> Const {
        let number = match self.0.chance(50) {
            true => self.0.below(6) as u128,
            false => self.0.next() as u128,
        };
        match ty {
            Type::Scalar(scalar) => eval::from_bits(scalar, number),
            Type::Array { index, elem } => {
                let mut array = ArrayConst::filled(index, eval::from_bits(elem, number));
                array.set(self.0.below(4) as u128, eval::from_bits(elem, u128::from(self.0.next())));
                Const::Array(array)
            }
        }
    }
}

/// Runs the program on random inputs; no fact may fail.
fn check_runs(inlined: &Inlined, facts: &Facts, rng: &mut Rng, what: &str) {
    let (program, first, list) = instrumented(inlined, facts);
    let prepared = Prepared::new(&program);
    for _ in 0..40 {
        let limits = Limits { fuel: 4000, ..Limits::default() };
        let outcome = prepared.run(&mut Random(rng), &mut NoObserver, limits);
        let Outcome::Violated(prop) = outcome else { continue };
        if let Some(n) = prop.as_u32().checked_sub(first) {
            let (header, formula) = &list[n as usize];
            let text = write::program(&inlined.program);
            panic!("{what}: {} does not hold at {header} of\n{text}", show(inlined, formula));
        }
    }
}

/// The kinds of fact a formula shows.
fn kinds(formula: &Formula<Cell>) -> Vec<&'static str> {
    let nodes = &formula.nodes;
    let is_const = |n: u32| matches!(nodes[n as usize], FormulaNode::Const(_));
    let mut found = vec![match &nodes[nodes.len() - 1] {
        FormulaNode::Const(_) => "unreachable",
        FormulaNode::State(_) | FormulaNode::Un(UnOp::Not, _) => "flag",
        FormulaNode::Bin(BinOp::Or, ..) => "set",
        FormulaNode::Bin(BinOp::Ule, ..) => "unsigned bound",
        FormulaNode::Bin(BinOp::Slt, ..) => "difference",
        FormulaNode::Bin(BinOp::Sle, a, b) => match (&nodes[*a as usize], is_const(*a) || is_const(*b)) {
            (FormulaNode::Bin(BinOp::Sub, ..), _) => "difference by a number",
            (_, true) => "signed bound",
            (_, false) => "difference",
        },
        FormulaNode::Bin(BinOp::Eq, a, b) => match &nodes[*a as usize] {
            FormulaNode::Un(UnOp::Extract { .. }, _) => "low bits",
            FormulaNode::Bin(BinOp::URem, ..) => "stride",
            _ if is_const(*b) => "constant",
            _ => "equality",
        },
        other => panic!("a fact of unknown kind: {other:?}"),
    }];
    if nodes.iter().any(|n| matches!(n, FormulaNode::Bin(BinOp::Select, ..))) {
        found.push("array cell");
    }
    if nodes.iter().any(|n| matches!(n, FormulaNode::State(Cell::Value(_)))) {
        found.push("value");
    }
    found
}

fn programs() -> u64 {
    std::env::var("SYNCLINE_FACT_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

#[test]
fn no_run_violates_a_fact() {
    let mut count: BTreeMap<&'static str, usize> = BTreeMap::new();
    for seed in 1..=programs() {
        let mut rng = Rng::new(seed);
        let program = invariants_gen::program(&mut rng);
        if let Err(violations) = verify::verify(&program) {
            panic!("seed {seed}: {violations:#?}");
        }
        let inlined = inline(&program, 100_000).unwrap_or_else(|e| panic!("{e:?}"));
        let facts = facts(&inlined, soon());
        facts.values().flatten().flat_map(kinds).for_each(|kind| *count.entry(kind).or_default() += 1);
        check_runs(&inlined, &facts, &mut rng, &format!("seed {seed}"));
    }
    println!("{count:#?}");
    let wanted = [
        "constant",
        "flag",
        "set",
        "unsigned bound",
        "signed bound",
        "low bits",
        "stride",
        "equality",
        "difference",
        "difference by a number",
        "array cell",
        "value",
        "unreachable",
    ];
    for kind in wanted {
        assert!(count.contains_key(kind), "no fact of kind {kind} among {count:?}");
    }
}

/// Any control flow, irreducible too, and calls.
#[test]
fn no_run_violates_a_fact_of_any_shape() {
    let (mut checked, mut with_facts) = (0, 0);
    for seed in 1..=programs() {
        let program = passes_generator::program(&mut passes_generator::Rng::new(seed));
        let Ok(inlined) = inline(&program, 20_000) else { continue };
        let facts = facts(&inlined, soon());
        checked += 1;
        with_facts += usize::from(!facts.is_empty());
        check_runs(&inlined, &facts, &mut Rng::new(seed), &format!("shape {seed}"));
    }
    println!("{checked} programs, {with_facts} with facts");
    assert!(with_facts > checked / 20);
}

#[test]
#[ignore = "needs files of the text form"]
fn facts_of_files() {
    let files = std::env::var("SYNCLINE_FACT_FILES").unwrap_or_default();
    for file in files.split_whitespace() {
        let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{file}: {e}"));
        let mut program = read::program(&text).unwrap_or_else(|e| panic!("{file}: {e:?}"));
        let props: Vec<Prop> = program.props.keys().collect();
        passes::slice(&mut program, &props);
        let Ok(inlined) = inline(&program, 1_000_000) else {
            println!("{file}: no inlined form");
            continue;
        };
        let start = Instant::now();
        let facts = facts(&inlined, Instant::now() + Duration::from_secs(60));
        let time = start.elapsed();
        let (blocks, cells) = (inlined.body().layout.len(), inlined.body().slots.len() + program.vars.len());
        let count: usize = facts.values().map(Vec::len).sum();
        println!("{file}: {blocks} blocks, {cells} cells, {} headers, {count} facts, {time:?}", facts.len());
        if std::env::var_os("SYNCLINE_FACT_SHOW").is_some() {
            for (header, formulas) in &facts {
                println!("  {header}:");
                formulas.iter().for_each(|f| println!("    {}", show(&inlined, f)));
            }
        }
        check_runs(&inlined, &facts, &mut Rng::new(1), file);
    }
}
