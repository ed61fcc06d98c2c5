//! Explicit search on hand-written and random IR: verdicts, inputs split by what they are compared with, evidence.

use std::collections::VecDeque;
use std::time::{Duration, Instant};
use syncline_engines::task::{Certificate, Context, Reason, Task, Verdict};
use syncline_engines::{evidence, explicit};
use syncline_ir::interp::{self, Limits, NoObserver, Outcome, Sequence};
use syncline_ir::{read, Program};

fn parse(text: &str) -> Program {
    read::well_formed(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The verdicts by property, each confirmed by its evidence.
fn check(program: &Program) -> Vec<Verdict> {
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut found = Vec::new();
    let mut context = Context::new(deadline, |p, v| found.push((p, evidence::confirm(program, p, v, deadline))));
    explicit::check(&Task::new(program, program.props.keys().collect()), &mut context);
    drop(context);
    found.sort_by_key(|(p, _)| *p);
    assert_eq!(found.len(), program.props.len());
    found.into_iter().map(|(_, v)| v).collect()
}

fn assert_safe(text: &str) {
    let found = check(&parse(text));
    assert!(matches!(found[..], [Verdict::Safe(Certificate::Inductive { k: 0, .. })]), "{found:?}\n{text}");
}

/// The inputs of the violation, in the order of the sites.
fn violation(text: &str) -> Vec<Vec<u128>> {
    let found = check(&parse(text));
    let [Verdict::Unsafe(trace)] = &found[..] else { panic!("{found:?}\n{text}") };
    let bits = |c: &syncline_ir::Const| syncline_ir::eval::to_bits(c);
    trace.inputs.values().map(|values| values.iter().map(bits).collect()).collect()
}

fn unknown(text: &str) -> Reason {
    let found = check(&parse(text));
    let [Verdict::Unknown(reason)] = &found[..] else { panic!("{found:?}\n{text}") };
    reason.clone()
}

/// A machine that goes through `@s` = 0, 1, 2, ... on the right inputs, and back to 0 on others.
fn lock(codes: &[i64], bad: u32) -> String {
    let mut text = "in0 = site \"x\": bv32
        var @s: bv32 = bv32 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {
        block0:
            jump block1
        block1:
            v0: bv32 = havoc in0
            v1: bv32 = read @s
            jump block10
        "
    .to_string();
    for (n, code) in codes.iter().enumerate() {
        let (here, next, hit, go, v) = (10 * n + 10, 10 * n + 20, 10 * n + 11, 10 * n + 12, 10 * n + 10);
        text += &format!(
            "block{here}:
                v{v} = const bv32 {n}
                v{}: bool = eq v1, v{v}
                v{} = const bv32 {}
                v{}: bool = slt v0, v{}
                v{}: bool = and v{}, v{}
                branch v{}, block{hit}, block{go}
            block{hit}:
                v{} = const bv32 {}
                write @s, v{}
                jump block2
            block{go}:
                branch v{}, block3, block{next}
            ",
            v + 1,
            v + 2,
            *code as u32,
            v + 3,
            v + 2,
            v + 4,
            v + 1,
            v + 3,
            v + 4,
            v + 5,
            n + 1,
            v + 5,
            v + 1,
        );
    }
    let end = 10 * codes.len() + 10;
    text + &format!(
        "block{end}:
            jump block2
        block3:
            v2 = const bv32 0
            write @s, v2
            jump block2
        block2:
            v3: bv32 = read @s
            v4 = const bv32 {bad}
            v5: bool = ult v3, v4
            assert prop0, v5
            jump block1
        }}"
    )
}

#[test]
fn a_machine_with_signed_inputs() {
    assert_safe(&lock(&[5, -3, 0], 4));
    let inputs = violation(&lock(&[5, -3, 0], 3));
    let [values] = &inputs[..] else { panic!("{inputs:?}") };
    let values: Vec<i32> = values.iter().map(|&v| v as u32 as i32).collect();
    assert!(values.len() == 3 && values[0] < 5 && values[1] < -3 && values[2] < 0, "{values:?}");
}

/// A body in a loop over inputs `v0`, `v1` of 32 bits and the counter `@c`.
fn looped(body: &str) -> String {
    format!(
        "in0 = site \"x\": bv32
        in1 = site \"y\": bv32
        var @c: bv32 = bv32 0
        var @a: [bv32]bv32 = [bv32]bv32 {{0}}
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {{
        block0:
            jump block1
        block1:
            v0: bv32 = havoc in0
            v1: bv32 = havoc in1
            v2: bv32 = read @c
            v3 = const bv32 1
            v4 = const bv32 10
            {body}
        }}"
    )
}

#[test]
fn two_inputs_are_independent() {
    let body = |constant: u32| {
        looped(&format!(
            "v10: bool = eq v0, v4
            v11 = const bv32 {constant}
            v12: bool = ult v11, v1
            v13: bool = and v10, v12
            v14: bool = not v13
            assert prop0, v14
            jump block1"
        ))
    };
    let inputs = violation(&body(4_000_000_000));
    assert!(inputs[0] == [10] && inputs[1].len() == 1 && inputs[1][0] > 4_000_000_000, "{inputs:?}");
    assert_safe(&body(u32::MAX));
}

#[test]
fn shifted_and_extended_inputs_stay_whole() {
    // x + 10 wraps around below 10 for the ten largest x only; x - 10 is no less than 10 unless it wraps.
    let body = |op: &str, bound: u32| {
        looped(&format!(
            "v10: bv32 = {op} v0, v4
            v11: bv64 = sext.64 v10
            v12: bv64 = zext.64 v10
            v13: bool = eq v11, v12
            v14 = const bv32 {bound}
            v15: bool = slt v0, v14
            v16: bool = or v13, v15
            assert prop0, v16
            jump block1"
        ))
    };
    // Negative only if x < 10 (signed) for `sub`; for `add` also for large x.
    assert_safe(&body("sub", 10));
    let inputs = violation(&body("add", 10));
    assert!(inputs[0].len() == 1 && (0x7fff_fff6..=0x7fff_ffff).contains(&inputs[0][0]), "{inputs:?}");
}

#[test]
fn a_small_input_is_tried_out() {
    let body = |bound: u32| {
        looped(&format!(
            "v10 = const bv32 200
            v11: bool = ult v0, v10
            assume v11
            v12: bv32 = mul v0, v0
            v13 = const bv32 {bound}
            v14: bool = eq v12, v13
            v15: bool = not v14
            assert prop0, v15
            jump block1"
        ))
    };
    assert_safe(&body(15_000));
    assert_eq!(violation(&body(14_641))[0], [121]);
}

#[test]
fn what_is_too_large_is_said() {
    let kept = looped("write @c, v0 v10: bool = eq v2, v4 v11: bool = not v10 assert prop0, v11 jump block1");
    // Found among the states that were looked at, or given up; never proved.
    assert!(!matches!(check(&parse(&kept))[..], [Verdict::Safe(_)]));
    let multiplied = looped("v10: bv32 = mul v0, v1 v11: bool = eq v10, v4 assert prop0, v11 jump block1");
    assert!(matches!(unknown(&multiplied), Reason::NotForEngine(_)));
    let counted = looped(
        "v10: bv32 = add v2, v3
        write @c, v10
        v11 = const bv32 4294967295
        v12: bool = eq v2, v11
        v13: bool = not v12
        assert prop0, v13
        jump block1",
    );
    assert!(matches!(unknown(&counted), Reason::NotForEngine(_)));
}

#[test]
fn arrays_hold_states() {
    // A ring of eight cells; each step moves the mark, and counts.
    let body = |bound: u32| {
        looped(&format!(
            "v10 = const bv32 7
            v11: bv32 = load @a[v2]
            v12: bv32 = add v11, v3
            v13: bv32 = bvand v12, v3
            store @a[v2], v13
            v14: bv32 = add v2, v3
            v15: bv32 = bvand v14, v10
            write @c, v15
            v16 = const bv32 0
            v17: bv32 = load @a[v16]
            v18: bv32 = load @a[v10]
            v19: bv32 = sub v17, v18
            v20 = const bv32 {bound}
            v21: bool = eq v19, v20
            v22: bool = not v21
            assert prop0, v22
            jump block1"
        ))
    };
    assert_safe(&body(2));
    violation(&body(u32::MAX));
}

#[test]
fn nested_loops() {
    let text = |bound: u32| {
        format!(
            "var @n: bv8 = bv8 0
            prop0 = assertion \"main.assertion.1\" \"\"
            entry main
            proc main {{
            block0:
                v0 = const bv8 0
                v1 = const bv8 1
                v2 = const bv8 5
                jump block1(v0)
            block1(v3: bv8):
                v4: bool = ult v3, v2
                branch v4, block2(v0), block5
            block2(v5: bv8):
                v6: bool = ult v5, v3
                branch v6, block3, block4
            block3:
                v7: bv8 = read @n
                v8: bv8 = add v7, v1
                write @n, v8
                v9: bv8 = add v5, v1
                jump block2(v9)
            block4:
                v10: bv8 = add v3, v1
                jump block1(v10)
            block5:
                v11: bv8 = read @n
                v12 = const bv8 {bound}
                v13: bool = ule v11, v12
                assert prop0, v13
                return
            }}"
        )
    };
    assert_safe(&text(10));
    violation(&text(9));
}

#[test]
fn what_is_not_modelled_blocks_safe() {
    let text = "in0 = site \"n\": bv8
        prop0 = assertion \"main.assertion.1\" \"\"
        obligation0 = \"inline assembly\"
        entry main
        proc main {
        block0:
            v0: bv8 = havoc in0
            v1 = const bv8 7
            v2: bool = ult v0, v1
            branch v2, block1, block2
        block1:
            unsupported obligation0
            jump block2
        block2:
            v3: bool = eq v0, v0
            assert prop0, v3
            return
        }";
    assert!(matches!(unknown(text), Reason::Unsupported(_)));
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len() as u64) as usize]
    }
}

