//! Calls as the proof engines see them, inlined: each activation has variables of its own, which begin with zero.

use std::time::{Duration, Instant};
use syncline_engines::task::{Context, Task, Verdict};
use syncline_engines::{evidence, explicit, kinduction, lawi, pdr};
use syncline_ir::{read, verify, Program};

/// A variable of the callee is counted up in each call, and `returned` says what the assertion expects.
fn program(returned: u32) -> Program {
    let text = format!(
        "in0 = site \"x\": bool
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc f -> bv32 {{
            slot0 = slot \"n\": bv32
        block0:
            v0: bv32 = read slot0
            v1 = const bv32 1
            v2: bv32 = add v0, v1
            write slot0, v2
            return v2
        }}
        proc main {{
        block0:
            jump block1
        block1:
            v0: bool = havoc in0
            branch v0, block2, block3
        block2:
            v1: bv32 = call f()
            v2 = const bv32 {returned}
            v3: bool = eq v1, v2
            assert prop0, v3
            jump block1
        block3:
            return
        }}"
    );
    let program = read::program(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    verify::verify(&program).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    program
}

fn verdict(program: &Program, engine: fn(&Task, &mut Context)) -> Verdict {
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut found = Vec::new();
    let mut context = Context::new(deadline, |p, v| found.push(evidence::confirm(program, p, v, deadline)));
    engine(&Task::new(program, program.props.keys().collect()), &mut context);
    drop(context);
    assert_eq!(found.len(), 1);
    found.remove(0)
}

#[test]
fn variables_of_a_callee_begin_with_zero() {
    for (name, engine) in [
        ("kinduction", kinduction::check as fn(&Task, &mut Context)),
        ("pdr", pdr::check),
        ("explicit", explicit::check),
        ("lawi", |task, context| lawi::check(task, lawi::Config::default(), context)),
    ] {
        let found = verdict(&program(1), engine);
        assert!(matches!(found, Verdict::Safe(_)), "{name}: {found:?}");
        let found = verdict(&program(2), engine);
        assert!(matches!(found, Verdict::Unsafe(_)), "{name}: {found:?}");
    }
}
