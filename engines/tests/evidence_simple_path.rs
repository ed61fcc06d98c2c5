//! Simple-path certificates on hand-written IR: those whose cells determine what follows and whose step holds are
//! accepted, others refused; random ones are judged by enumeration of all states.

mod evidence;

use evidence::{annotations, location, parse, Annotations};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use syncline_engines::annotation::{Location, Original};
use syncline_engines::evidence::{inductive, Answered, Judge};
use syncline_engines::task::{Certificate, Context, Reason, Task, Verdict};
use syncline_engines::{evidence as checker, kinduction};
use syncline_ir::{Program, Var};

type Cells = BTreeMap<Location, Vec<Original>>;

/// The cells at `main`'s `block1`, by the names of global variables.
fn cells(program: &Program, names: &[&str]) -> Cells {
    let var = |name: &&str| program.vars.iter().find(|(_, v)| v.name == *name).map(|(var, _)| Original::Global(var));
    BTreeMap::from([(location(&[], 1), names.iter().map(|n| var(n).expect("a variable")).collect())])
}

fn check(program: &Program, k: u32, annotations: &Annotations, cells: &Cells) -> Result<Vec<Answered>, String> {
    let mut judge = Judge::keeping(Instant::now() + Duration::from_secs(60));
    let props: Vec<_> = program.props.keys().collect();
    match inductive::check_simple_path(program, &props, k, annotations, cells, &mut judge) {
        Ok(()) => Ok(judge.into_answered()),
        Err(Reason::Evidence(words)) => Err(words),
        Err(other) => panic!("{other:?}"),
    }
}

#[track_caller]
fn refuses(program: &Program, k: u32, annotations: &Annotations, cells: &Cells, words: &str) {
    match check(program, k, annotations, cells) {
        Ok(_) => panic!("k = {k} is accepted with {cells:?}"),
        Err(said) => assert!(said.contains(words), "refused, but with: {said}"),
    }
}

/// `x` goes round 0, 1, 2, 0; of the states that no run comes to, 4 and 5 alternate until an input leads to 6, which
/// violates the property. `y` is what the input was, and is not read; `z` is read but never written.
fn ring() -> Program {
    parse(
        "var @x: bv3 = bv3 0
        var @y: bool = false
        var @z: bool = false
        in0 = site \"leave\": bool
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {
        block0:
            jump block1
        block1:
            v0: bv3 = read @x
            v1 = const bv3 6
            v2: bool = eq v0, v1
            v3: bool = not v2
            v4: bool = read @z
            v5: bool = or v3, v4
            assert prop0, v5
            v6: bool = havoc in0
            write @y, v6
            switch v0 { 2: block3, 4: block4, 5: block5, default: block2 }
        block2:
            v7 = const bv3 1
            v8: bv3 = add v0, v7
            write @x, v8
            jump block1
        block3:
            v9 = const bv3 0
            write @x, v9
            jump block1
        block4:
            v10 = const bv3 5
            write @x, v10
            jump block1
        block5:
            v11 = const bv3 4
            v12: bv3 = ite v6, v1, v11
            write @x, v12
            jump block1
        }",
    )
}

#[test]
fn a_ring_that_no_k_proves_without() {
    let program = ring();
    let none = Annotations::new();
    for k in 1..12 {
        evidence::refuses(&program, k, &none, "for the first time");
    }
    // 3, 4, 5, 6 is the longest way to the violation that repeats nothing.
    let all = cells(&program, &["x", "z"]);
    for k in 1..4 {
        refuses(&program, k, &none, &all, "for the first time");
    }
    let kept = check(&program, 4, &none, &all).expect("a certificate that holds");
    let purposes: Vec<&str> = kept.iter().map(|q| q.purpose.as_str()).collect();
    assert_eq!(purposes, ["alike-main-block1-1", "step-main-block1-1"]);
    for query in &kept {
        for (solver, args) in [("z3", &["-in"][..]), ("cvc5", &["--lang", "smt2"])] {
            assert_eq!(answer(solver, args, &query.text), "unsat", "{solver} on {}", query.purpose);
        }
    }
}

