//! Action lists: of segments, static reactions, entering, exiting, and scheduled ones.

use super::labels::{binary, int, Scope};
use super::Gen;
use cranelift_entity::EntityRef;
use syncline_statechart::model::*;

/// A list being made: its context variables, and those that a loop around the current place counts with.
#[derive(Default)]
struct List {
    context: Vec<(String, ValueType)>,
    scope: Scope,
}

impl List {
    fn fresh(&mut self, ty: ValueType) -> u32 {
        let n = self.context.len() as u32;
        self.context.push((format!("v_{n}"), ty));
        n
    }
}

impl Gen {
    /// Entering and exiting lists, and static reactions.
    pub(super) fn state_actions(&mut self) {
        let [entering, exiting, reactions] = if self.large() { [25, 18, 30] } else { [20, 12, 22] };
        for state in self.chart.states.keys().collect::<Vec<_>>() {
            while self.rng.chance(entering) {
                let list = self.action_list(2);
                self.chart.states[state].entering.push(list);
            }
            if self.rng.chance(exiting) {
                let list = self.action_list(2);
                self.chart.states[state].exiting.push(list);
            }
            while self.rng.chance(reactions) {
                let (guard, action) = (self.guard(), self.action_list(2));
                let position = self.position();
                self.chart.states[state].reactions.push(Reaction { guard, action, position });
            }
        }
    }

    pub(super) fn action_list(&mut self, depth: u32) -> ActionList {
        let mut list = List::default();
        let count = 1 + self.rng.weighted(&[6, 3, 1]);
        let statements = self.statements(&mut list, count, depth);
        let position = self.position();
        ActionList { context: list.context, statements, position }
    }

    fn statements(&mut self, list: &mut List, count: usize, depth: u32) -> Vec<Statement> {
        (0..count).flat_map(|_| self.statement(list, depth)).collect()
    }

    fn body(&mut self, list: &mut List, depth: u32) -> Vec<Statement> {
        let count = 1 + self.rng.below(2);
        // What is set in a branch or a loop is not relied on behind it.
        let scope = list.scope.clone();
        let statements = self.statements(list, count, depth - 1);
        list.scope = scope;
        statements
    }

    fn statement(&mut self, list: &mut List, depth: u32) -> Vec<Statement> {
        let weights: &[u32] = if depth == 0 { &[26, 50, 8, 3, 3] } else { &[22, 42, 9, 4, 3, 9, 5, 5, 4, 6] };
        match self.rng.weighted(weights) {
            0 => {
                let events: Vec<Event> = self.chart.events.keys().collect();
                vec![Statement::Raise(self.rng.pick(&events))]
            }
            1 => vec![self.assign(list)],
            2 => vec![self.set_context(list)],
            3 => {
                let ors: Vec<State> = self.states_of(StateKind::Or).into_iter().filter(|s| s.index() > 0).collect();
                if ors.is_empty() {
                    return vec![Statement::Raise(self.some_event())];
                }
                vec![Statement::ClearHistory(self.rng.pick(&ors))]
            }
            4 => {
                let compound: Vec<State> =
                    self.states().into_iter().filter(|&s| self.chart.states[s].kind != StateKind::Basic).collect();
                if compound.is_empty() {
                    return vec![Statement::Raise(self.some_event())];
                }
                vec![Statement::ClearDeepHistory(self.rng.pick(&compound))]
            }
            5 => {
                let condition = self.condition(1, &list.scope);
                let then = self.body(list, depth);
                let otherwise = if self.rng.chance(50) { self.body(list, depth) } else { vec![] };
                vec![Statement::If { condition, then, otherwise }]
            }
            6 => {
                let event = self.event_expr(1);
                let then = self.body(list, depth);
                let otherwise = if self.rng.chance(50) { self.body(list, depth) } else { vec![] };
                vec![Statement::When { event, then, otherwise }]
            }
            7 => vec![self.for_loop(list, depth)],
            8 => self.while_loop(list, depth),
            _ => {
                let delay = self.delay(&list.scope);
                let action = Box::new(self.action_list(depth - 1));
                vec![Statement::Schedule { action, delay }]
            }
        }
    }

    fn set_context(&mut self, list: &mut List) -> Statement {
        let reals = !self.items(|i| i.ty == ItemType::Real).is_empty();
        match self.rng.below(if reals { 4 } else { 3 }) {
            0 => {
                let value = self.condition(1, &list.scope);
                let n = list.fresh(ValueType::Bool);
                list.scope.bools.push(n);
                Statement::SetContext(n, value)
            }
            3 => {
                let value = self.real(1, &list.scope);
                let n = list.fresh(ValueType::Real);
                list.scope.reals.push(n);
                Statement::SetContext(n, value)
            }
            _ => {
                let value = self.integer(1, &list.scope);
                let n = list.fresh(ValueType::Int);
                list.scope.ints.push(n);
                Statement::SetContext(n, value)
            }
        }
    }

    fn for_loop(&mut self, list: &mut List, depth: u32) -> Statement {
        let variable = list.fresh(ValueType::Int);
        let from = int(self.rng.range(-1, 1) as i32);
        let to = match self.rng.chance(60) {
            true => int(self.rng.range(-1, 3) as i32),
            false => binary(BinaryOp::Min, int(3), self.integer(0, &list.scope)),
        };
        list.scope.ints.push(variable);
        let body = self.body(list, depth);
        list.scope.ints.retain(|&v| v != variable);
        Statement::For { variable, from, to, body }
    }

    /// Counts with a variable that nothing else sets, so it ends.
    fn while_loop(&mut self, list: &mut List, depth: u32) -> Vec<Statement> {
        let variable = list.fresh(ValueType::Int);
        let limit = int(1 + self.rng.below(3) as i32);
        let count = binary(BinaryOp::Lt, Expr::Context(variable), limit);
        let condition = match self.rng.chance(30) {
            true => binary(BinaryOp::And, count, self.condition(0, &list.scope)),
            false => count,
        };
        list.scope.ints.push(variable);
        let mut body = self.body(list, depth);
        body.push(Statement::SetContext(variable, binary(BinaryOp::Add, Expr::Context(variable), int(1))));
        vec![Statement::SetContext(variable, int(0)), Statement::While { condition, body }]
    }

    fn assign(&mut self, list: &mut List) -> Statement {
        let items = self.items(|i| !i.input);
        let item = self.rng.pick(&items);
        let array = self.chart.items[item].array.is_some();
        let index = array.then(|| self.index(item, &list.scope));
        let value = match self.chart.items[item].ty {
            ItemType::Bool => match self.rng.chance(50) {
                true => Expr::Literal(Literal::Bool(self.rng.chance(50))),
                false => self.condition(1, &list.scope),
            },
            ItemType::Int { min, max } => self.assigned_integer(min, max, &list.scope),
            ItemType::Enum(_) => self.enum_value(),
            ItemType::Real => self.real(1, &list.scope),
        };
        Statement::Assign { item, index, value }
    }

    /// Mostly within the range.
    fn assigned_integer(&mut self, min: i32, max: i32, scope: &Scope) -> Expr {
        match self.rng.weighted(&[40, 52, 8]) {
            0 => int(self.rng.range(min.into(), max.into()) as i32),
            1 => {
                let wild = self.integer(1, scope);
                binary(BinaryOp::Max, int(min), binary(BinaryOp::Min, int(max), wild))
            }
            _ => self.integer(1, scope),
        }
    }
}
