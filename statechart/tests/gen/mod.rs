//! Generated charts, on the model itself: a chart is a function of its seed, number and profile alone.
//!
//! ```text
//! mod      declarations, the tree of states, requirements
//! arrows   defaults, transitions, connectors
//! labels   guards, event expressions, expressions
//! actions  action lists
//! text     the chart as XML
//! cover    what the charts use, and which rules their runs come to
//! search   all that a small chart can do, by the simulator
//! ```
//! Conflicts, races, endless supersteps, dead ends and values outside of their range come up by chance and on purpose; what
//! the importer refuses does not.

#![allow(dead_code)] // Each test uses a part.

mod actions;
mod arrows;
pub mod cover;
mod labels;
#[path = "../../../tests/support/rng.rs"]
pub mod rng;
pub mod search;
pub mod text;
pub mod walk;

use cranelift_entity::{EntityRef, PrimaryMap};
use rng::Rng;
use syncline_statechart::model::*;

/// What charts are wanted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Profile {
    /// For runs: up to some thirty states.
    Large,
    /// For enumeration: few states, inputs and values.
    Small,
    /// As large, with many divisions by what may be zero, and indices that may lie outside.
    Reckless,
}

struct Gen {
    rng: Rng,
    chart: Chart,
    profile: Profile,
    /// States that may still be made.
    budget: usize,
    lines: u32,
    /// How many of a hundred divisions and indices are safe. In some charts few are, so that several fail in one step.
    safety: u64,
}

/// The chart of this number.
pub fn chart(seed: u64, index: u64, profile: Profile) -> Chart {
    let mut rng = Rng::new(seed, index);
    let time = match rng.below(5) {
        0 | 1 => Time::Synchronous,
        2 | 3 => Time::Asynchronous { max_advance: 1 },
        _ => Time::Asynchronous { max_advance: 2 + rng.below(2) as u32 },
    };
    let chart = Chart {
        name: format!("chart_{index}"),
        time,
        files: vec![format!("chart_{index}.xml")],
        states: PrimaryMap::new(),
        connectors: PrimaryMap::new(),
        segments: PrimaryMap::new(),
        events: PrimaryMap::new(),
        items: PrimaryMap::new(),
        enums: Vec::new(),
        requirements: Vec::new(),
    };
    let budget = match profile {
        Profile::Large | Profile::Reckless => 6 + rng.below(24),
        Profile::Small => 3 + rng.below(7),
    };
    let safety = match profile {
        Profile::Large | Profile::Small => rng.pick(&[80, 80, 80, 80, 80, 20]),
        Profile::Reckless => 10,
    };
    let mut gen = Gen { rng, chart, profile, budget, lines: 0, safety };
    gen.declarations();
    gen.tree();
    gen.arrows();
    gen.state_actions();
    gen.requirements();
    gen.chart
}

impl Gen {
    fn reckless(&self) -> bool {
        self.safety < 50
    }

    fn large(&self) -> bool {
        self.profile != Profile::Small
    }

    fn position(&mut self) -> Position {
        self.lines += 1;
        Position { file: 0, line: self.lines, column: 1 }
    }

    fn declarations(&mut self) {
        let (inputs, locals) =
            if self.large() { (1 + self.rng.below(3), 1 + self.rng.below(3)) } else { (1 + self.rng.below(2), 1) };
        for n in 0..inputs {
            self.event(format!("in_{n}"), true);
        }
        for n in 0..locals {
            self.event(format!("ev_{n}"), false);
        }
        let values = 2 + self.rng.below(2);
        self.chart
            .enums
            .push(EnumData { name: "Hue".into(), values: (0..values).map(|n| format!("hue_{n}")).collect() });
        self.item("i_0", ItemType::Int { min: 0, max: 2 }, None, false);
        self.item("b_0", ItemType::Bool, None, false);
        let input = if self.rng.chance(50) { ItemType::Bool } else { ItemType::Int { min: -1, max: 1 } };
        self.item("x_0", input, None, true);
        let large = self.large();
        let likely = |percent: u64| if large { percent } else { percent / 3 };
        if self.rng.chance(likely(60)) {
            let min = -(self.rng.below(3) as i32);
            self.item("i_1", ItemType::Int { min, max: min + 3 }, None, false);
        }
        if self.rng.chance(likely(50)) {
            self.item("e_0", ItemType::Enum(0), None, false);
        }
        if self.rng.chance(likely(25)) {
            self.item("x_1", ItemType::Enum(0), None, true);
        }
        if self.rng.chance(likely(45)) {
            let array = Some(ArrayData { first: self.rng.below(3) as i32 - 1, cells: 1 + self.rng.below(3) as u32 });
            let ty = if self.rng.chance(70) { ItemType::Int { min: 0, max: 2 } } else { ItemType::Bool };
            self.item("a_0", ty, array, false);
        }
        if self.rng.chance(likely(12)) {
            self.item("x_2", ItemType::Int { min: 0, max: 1 }, Some(ArrayData { first: 0, cells: 2 }), true);
        }
        if self.rng.chance(likely(25)) {
            self.item("rec.flag", ItemType::Bool, None, false);
            self.item("rec.level", ItemType::Int { min: 0, max: 3 }, None, false);
        }
        if self.rng.chance(likely(20)) {
            self.item("r_0", ItemType::Real, None, false);
        }
    }