/// What a command says to a query.
fn answer(command: &str, args: &[&str], text: &str) -> String {
    let mut child = Command::new(command)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{command}: {e}"));
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("the command reads");
    let output = child.wait_with_output().expect("the command ends");
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

#[test]
fn cells_must_determine_what_follows() {
    let program = ring();
    let none = Annotations::new();
    // Without `x` the next header is the same, but not whether the property is violated; without `z` neither.
    for names in [&[][..], &["x"], &["z"], &["y"], &["y", "z"]] {
        refuses(&program, 4, &none, &cells(&program, names), "do not determine");
    }
    refuses(&program, 4, &none, &Cells::new(), "do not determine");
    // What the formulas say need not be compared, and one more is no harm but for a longer way: `y` tells the states
    // apart, so that 4 and 5 come twice each.
    let fixed = annotations(&program, &[(&[], 1, &["(eq @z false)"])]);
    check(&program, 4, &fixed, &cells(&program, &["x"])).expect("`z` is constant");
    let more = cells(&program, &["x", "y", "z"]);
    refuses(&program, 4, &none, &more, "for the first time");
    check(&program, 8, &none, &more).expect("a longer way");
    // A formula that leaves `z` open says nothing of two states that have different values of it.
    let open = annotations(&program, &[(&[], 1, &["(or (eq @z false) (eq @z true))"])]);
    refuses(&program, 4, &open, &cells(&program, &["x"]), "do not determine");
}

#[test]
fn a_base_is_needed() {
    // From 3 on the way leads to the violation.
    let text = syncline_ir::write::program(&ring()).replace("@x: bv3 = bv3 0", "@x: bv3 = bv3 3");
    let program = parse(&text);
    for k in 1..9 {
        refuses(&program, k, &Annotations::new(), &cells(&program, &["x", "z"]), "");
    }
}

#[test]
fn names_that_are_not_there_are_refused() {
    let program = ring();
    let nowhere = BTreeMap::from([(location(&[], 77), Vec::new())]);
    refuses(&program, 4, &Annotations::new(), &nowhere, "there is no place");
    let nothing = BTreeMap::from([(location(&[], 1), vec![Original::Global(Var::from_u32(9))])]);
    refuses(&program, 4, &Annotations::new(), &nothing, "not there");
}

/// The values `x` and `y` have next, on each input, as a table: `next[state][input]`; states that violate, and states
/// that end the run.
#[derive(Debug)]
struct Table {
    next: Vec<[usize; 2]>,
    bad: Vec<bool>,
    ends: Vec<bool>,
    first: usize,
}

/// States are `4 y + x`, `x` of two bits and `y` of one.
const STATES: usize = 8;

impl Table {
    fn random(random: &mut impl FnMut(usize) -> usize) -> Table {
        // Some tables do not look at `y`, so that `x` alone determines what follows; some do so in one state only.
        let blind = random(3);
        let mut next: Vec<[usize; 2]> = (0..STATES).map(|_| [random(STATES), random(STATES)]).collect();
        let mut bad: Vec<bool> = (0..STATES).map(|_| random(6) == 0).collect();
        let mut ends: Vec<bool> = (0..STATES).map(|_| random(8) == 0).collect();
        // Without an assertion there is nothing to check.
        bad[random(4)] = true;
        if blind > 0 {
            let seeing = 4 + random(4);
            for state in 4..STATES {
                next[state] = next[state - 4].map(|n| (n + 4 * random(2)) % STATES);
                bad[state] = bad[state - 4];
                ends[state] = ends[state - 4];
            }
            match (blind, random(3)) {
                (2, 0) => bad[seeing] = random(2) == 0,
                (2, 1) => ends[seeing] = random(2) == 0,
                (2, _) => next[seeing] = [random(STATES), random(STATES)],
                _ => {}
            }
        }
        Table { next, bad, ends, first: random(STATES) }
    }

    fn program(&self) -> Program {
        let mut text = format!(
            "var @x: bv2 = bv2 {}\nvar @y: bv1 = bv1 {}\nin0 = site \"i\": bool\n\
             prop0 = assertion \"main.assertion.1\" \"\"\nentry main\nproc main {{\nblock0:\n jump block1\nblock1:\n\
             v0: bv2 = read @x\n v1: bv1 = read @y\n v2: bv3 = concat v1, v0\n v3: bool = havoc in0\n\
             v4 = const true\n v5: bool = not v4\n",
            self.first % 4,
            self.first / 4
        );
        let cases: Vec<String> = (0..STATES).map(|s| format!("{s}: block{}", s + 3)).collect();
        text += &format!(" switch v2 {{ {}, default: block2 }}\nblock2:\n return\n", cases.join(", "));
        for state in 0..STATES {
            let value = |k: usize| 10 + 10 * state + k;
            text += &format!("block{}:\n", state + 3);
            if self.bad[state] {
                text += " assert prop0, v5\n return\n";
                continue;
            }
            if self.ends[state] {
                text += " return\n";
                continue;
            }
            let [a, b] = self.next[state];
            for (k, number) in [(0, a % 4), (1, b % 4)] {
                text += &format!(" v{} = const bv2 {number}\n", value(k));
            }
            for (k, number) in [(2, a / 4), (3, b / 4)] {
                text += &format!(" v{} = const bv1 {number}\n", value(k));
            }
            text += &format!(" v{}: bv2 = ite v3, v{}, v{}\n", value(4), value(1), value(0));
            text += &format!(" v{}: bv1 = ite v3, v{}, v{}\n", value(5), value(3), value(2));
            text += &format!(" write @x, v{}\n write @y, v{}\n jump block1\n", value(4), value(5));
        }
        parse(&(text + "}"))
    }

    /// What is compared of a state.
    fn view(state: usize, names: &[&str]) -> usize {
        names.iter().map(|n| if *n == "x" { state % 4 } else { state / 4 * 4 }).sum()
    }

    fn is_determined(&self, names: &[&str]) -> bool {
        let alike = |a: usize, b: usize| Table::view(a, names) == Table::view(b, names);
        let pairs = (0..STATES).flat_map(|a| (0..STATES).map(move |b| (a, b)));
        pairs.filter(|&(a, b)| alike(a, b)).all(|(a, b)| {
            let follow = (0..2).all(|i| alike(self.next[a][i], self.next[b][i]));
            let over = |s: usize| (self.bad[s], self.bad[s] || self.ends[s]);
            over(a) == over(b) && (over(a).1 || follow)
        })
    }

    /// The states that may follow.
    fn after(&self, state: usize) -> impl Iterator<Item = usize> + use<'_> {
        self.next[state].into_iter().filter(move |_| !self.bad[state] && !self.ends[state])
    }

    /// Whether a run from anywhere through `k` more states, none alike, ends in one that violates.
    fn has_counterexample(&self, k: u32, names: &[&str]) -> bool {
        let mut paths: Vec<Vec<usize>> = (0..STATES).map(|s| vec![s]).collect();
        for _ in 0..k {
            let mut longer = Vec::new();
            for path in paths {
                let last = path[path.len() - 1];
                for next in self.after(last) {
                    if path.iter().all(|&s| Table::view(s, names) != Table::view(next, names)) {
                        longer.push([&path[..], &[next]].concat());
                    }
                }
            }
            paths = longer;
        }
        paths.iter().any(|path| self.bad[path[path.len() - 1]])
    }

    fn violates_within(&self, headers: u32) -> bool {
        let mut now = BTreeSet::from([self.first]);
        for _ in 0..headers {
            if now.iter().any(|&s| self.bad[s]) {
                return true;
            }
            now = now.iter().flat_map(|&s| self.after(s)).collect();
        }
        false
    }
}

