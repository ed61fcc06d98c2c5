//! Lazy abstraction with each of its options: verdicts on a program with a loop in a loop, and what is counted.

use std::time::{Duration, Instant};
use syncline_engines::evidence;
use syncline_engines::lawi::{self, Config, Edges};
use syncline_engines::task::{Context, Reason, Stats, Task, Verdict};
use syncline_ir::{read, Program};

const CONFIGS: [Config; 4] = [
    Config { edges: Edges::Blocks, vectors: false, bare: true },
    Config { edges: Edges::Blocks, vectors: true, bare: true },
    Config { edges: Edges::Statements, vectors: false, bare: true },
    Config { edges: Edges::Statements, vectors: true, bare: true },
];

/// A machine goes 0, 1, 2, 0, ... when it is told to, and counts twice in an inner loop whenever it leaves 0. In 2 the
/// count is even: `wrong` says which count the assertion excludes there.
fn program(wrong: u32) -> Program {
    let text = format!(
        "in0 = site \"go\": bool
        prop0 = assertion \"main.assertion.1\" \"\"
        var @state: bv32 = bv32 0
        var @count: bv8 = bv8 0
        entry main
        proc main {{
        block0:
            jump block1
        block1:
            v0: bool = havoc in0
            branch v0, block2, block1
        block2:
            v1: bv32 = read @state
            switch v1 {{ 0: block3, 1: block6, default: block7 }}
        block3:
            v2 = const bv32 0
            jump block4(v2)
        block4(v3: bv32):
            v4 = const bv32 2
            v5: bool = ult v3, v4
            branch v5, block5, block8
        block5:
            v6: bv8 = read @count
            v7 = const bv8 1
            v8: bv8 = add v6, v7
            write @count, v8
            v9 = const bv32 1
            v10: bv32 = add v3, v9
            jump block4(v10)
        block6:
            v11 = const bv32 2
            write @state, v11
            jump block1
        block7:
            v12: bv8 = read @count
            v13 = const bv8 {wrong}
            v14: bool = eq v12, v13
            v17: bool = not v14
            assert prop0, v17
            v15 = const bv32 0
            write @state, v15
            jump block1
        block8:
            v16 = const bv32 1
            write @state, v16
            jump block1
        }}"
    );
    read::well_formed(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn check(program: &Program, config: Config) -> (Verdict, Stats) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut found = Vec::new();
    let mut context = Context::new(deadline, |p, v| found.push(evidence::confirm(program, p, v, deadline)));
    lawi::check(&Task::new(program, program.props.keys().collect()), config, &mut context);
    let stats = std::mem::take(&mut context.stats);
    drop(context);
    assert_eq!(found.len(), 1);
    (found.remove(0), stats)
}

fn count(stats: &Stats, name: &str) -> u64 {
    let found = stats.counts.iter().find(|c| c.0 == name);
    found.unwrap_or_else(|| panic!("{name} is not counted")).1
}

#[test]
fn a_machine_with_a_loop_inside_is_safe() {
    for config in CONFIGS {
        let (verdict, stats) = check(&program(3), config);
        assert!(matches!(verdict, Verdict::Safe(_)), "{config:?}: {verdict:?}");
        let covers = ["covers by equal lemmas", "covers by larger cubes", "covers by the solver"];
        let covers: u64 = covers.iter().map(|name| count(&stats, name)).sum();
        assert!(covers > 0, "{config:?}: an endless program is proved by covers");
        assert!(count(&stats, "expanded") < count(&stats, "nodes"), "{config:?}");
        let intermediate = count(&stats, "covers of intermediate nodes");
        assert_eq!(intermediate > 0, config.edges == Edges::Statements, "{config:?}: {intermediate}");
    }
}

#[test]
fn facts_alone_prove_it_too() {
    let (verdict, _) = check(&program(3), Config::default());
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
}

#[test]
fn a_violation_far_down_is_found() {
    for config in CONFIGS {
        let (verdict, _) = check(&program(4), config);
        assert!(matches!(verdict, Verdict::Unsafe(_)), "{config:?}: {verdict:?}");
    }
}

#[test]
fn recursion_is_refused() {
    let text = "in0 = site \"x\": bool
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc f {
        block0:
            v0: bool = havoc in0
            assert prop0, v0
            call f()
            return
        }
        proc main {
        block0:
            v0: bool = havoc in0
            branch v0, block1, block2
        block1:
            call f()
            return
        block2:
            return
        }";
    let program = read::program(text).unwrap_or_else(|e| panic!("{e:?}"));
    let (verdict, _) = check(&program, Config::default());
    match verdict {
        // The bounded search beside it finds what is there.
        Verdict::Unsafe(_) => {}
        Verdict::Unknown(Reason::NotForEngine(words)) => assert!(words.contains("recursive"), "{words}"),
        Verdict::Safe(_) | Verdict::Unknown(_) => panic!("{verdict:?}"),
    }
}
