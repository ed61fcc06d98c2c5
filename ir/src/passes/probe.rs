//! Programs that ask whether some run comes to a place: there, an unknown Boolean is asserted, so that the property is violated
//! by some run exactly if one comes there, and every run can go on as if nothing had been asked.
//!
//! [`probe`] asks it about the code of properties that hold: a proof of the result says that a property holds only because no
//! run reaches it. Of an assertion that is the assertion. Of a call that must not be reached (its assertion is of `false`) it is
//! the last decision before the call, in which the program could have gone there: the call itself is not reached, as it should be.
//!
//! The properties must hold: then assertions that are probed never end a run, and taking them away changes no run.

use crate::analysis::Cfg;
use crate::consts::Const;
use crate::entities::{Block, Proc, Prop};
use crate::inst::InstData;
use crate::program::{Procedure, Program, PropData, PropKind, SiteData, ValueDef};
use crate::types::Type;
use cranelift_entity::SecondaryMap;
use std::collections::{BTreeMap, BTreeSet};

/// Before the instruction with this number in its block; one past the last is before the terminator.
type Point = (Proc, Block, usize);

/// A program whose properties ask for reachability.
pub struct Probed {
    pub program: Program,
    /// The properties that some run violates exactly if one comes to their code.
    pub asked: Vec<Prop>,
    /// Properties whose code has left the layout because nothing leads there.
    pub absent: Vec<Prop>,
}

/// Asks about the code of these properties, all of which hold.
pub fn probe(program: &Program, props: &[Prop]) -> Probed {
    let mut points: BTreeMap<Point, Vec<Prop>> = BTreeMap::new();
    let mut found: BTreeSet<Prop> = BTreeSet::new();
    let mut program = program.clone();
    let flow = Flow::new(&program);
    for proc in program.procs.keys() {
        let mut asserted = Vec::new();
        let procedure = &program.procs[proc];
        for &block in &procedure.layout {
            for (n, &inst) in procedure.blocks[block].insts.iter().enumerate() {
                if let InstData::Assert { prop, cond } = procedure.insts[inst].data {
                    if props.contains(&prop) {
                        asserted.push(((proc, block, n), inst, prop, cond, is_false(procedure, cond)));
                    }
                }
            }
        }
        for (point, inst, prop, cond, must_not_be_reached) in asserted {
            found.insert(prop);
            let asks = match must_not_be_reached {
                true => flow.decisions(&program, point),
                false => vec![point],
            };
            asks.into_iter().for_each(|point| points.entry(point).or_default().push(prop));
            // It holds whenever a run comes here.
            program.procs[proc].insts[inst].data = InstData::Assume { cond };
        }
    }
    insert(&mut program, &points);
    let left: BTreeSet<Prop> = program.procs.values().flat_map(dead).collect();
    let absent = props.iter().copied().filter(|p| !found.contains(p) && left.contains(p)).collect();
    Probed { program, asked: found.into_iter().collect(), absent }
}

/// An assumption of the program, with properties that are violated if a run comes to it, and if one gets past it.
pub struct Assumption {
    pub origin: crate::entities::Origin,
    pub before: Prop,
    pub behind: Prop,
}

/// Asks about the first assumptions, at most so many.
pub fn probe_assumptions(program: &Program, most: usize) -> (Program, Vec<Assumption>) {
    let mut program = program.clone();
    let mut places = Vec::new();
    for (proc, procedure) in &program.procs {
        for &block in &procedure.layout {
            for (n, &inst) in procedure.blocks[block].insts.iter().enumerate() {
                if let InstData::Assume { .. } = procedure.insts[inst].data {
                    places.push(((proc, block, n), procedure.insts[inst].origin));
                }
            }
        }
    }
    places.truncate(most);
    let mut points: BTreeMap<Point, Vec<Prop>> = BTreeMap::new();
    let mut assumptions = Vec::new();
    for (n, ((proc, block, at), origin)) in places.into_iter().enumerate() {
        let mut ask = |program: &mut Program, word: &str, at: usize| {
            let name = format!("{word} assumption {n}");
            let prop =
                program.props.push(PropData { name, kind: PropKind::Assertion, description: String::new(), origin });
            points.entry((proc, block, at)).or_default().push(prop);
            prop
        };
        let (before, behind) = (ask(&mut program, "before", at), ask(&mut program, "behind", at + 1));
        assumptions.push(Assumption { origin, before, behind });
    }
    insert(&mut program, &points);
    (program, assumptions)
}