    fn event(&mut self, name: String, input: bool) {
        let position = self.position();
        self.chart.events.push(EventData { name, input, position });
    }

    fn item(&mut self, name: &str, ty: ItemType, array: Option<ArrayData>, input: bool) {
        let initial = match ty {
            ItemType::Bool => Literal::Bool(self.rng.chance(30)),
            ItemType::Int { min, max } => Literal::Int(self.rng.range(min.into(), max.into()) as i32),
            ItemType::Enum(_) => Literal::Int(self.rng.below(self.chart.enums[0].values.len()) as i32),
            ItemType::Real => Literal::Real(self.rng.range(-4, 4) as f64 / 2.0),
        };
        let position = self.position();
        self.chart.items.push(ItemData { name: name.into(), ty, array, initial, input, position });
    }

    fn tree(&mut self) {
        let name = self.chart.name.clone();
        let root = self.state(None, StateKind::Or, name);
        self.children_of_or(root, 0);
    }

    fn state(&mut self, parent: Option<State>, kind: StateKind, name: String) -> State {
        let position = self.position();
        let path = match parent {
            Some(parent) if self.chart.states[parent].parent.is_some() => {
                format!("{}.{name}", self.chart.states[parent].path)
            }
            _ => name.clone(),
        };
        let data = StateData {
            name,
            path,
            parent,
            kind,
            children: vec![],
            entering: vec![],
            exiting: vec![],
            reactions: vec![],
            position,
        };
        let state = self.chart.states.push(data);
        if let Some(parent) = parent {
            self.chart.states[parent].children.push(state);
        }
        self.budget = self.budget.saturating_sub(1);
        state
    }

    fn child(&mut self, parent: State, kind: StateKind) -> State {
        let name = format!("s_{}", self.chart.states.len());
        self.state(Some(parent), kind, name)
    }

    fn children_of_or(&mut self, parent: State, depth: u32) {
        let count = if self.rng.chance(8) { 1 } else { 2 + self.rng.below(2) };
        for _ in 0..count {
            let weights: &[u32] = match depth {
                _ if depth >= 4 || self.budget < 3 => &[1, 0, 0],
                0 => &[3, 2, 6],
                _ => &[5, 3, 3],
            };
            let kind = [StateKind::Basic, StateKind::Or, StateKind::And][self.rng.weighted(weights)];
            let child = self.child(parent, kind);
            match kind {
                StateKind::Basic => {}
                StateKind::Or => self.children_of_or(child, depth + 1),
                StateKind::And => self.children_of_and(child, depth + 1),
            }
        }
    }

    fn children_of_and(&mut self, parent: State, depth: u32) {
        let count = 2 + self.rng.weighted(&[6, 2, 1]);
        for _ in 0..count {
            let basic = self.rng.chance(15) || self.budget < 2;
            let child = self.child(parent, if basic { StateKind::Basic } else { StateKind::Or });
            if !basic {
                self.children_of_or(child, depth + 1);
            }
        }
    }

    fn requirements(&mut self) {
        let count = if self.large() { self.rng.below(3) } else { 1 + self.rng.below(2) };
        for n in 0..count {
            let kind = match self.rng.below(3) {
                0 => RequirementKind::Always(self.demand()),
                1 => RequirementKind::LeadsTo {
                    cause: self.demand(),
                    effect: self.demand(),
                    within: self.rng.below(4) as u32,
                },
                _ => RequirementKind::AfterUntil {
                    after: self.event_expr(1),
                    holds: self.demand(),
                    until: self.event_expr(1),
                },
            };
            let position = self.position();
            let text = text::requirement(&self.chart, &kind);
            self.chart.requirements.push(Requirement { name: format!("R_{n}"), kind, text, position });
        }
    }

    /// A condition of a requirement: events may stand in it.
    fn demand(&mut self) -> Expr {
        let condition = self.condition(2, &labels::Scope::default());
        if !self.rng.chance(40) {
            return condition;
        }
        let event = Expr::Occurs(Box::new(self.event_expr(1)));
        let op = self.rng.pick(&[BinaryOp::And, BinaryOp::Or]);
        Expr::Binary(op, Box::new(condition), Box::new(event))
    }

    fn states(&self) -> Vec<State> {
        self.chart.states.keys().skip(1).collect()
    }

    fn states_of(&self, kind: StateKind) -> Vec<State> {
        self.chart.states.keys().filter(|&s| self.chart.states[s].kind == kind).collect()
    }

    fn some_state(&mut self) -> State {
        State::new(1 + self.rng.below(self.chart.states.len() - 1))
    }
}
