//! Corrupted certificates: what a judge that enumerates all states calls invalid is refused, what it calls valid is
//! accepted. The judge knows each program as a function on small states, written by hand beside its IR.

mod evidence;

use evidence::{annotations, calls, check, parse, Annotations};
use std::collections::BTreeSet;
use syncline_engines::annotation::{Formula, FormulaNode, Location, Original};
use syncline_ir::{eval, BinOp, Block, Const, Inst, Program, Slot, Type, UnOp, Value, Var};

/// The state at a cut point: which, and its variables.
type State = (usize, Vec<u128>);

enum Next {
    Arrive(State),
    Violate,
    End,
}

struct Model {
    program: Program,
    cuts: Vec<Location>,
    /// For each cut point its variables and their widths.
    variables: Vec<Vec<(Original, u32)>>,
    first: State,
    /// What a segment does with an input below `inputs`.
    step: fn(&State, u128) -> Next,
    inputs: u128,
    /// Certificates that hold.
    valid: Vec<(u32, Annotations)>,
}

fn value_of(formula: &Formula<Original>, lookup: &dyn Fn(&Original) -> Option<Const>) -> Option<bool> {
    let mut values: Vec<Const> = Vec::new();
    for node in &formula.nodes {
        let of = |n: &u32| values.get(*n as usize).cloned();
        let value = match node {
            FormulaNode::Const(c) => c.clone(),
            FormulaNode::State(name) => lookup(name)?,
            FormulaNode::Un(op, a) => {
                let a = of(a)?;
                op.result(a.ty())?;
                eval::unary(*op, &a)
            }
            FormulaNode::Bin(op, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                op.result(a.ty(), b.ty())?;
                eval::binary(*op, &a, &b)
            }
            FormulaNode::Ite(c, a, b) => {
                let (c, a, b) = (of(c)?.as_bool()?, of(a)?, of(b)?);
                (a.ty() == b.ty()).then_some(if c { a } else { b })?
            }
        };
        values.push(value);
    }
    values.last()?.as_bool()
}

impl Model {
    /// Whether the formulas hold; `None` if one is ill-formed.
    fn holds(&self, annotations: &Annotations, (cut, values): &State) -> Option<bool> {
        let lookup = |name: &Original| {
            let at = self.variables[*cut].iter().position(|(n, _)| n == name)?;
            Some(Const::bv(self.variables[*cut][at].1, values[at]))
        };
        let mut all = true;
        for formula in annotations.get(&self.cuts[*cut]).into_iter().flatten() {
            all &= value_of(formula, &lookup)?;
        }
        Some(all)
    }

    fn states(&self) -> Vec<State> {
        let mut all = Vec::new();
        for (cut, variables) in self.variables.iter().enumerate() {
            let bits: u32 = variables.iter().map(|(_, w)| w).sum();
            for code in 0..1u128 << bits {
                let mut rest = code;
                let take = |&(_, w): &(Original, u32)| {
                    let value = rest & ((1 << w) - 1);
                    rest >>= w;
                    value
                };
                all.push((cut, variables.iter().map(take).collect()));
            }
        }
        all
    }

    fn nexts(&self, states: &BTreeSet<State>) -> (BTreeSet<State>, bool) {
        let (mut next, mut violated) = (BTreeSet::new(), false);
        for state in states {
            for input in 0..self.inputs {
                match (self.step)(state, input) {
                    Next::Arrive(state) => drop(next.insert(state)),
                    Next::Violate => violated = true,
                    Next::End => {}
                }
            }
        }
        (next, violated)
    }

    fn is_valid(&self, k: u32, annotations: &Annotations) -> bool {
        self.judged(k, annotations).unwrap_or(false)
    }

    fn judged(&self, k: u32, annotations: &Annotations) -> Option<bool> {
        if annotations.keys().any(|l| !self.cuts.contains(l)) {
            return None;
        }
        let mut good = BTreeSet::new();
        for state in self.states() {
            if self.holds(annotations, &state)? {
                good.insert(state);
            }
        }
        let (next, violated) = self.nexts(&good);
        if !good.contains(&self.first) || !next.is_subset(&good) {
            return Some(false);
        }
        if k == 0 {
            return Some(!violated);
        }
        let (mut reached, mut layer) = (BTreeSet::from([self.first.clone()]), good);
        for _ in 0..k {
            let (next, violated) = self.nexts(&reached);
            if violated {
                return Some(false);
            }
            reached = next;
            layer = self.nexts(&layer).0;
        }
        Some(!self.nexts(&layer).1)
    }
}