#[test]
fn random_certificates_are_judged_as_enumeration_judges_them() {
    let mut seed = 17u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    let (mut accepted, mut undetermined, mut refused) = (0, 0, 0);
    for _ in 0..150 {
        let table = Table::random(&mut random);
        let program = table.program();
        for names in [&["x"][..], &["x", "y"]] {
            let k = 1 + random(4) as u32;
            let found = check(&program, k, &Annotations::new(), &cells(&program, names));
            let determined = table.is_determined(names);
            let holds = determined && !table.violates_within(k) && !table.has_counterexample(k, names);
            assert_eq!(found.is_ok(), holds, "k = {k}, {names:?}, {table:?}");
            // And what was accepted is true.
            assert!(!holds || !table.violates_within(20), "{table:?}");
            accepted += u32::from(holds);
            undetermined += u32::from(!determined);
            refused += u32::from(determined && !holds);
        }
    }
    assert!(accepted > 20 && undetermined > 20 && refused > 20, "{accepted} {undetermined} {refused}");
}

#[test]
fn the_engine_gives_such_certificates() {
    let program = ring();
    let props: Vec<_> = program.props.keys().collect();
    let deadline = Instant::now() + Duration::from_secs(30);
    let mut found = Vec::new();
    let mut context = Context::new(deadline, |prop, verdict| found.push((prop, verdict)));
    let task = Task::new(&program, props);
    kinduction::check_with(&task, kinduction::Config { simple_path: true }, &mut context);
    drop(context);
    let [(prop, verdict)] = &found[..] else { panic!("{found:?}") };
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    let confirmed = checker::confirm(&program, *prop, verdict.clone(), deadline);
    assert!(matches!(confirmed, Verdict::Safe(_)), "{confirmed:?}");
    if let Verdict::Safe(Certificate::SimplePath { k, annotations, cells }) = verdict {
        // Without some of its cells it is refused.
        for (location, names) in cells {
            for n in 0..names.len() {
                let mut fewer = cells.clone();
                fewer.get_mut(location).expect("a cut").remove(n);
                let verdict =
                    Verdict::Safe(Certificate::SimplePath { k: *k, annotations: annotations.clone(), cells: fewer });
                let judged = checker::confirm(&program, *prop, verdict, deadline);
                assert!(matches!(judged, Verdict::Unknown(Reason::Evidence(_))), "{judged:?}");
            }
        }
    }
}