/// Asserts an unknown Boolean at each of the points, for each of their properties.
fn insert(program: &mut Program, points: &BTreeMap<Point, Vec<Prop>>) {
    // From the last one of a block: the numbers of those before it stay.
    for (&(proc, block, at), props) in points.iter().rev() {
        for &prop in props {
            let origin = program.props[prop].origin;
            let site = program.sites.push(SiteData { name: "a run comes here".into(), ty: Type::BOOL, origin });
            let procedure = &mut program.procs[proc];
            let havoc = procedure.make_inst(InstData::Havoc { site }, &[Type::BOOL], origin);
            let cond = procedure.insts[havoc].results[0];
            let assert = procedure.make_inst(InstData::Assert { prop, cond }, &[], origin);
            procedure.blocks[block].insts.splice(at..at, [havoc, assert]);
        }
    }
}

/// Properties in blocks that the lowering has taken out of the layout, with the decision that leads to them. (Where such a
/// decision was known beforehand there is none left, and no telling whether a run comes to the assertion of `true`.)
fn dead(procedure: &Procedure) -> BTreeSet<Prop> {
    let layout: BTreeSet<Block> = procedure.layout.iter().copied().collect();
    let gone: Vec<Block> = procedure.blocks.keys().filter(|b| !layout.contains(b)).collect();
    // Outside of the layout: where control comes from, and whether that decides.
    let mut ways: BTreeMap<Block, Vec<(Block, bool)>> = BTreeMap::new();
    for &block in &gone {
        let targets: BTreeSet<Block> = procedure.successors(block).map(|t| t.block).collect();
        targets.iter().for_each(|&t| ways.entry(t).or_default().push((block, targets.len() > 1)));
    }
    let decided = |block: Block| {
        let (mut seen, mut todo) = (BTreeSet::from([block]), vec![block]);
        while let Some(block) = todo.pop() {
            for &(from, decides) in ways.get(&block).into_iter().flatten() {
                if decides {
                    return true;
                }
                if seen.insert(from) {
                    todo.push(from);
                }
            }
        }
        false
    };
    let mut props = BTreeSet::new();
    for &block in &gone {
        for &inst in &procedure.blocks[block].insts {
            if let InstData::Assert { prop, cond } = procedure.insts[inst].data {
                if !is_false(procedure, cond) || decided(block) {
                    props.insert(prop);
                }
            }
        }
    }
    props
}

fn is_false(procedure: &Procedure, cond: crate::entities::Value) -> bool {
    match procedure.values[cond].def {
        ValueDef::Result(inst, _) => procedure.insts[inst].data == InstData::Const(Const::FALSE),
        ValueDef::Param(..) => false,
    }
}

/// How control comes to places.
struct Flow {
    cfgs: SecondaryMap<Proc, Option<Cfg>>,
    /// The blocks that call each procedure.
    callers: BTreeMap<Proc, Vec<(Proc, Block)>>,
}

impl Flow {
    fn new(program: &Program) -> Flow {
        let mut flow = Flow { cfgs: SecondaryMap::new(), callers: BTreeMap::new() };
        for (proc, procedure) in &program.procs {
            flow.cfgs[proc] = Some(Cfg::compute(procedure));
            for &block in &procedure.layout {
                for &inst in &procedure.blocks[block].insts {
                    if let InstData::Call { callee, .. } = procedure.insts[inst].data {
                        flow.callers.entry(callee).or_default().push((proc, block));
                    }
                }
            }
        }
        flow
    }