/// `x` goes up by two and `y` by one, and both start again.
fn pair() -> Model {
    let program = parse(
        "in0 = site \"b\": bool
        var @x: bv4 = bv4 0
        var @y: bv4 = bv4 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {
        block0:
            jump block1
        block1:
            v0: bool = havoc in0
            v1: bv4 = read @x
            v2: bv4 = read @y
            v3 = const bv4 8
            v4: bool = ult v1, v3
            branch v4, block2, block3
        block2:
            branch v0, block4, block1
        block4:
            v5 = const bv4 2
            v6 = const bv4 1
            v7: bv4 = add v1, v5
            v8: bv4 = add v2, v6
            write @x, v7
            write @y, v8
            v9 = const bv4 4
            v10: bool = ule v8, v9
            assert prop0, v10
            jump block1
        block3:
            v11 = const bv4 0
            write @x, v11
            write @y, v11
            jump block1
        }",
    );
    let global = |n| (Original::Global(Var::from_u32(n)), 4);
    let step = |(_, s): &State, input: u128| {
        let (x, y) = (s[0], s[1]);
        if x >= 8 {
            return Next::Arrive((0, vec![0, 0]));
        }
        if input == 0 {
            return Next::Arrive((0, s.clone()));
        }
        let (x, y) = ((x + 2) % 16, (y + 1) % 16);
        if y <= 4 {
            Next::Arrive((0, vec![x, y]))
        } else {
            Next::Violate
        }
    };
    let with = |f: &[&str]| annotations(&program, &[(&[], 1, f)]);
    let valid = vec![
        (0, with(&["(eq @x (add @y @y))", "(ule @y 4:4)"])),
        (0, with(&["(and (eq @x (shl @y 4:1)) (ule @x 4:8))", "(ult @y 4:5)"])),
        (1, with(&["(eq @x (add @y @y))", "(ule @y 4:4)"])),
        (0, with(&["(or (or (and (eq @x 4:0) (eq @y 4:0)) (and (eq @x 4:2) (eq 4:1 @y))) (or (and (eq @x 4:4) (eq @y 4:2)) (or (and (eq @y 4:3) (eq @x 4:6)) (and (eq @x 4:8) (eq @y 4:4)))))"])),
    ];
    Model {
        cuts: vec![evidence::location(&[], 1)],
        variables: vec![vec![global(0), global(1)]],
        first: (0, vec![0, 0]),
        step,
        inputs: 2,
        valid,
        program,
    }
}

/// 0, 1, 2 for ever; from 4 three steps lead to 7. Induction needs steps, or the formula.
fn ring() -> Model {
    let program = parse(
        "var @s: bv3 = bv3 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {
        block0:
            jump block1
        block1:
            v0: bv3 = read @s
            v1 = const bv3 7
            v2: bool = eq v0, v1
            v3: bool = not v2
            assert prop0, v3
            v4 = const bv3 2
            v5: bool = eq v0, v4
            v6 = const bv3 0
            v7 = const bv3 1
            v8: bv3 = add v0, v7
            v9: bv3 = ite v5, v6, v8
            write @s, v9
            jump block1
        }",
    );
    let step = |(_, s): &State, _: u128| match s[0] {
        7 => Next::Violate,
        2 => Next::Arrive((0, vec![0])),
        n => Next::Arrive((0, vec![n + 1])),
    };
    let with = |f: &[&str]| annotations(&program, &[(&[], 1, f)]);
    let valid = vec![
        (0, with(&["(ult @s 3:3)"])),
        (5, with(&[])),
        (2, with(&["(not (eq @s 3:4))", "(not (eq @s 3:3))", "(ule @s 3:2)"])),
        (0, with(&["(or (eq @s 3:0) (or (eq @s 3:2) (eq @s 3:1)))"])),
    ];
    Model {
        cuts: vec![evidence::location(&[], 1)],
        variables: vec![vec![(Original::Global(Var::from_u32(0)), 3)]],
        first: (0, vec![0]),
        step,
        inputs: 1,
        valid,
        program,
    }
}

