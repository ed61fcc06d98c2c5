//! Calls as the proof engines see them, inlined: each activation has variables of its own, which begin with zero; of a large program
//! only those calls are in place that a proof asks for.

use std::fmt::Write;
use std::time::{Duration, Instant};
use syncline_engines::task::{Certificate, Context, Task, Verdict};
use syncline_engines::{evidence, explicit, kinduction, lawi, pdr};
use syncline_ir::{read, Program};

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
    read::well_formed(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

type Engine = fn(&Task, &mut Context);
const OPENERS: [(&str, Engine); 3] = [
    ("kinduction", kinduction::check),
    ("pdr", pdr::check),
    ("lawi", |task, context| lawi::check(task, lawi::Config::default(), context)),
];

fn verdict(program: &Program, engine: Engine) -> Verdict {
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
    for (name, engine) in OPENERS.into_iter().chain([("explicit", explicit::check as Engine)]) {
        let found = verdict(&program(1), engine);
        assert!(matches!(found, Verdict::Safe(_)), "{name}: {found:?}");
        let found = verdict(&program(2), engine);
        assert!(matches!(found, Verdict::Unsafe(_)), "{name}: {found:?}");
    }
}

/// A loop whose body calls a tree of procedures, each of which calls the next one twice and changes `@noise`. What the loop does
/// depends on `@noise`, whether the assertion holds does not: that is `limit`'s doing, which is called before the last ones.
fn tree(depth: u32, most: u32) -> Program {
    let mut text = String::from(
        "var @x: bv8 = bv8 0
        var @noise: bv8 = bv8 0
        in0 = site \"x\": bv8
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc limit -> bv8 {
        block0(v0: bv8):
            v1 = const bv8 9
            v2: bool = ult v0, v1
            v3: bv8 = ite v2, v0, v1
            return v3
        }
        proc p0 {
        block0:
            v0: bv8 = read @noise
            v1 = const bv8 3
            v2: bv8 = mul v0, v1
            write @noise, v2
            return
        }
        ",
    );
    for n in 1..=depth {
        let callee = n - 1;
        let _ = writeln!(text, "proc p{n} {{ block0:\ncall p{callee}()\ncall p{callee}()\nreturn }}");
    }
    let _ = write!(
        text,
        "proc main {{
        block0:
            jump block1
        block1:
            call p{depth}()
            v0: bv8 = havoc in0
            v1: bv8 = read @noise
            v2: bv8 = add v0, v1
            v3: bv8 = call limit(v2)
            write @x, v3
            call p{depth}()
            v4: bv8 = read @x
            v5 = const bv8 {most}
            v6: bool = ule v4, v5
            assert prop0, v6
            jump block1
        }}"
    );
    read::well_formed(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn only_calls_that_a_proof_asks_for_are_put_in_place() {
    // A million activations, too many to put in place.
    let program = tree(18, 9);
    for (name, engine) in OPENERS {
        let found = verdict(&program, engine);
        let Verdict::Safe(Certificate::Inductive { opened: Some(opened), .. }) = &found else {
            panic!("{name}: {found:?}")
        };
        // The entry and, as it is small, `limit`.
        assert_eq!(opened.len(), 2, "{name}: {opened:?}");
    }
}

#[test]
fn what_is_open_is_put_in_place_before_it_is_blamed() {
    // Few activations, none of them in place at first. Without facts the search itself comes to the open calls.
    for (most, is_safe, invariants) in [(9, true, true), (9, true, false), (8, false, true)] {
        let program = tree(2, most);
        for (name, engine) in OPENERS {
            let deadline = Instant::now() + Duration::from_secs(20);
            let mut found = Vec::new();
            let mut context = Context::new(deadline, |p, v| found.push(evidence::confirm(&program, p, v, deadline)));
            (context.guesses, context.eager, context.invariants) = (false, 0, invariants);
            engine(&Task::new(&program, program.props.keys().collect()), &mut context);
            drop(context);
            match &found[..] {
                [Verdict::Safe(Certificate::Inductive { opened: Some(opened), .. })] if is_safe => {
                    // `limit`, which matters, and what was called on the way to the first violations.
                    assert!(opened.len() >= 2, "{name}: {opened:?}");
                }
                [Verdict::Unsafe(_)] if !is_safe => {}
                other => panic!("{name}, {most}, facts: {invariants}: {other:?}"),
            }
        }
    }
}