/// A loop over three variables of three bits and one input of three bits in each round: conditions, assignments, and an
/// assertion at the end of the round. After `rounds` rounds it stops.
fn random_program(seed: u64) -> String {
    let mut random = Random(seed);
    let mut next = 100;
    let mut text = "in0 = site \"x\": bv3
        var @a: bv3 = bv3 0
        var @b: bv3 = bv3 1
        var @n: bv3 = bv3 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {
            slot0 = slot \"s\": bv3
        block0:
            jump block1
        block1:
            v0: bv3 = read @n
            v1 = const bv3 4
            v2: bool = ult v0, v1
            branch v2, block2, block3
        block3:
            return
        block2:
            v3: bv3 = havoc in0
            write slot0, v3
            v4 = const bv3 1
            v5: bv3 = add v0, v4
            write @n, v5
            jump block10
        "
    .to_string();
    let places = ["@a", "@b", "slot0"];
    let steps = 2 + random.below(3);
    for step in 0..steps {
        let (here, then, after) = (10 + step * 3, 11 + step * 3, 13 + step * 3);
        text += &format!("block{here}:\n");
        let cond = condition(&mut random, &mut next, &mut text, &places);
        text += &format!("branch v{cond}, block{then}, block{after}\nblock{then}:\n");
        let value = expression(&mut random, &mut next, &mut text, &places);
        text += &format!("write {}, v{value}\njump block{after}\n", random.pick(&places));
    }
    text += &format!("block{}:\n", 10 + steps * 3);
    let cond = condition(&mut random, &mut next, &mut text, &places);
    let other = condition(&mut random, &mut next, &mut text, &places);
    text += &format!("v{next}: bool = or v{cond}, v{other}\nassert prop0, v{next}\njump block1\n}}");
    text
}

fn expression(random: &mut Random, next: &mut u32, text: &mut String, places: &[&str]) -> u32 {
    let v = *next;
    *next += 4;
    let ops = ["add", "sub", "mul", "bvand", "bvxor", "shl", "urem", "sdiv", "ashr"];
    let second = match random.below(2) {
        0 => format!("v{} = const bv3 {}", v + 1, random.below(8)),
        _ => format!("v{}: bv3 = read {}", v + 1, random.pick(places)),
    };
    *text += &format!("v{v}: bv3 = read {}\n{second}\n", random.pick(places));
    *text += &format!("v{}: bv3 = {} v{v}, v{}\n", v + 2, random.pick(&ops), v + 1);
    v + 2
}

fn condition(random: &mut Random, next: &mut u32, text: &mut String, places: &[&str]) -> u32 {
    let left = expression(random, next, text, places);
    let v = *next;
    *next += 8;
    let ops = ["eq", "ult", "ule", "slt", "sle"];
    *text += &format!("v{v} = const bv3 {}\n", random.below(8));
    *text += &format!("v{}: bool = {} v{left}, v{v}\n", v + 1, random.pick(&ops));
    *text += &format!("v{}: bv3 = read {}\nv{} = const bv3 {}\n", v + 2, random.pick(places), v + 3, random.below(8));
    *text += &format!("v{}: bool = {} v{}, v{}\n", v + 4, random.pick(&ops), v + 3, v + 2);
    *text += &format!("v{}: bool = {} v{}, v{}\n", v + 5, random.pick(&["and", "or"]), v + 1, v + 4);
    v + 5
}

/// Whether some sequence of four inputs violates the property.
fn enumerated(program: &Program) -> bool {
    (0..8u32.pow(4)).any(|n| {
        let inputs: VecDeque<u128> = (0..4).map(|i| u128::from(n >> (3 * i) & 7)).collect();
        let outcome = interp::run(program, &mut Sequence(inputs), &mut NoObserver, Limits::default());
        matches!(outcome, Outcome::Violated(_))
    })
}

#[test]
fn random_programs_against_enumeration() {
    let mut violated = 0;
    for seed in 0..400 {
        let text = random_program(seed);
        let program = parse(&text);
        let expected = enumerated(&program);
        violated += u32::from(expected);
        let found = check(&program);
        let agrees = match found[..] {
            [Verdict::Safe(_)] => !expected,
            [Verdict::Unsafe(_)] => expected,
            _ => false,
        };
        assert!(agrees, "seed {seed}: {expected}, {found:?}\n{text}");
    }
    assert!((50..350).contains(&violated), "{violated} of 400 are violated");
}