/// A procedure with a loop, called twice: it adds its argument's count to `g`, which ends at 5.
fn twice() -> Model {
    let program = parse(
        "var @g: bv3 = bv3 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc count {
            slot0 = slot \"t\": bv3
        block0(v0: bv3):
            v1 = const bv3 0
            jump block1(v1)
        block1(v2: bv3):
            v3: bool = ult v2, v0
            branch v3, block2, block3
        block2:
            v4: bv3 = read @g
            v5 = const bv3 1
            v6: bv3 = add v4, v5
            write @g, v6
            v7: bv3 = read slot0
            v8: bv3 = add v7, v5
            write slot0, v8
            v9: bv3 = add v2, v5
            jump block1(v9)
        block3:
            v10: bv3 = read slot0
            v11: bool = eq v10, v0
            assert prop0, v11
            return
        }
        proc main {
        block0:
            v0 = const bv3 2
            call count(v0)
            v1 = const bv3 3
            call count(v1)
            v2: bv3 = read @g
            v3 = const bv3 5
            v4: bool = eq v2, v3
            assert prop0, v4
            return
        }",
    );
    let called = calls(&program, "main");
    let paths = [vec![called[0]], vec![called[1]]];
    // g, slot0, v2 (the header's parameter), v0 (the argument).
    let variables = |path: &[Inst]| {
        let value = |n| Original::Value { calls: path.to_vec(), value: Value::from_u32(n) };
        let slot = Original::Local { calls: path.to_vec(), slot: Slot::from_u32(0) };
        vec![(Original::Global(Var::from_u32(0)), 3), (slot, 3), (value(2), 3), (value(0), 3)]
    };
    let step = |(cut, s): &State, _: u128| {
        let (g, t, i, n) = (s[0], s[1], s[2], s[3]);
        if i < n {
            return Next::Arrive((*cut, vec![(g + 1) % 8, (t + 1) % 8, i + 1, n]));
        }
        if t != n || *cut == 1 && g != 5 {
            return Next::Violate;
        }
        if *cut == 0 {
            Next::Arrive((1, vec![g, 0, 0, 3]))
        } else {
            Next::End
        }
    };
    let with = |a: &[&str], b: &[&str]| annotations(&program, &[(&paths[0], 1, a), (&paths[1], 1, b)]);
    let common = ["(eq slot0 v2)", "(ule v2 v0)"];
    let valid = vec![
        (
            0,
            with(
                &[common[0], common[1], "(eq v0 3:2)", "(eq @g v2)"],
                &[common[0], common[1], "(eq v0 3:3)", "(eq @g (add v2 3:2))"],
            ),
        ),
        (
            1,
            with(
                &[common[0], common[1], "(and (eq @g v2) (eq v0 3:2))"],
                &["(and (eq slot0 v2) (ule v2 v0))", "(eq (sub @g 3:2) slot0)", "(eq v0 3:3)"],
            ),
        ),
    ];
    Model {
        cuts: paths.iter().map(|p| evidence::location(p, 1)).collect(),
        variables: paths.iter().map(|p| variables(p)).collect(),
        first: (0, vec![0, 0, 0, 2]),
        step,
        inputs: 1,
        valid,
        program,
    }
}

/// A small generator of numbers.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n.max(1)
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
}

/// Names that exist somewhere in the program, or nowhere.
fn names(model: &Model) -> Vec<Original> {
    let mut all: Vec<Original> = model.variables.iter().flatten().map(|(n, _)| n.clone()).collect();
    all.push(Original::Global(Var::from_u32(99)));
    all.push(Original::Local { calls: vec![], slot: Slot::from_u32(7) });
    all.push(Original::Value { calls: vec![], value: Value::from_u32(4) });
    all.push(Original::Value { calls: vec![Inst::from_u32(77)], value: Value::from_u32(0) });
    all
}