    /// The ends of the blocks in which it is decided whether control goes on to this place; the place itself if there are none.
    fn decisions(&self, program: &Program, place: Point) -> Vec<Point> {
        let mut decisions = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut todo = vec![(place.0, place.1)];
        while let Some((proc, block)) = todo.pop() {
            if !seen.insert((proc, block)) {
                continue;
            }
            let procedure = &program.procs[proc];
            if block == procedure.entry {
                todo.extend(self.callers.get(&proc).into_iter().flatten());
            }
            for &pred in self.cfgs[proc].as_ref().map_or(&[][..], |cfg| cfg.preds(block)) {
                let targets: BTreeSet<Block> = procedure.successors(pred).map(|t| t.block).collect();
                match targets.len() {
                    1 => todo.push((proc, pred)),
                    _ => drop(decisions.insert((proc, pred, procedure.blocks[pred].insts.len()))),
                }
            }
        }
        match decisions.is_empty() {
            true => vec![place],
            false => decisions.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{read, verify};

    const TEXT: &str = r#"
var @x: bv8 = bv8 0
prop0 = assertion "main.assertion.1" "x"
prop1 = reach "main.reach.1" "y"
prop2 = assertion "main.assertion.2" "gone"
entry main

proc main -> bv8 {
block0:
    v0: bv8 = read @x
    v1 = const bv8 0
    v2: bool = eq v0, v1
    assert prop0, v2
    assume v2
    branch v2, block1, block2
block1:
    return v0
block2:
    jump block3
block3:
    v3 = const false
    assert prop1, v3
    stop
}
"#;

    fn program() -> Program {
        read::program(TEXT).expect("a program")
    }

    fn text(program: &Program) -> Vec<String> {
        verify::verify(program).expect("well-formed");
        crate::write::program(program).lines().map(|l| l.trim().to_string()).collect()
    }

    #[test]
    fn assertions_are_asked_at_their_place_and_calls_at_their_decision() {
        let props: Vec<Prop> = program().props.keys().collect();
        let probed = probe(&program(), &props);
        assert_eq!((probed.asked.len(), probed.absent.clone()), (2, vec![]), "nothing is known of what is not there");
        let lines = text(&probed.program);
        let at =
            |text: &str| lines.iter().position(|l| l.starts_with(text)).unwrap_or_else(|| panic!("{text}: {lines:?}"));
        assert!(at("assert prop0") < at("assume v2") && at("assume v2") < at("assert prop1"), "{lines:?}");
        assert!(at("assert prop1") < at("branch"), "{lines:?}");
        assert_eq!(lines.iter().filter(|l| l.starts_with("assert")).count(), 2, "{lines:?}");
        assert_eq!(lines.iter().filter(|l| l.contains("= havoc")).count(), 2);
    }

    #[test]
    fn what_has_left_the_layout_is_dead_if_a_decision_led_there() {
        let mut program = program();
        let (props, main) = (program.props.keys().collect::<Vec<Prop>>(), program.entry.expect("main"));
        // As if the lowering had found that nothing leads to all but the first block, and then to any.
        let procedure = &mut program.procs[main];
        let all = std::mem::take(&mut procedure.layout);
        procedure.layout = vec![all[0]];
        assert_eq!(dead(procedure), BTreeSet::new(), "the decision is still there");
        procedure.layout.clear();
        assert_eq!(dead(procedure), BTreeSet::from([props[0], props[1]]));
    }

    #[test]
    fn assumptions_are_asked_before_and_behind() {
        let (program, assumptions) = probe_assumptions(&program(), 5);
        assert_eq!(assumptions.len(), 1);
        let lines = text(&program);
        let asserts = |range: &[String]| range.iter().filter(|l| l.starts_with("assert")).count();
        let assume = lines.iter().position(|l| l.starts_with("assume")).expect("the assumption");
        assert_eq!((asserts(&lines[..assume]), asserts(&lines[assume..])), (2, 2), "{lines:?}");
    }
}