fn mutate_node(rng: &mut Rng, model: &Model, formula: &mut Formula<Original>) {
    if formula.nodes.is_empty() {
        return;
    }
    let count = formula.nodes.len();
    let at = rng.below(count);
    let other = rng.below(count + 1) as u32;
    let node = formula.nodes[at].clone();
    formula.nodes[at] = match node {
        FormulaNode::Const(Const::Bv { width, bits }) => match rng.below(5) {
            0 => FormulaNode::Const(Const::bv(width, bits + 1)),
            1 => FormulaNode::Const(Const::bv(width, bits.wrapping_sub(1))),
            2 => FormulaNode::Const(Const::bv(width, rng.below(16) as u128)),
            3 => FormulaNode::Const(Const::bv(width + 1, bits)),
            _ => FormulaNode::State(rng.of(&names(model))),
        },
        FormulaNode::Const(c) => FormulaNode::Const(c),
        FormulaNode::State(_) if rng.below(4) == 0 => FormulaNode::Const(Const::bv(3, rng.below(8) as u128)),
        FormulaNode::State(_) => FormulaNode::State(rng.of(&names(model))),
        FormulaNode::Un(_, a) => FormulaNode::Un(rng.of(&[UnOp::Not, UnOp::BvNot, UnOp::BvNeg]), a),
        FormulaNode::Bin(op, a, b) => match rng.below(4) {
            0 => FormulaNode::Bin(op, b, a),
            1 => FormulaNode::Bin(op, a, other),
            _ => {
                let like = [BinOp::And, BinOp::Or, BinOp::Xor, BinOp::Eq, BinOp::Ule, BinOp::Ult, BinOp::Slt];
                let terms = [BinOp::Add, BinOp::Sub, BinOp::BvOr, BinOp::Shl, BinOp::Mul];
                let same = if op.result(Type::bv(4), Type::bv(4)) == Some(Type::bv(4)) { &terms[..] } else { &like };
                FormulaNode::Bin(rng.of(same), a, b)
            }
        },
        FormulaNode::Ite(c, a, b) => FormulaNode::Ite(c, b, a),
    };
}

fn mutate(rng: &mut Rng, model: &Model, k: &mut u32, annotations: &mut Annotations) {
    let locations: Vec<Location> = annotations.keys().cloned().collect();
    if locations.is_empty() {
        return;
    }
    let location = rng.of(&locations);
    let Some(formulas) = annotations.get_mut(&location) else { return };
    let at = rng.below(formulas.len());
    match rng.below(12) {
        0 if !formulas.is_empty() => drop(formulas.remove(at)),
        1 if !formulas.is_empty() => {
            let root = formulas[at].nodes.len() as u32 - 1;
            formulas[at].push(FormulaNode::Un(UnOp::Not, root));
        }
        2 => *k = (*k + 1 + rng.below(4) as u32) % 6,
        3 => drop(annotations.remove(&location)),
        4 if locations.len() > 1 => {
            let moved = annotations.remove(&location).unwrap_or_default();
            annotations.entry(rng.of(&locations)).or_default().extend(moved);
        }
        5 => {
            let moved = annotations.remove(&location).unwrap_or_default();
            let wrong = match rng.below(2) {
                0 => Location { header: Block::from_u32(40), ..location },
                _ => Location { calls: vec![Inst::from_u32(50)], ..location },
            };
            annotations.insert(wrong, moved);
        }
        6 if !formulas.is_empty() => drop(formulas[at].nodes.pop()),
        _ if !formulas.is_empty() => mutate_node(rng, model, &mut formulas[at]),
        _ => {}
    }
}

/// Mutates the certificates of a model; how many were invalid.
fn mutations(model: &Model, seed: u64, count: usize) -> usize {
    for (k, annotations) in &model.valid {
        assert!(model.is_valid(*k, annotations), "the judge refuses {k} {annotations:?}");
        check(&model.program, *k, annotations).expect("a valid certificate");
    }
    let mut rng = Rng(seed);
    let mut invalid = 0;
    for _ in 0..count {
        let (mut k, mut annotations) = rng.of(&model.valid);
        for _ in 0..1 + rng.below(2) {
            mutate(&mut rng, model, &mut k, &mut annotations);
        }
        let valid = model.is_valid(k, &annotations);
        let outcome = check(&model.program, k, &annotations);
        assert_eq!(outcome.is_ok(), valid, "k = {k}, {annotations:#?}: {:?}", outcome.err());
        invalid += usize::from(!valid);
    }
    invalid
}

#[test]
fn mutated_certificates_of_a_pair() {
    assert!(mutations(&pair(), 1, 300) >= 150);
}

#[test]
fn mutated_certificates_of_a_ring() {
    assert!(mutations(&ring(), 2, 300) >= 100);
}

#[test]
fn mutated_certificates_of_a_procedure_called_twice() {
    assert!(mutations(&twice(), 3, 300) >= 150);
}
