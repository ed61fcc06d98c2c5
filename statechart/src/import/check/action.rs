//! Actions.

use super::{both, Checker, Place, Type};
use crate::import::dictionary::{Body, Defined, Entry};
use crate::import::label::syntax::{Kind, Name, Step, StepKind, Tree};
use crate::model::{BinaryOp, Expr, Item, Literal, Statement};

impl Checker<'_> {
    pub(super) fn steps(&mut self, place: &Place, steps: &[Step]) -> Option<Vec<Statement>> {
        let mut statements = Vec::new();
        let mut whole = true;
        for step in steps {
            match self.part(place, step.at, |checker| checker.step(place, step)) {
                Some(more) => statements.extend(more),
                None => whole = false,
            }
        }
        whole.then_some(statements)
    }

    fn step(&mut self, place: &Place, step: &Step) -> Option<Vec<Statement>> {
        Some(match &step.kind {
            StepKind::Name(name) => return self.perform(place, step.at, name),
            StepKind::Assign(name, value) => return self.assign(place, step.at, name, value),
            StepKind::SetContext(name, value) => vec![self.set_context(place, step.at, name, value)?],
            StepKind::If(condition, then, otherwise) => {
                let condition = self.condition(place, condition);
                let (then, otherwise) = self.branches(place, then, otherwise)?;
                vec![Statement::If { condition: condition?, then, otherwise }]
            }
            StepKind::When(event, then, otherwise) => {
                let event = self.event(place, event);
                let (then, otherwise) = self.branches(place, then, otherwise)?;
                vec![Statement::When { event: event?, then, otherwise }]
            }
            StepKind::While(condition, body) => {
                let condition = self.condition(place, condition);
                let body = self.steps(place, body);
                vec![Statement::While { condition: condition?, body: body? }]
            }
            StepKind::For { variable, from, to, down, body } => {
                return self.for_loop(place, step.at, variable, (from, to), *down, body);
            }
            StepKind::Make(name, value) => vec![self.make(place, name.at, name, *value)?],
            StepKind::Run(name, start) => {
                let activity = self.activity_named(place, name.at, name)?;
                let value = Expr::Literal(Literal::Bool(*start));
                vec![
                    Statement::Assign { item: activity.active, index: None, value },
                    Statement::Raise(if *start { activity.started } else { activity.stopped }),
                ]
            }
            StepKind::Clear { state, deep } => {
                let state = self.state(place, state.at, state)?;
                vec![if *deep { Statement::ClearDeepHistory(state) } else { Statement::ClearHistory(state) }]
            }
            StepKind::Schedule(steps, delay) => {
                let delay = self.value(place, delay, Some(Type::Int));
                let action = self.action_list(place, steps, step.at);
                vec![Statement::Schedule { action: Box::new(action?), delay: delay?.0 }]
            }
        })
    }

    /// Both branches see the variables of before; behind them those of either are seen.
    fn branches(
        &mut self,
        place: &Place,
        then: &[Step],
        otherwise: &[Step],
    ) -> Option<(Vec<Statement>, Vec<Statement>)> {
        let then = self.steps(place, then);
        let otherwise = self.steps(place, otherwise);
        then.zip(otherwise)
    }

    /// An event is raised, a defined action done.
    fn perform(&mut self, place: &Place, at: usize, name: &Name) -> Option<Vec<Statement>> {
        let path = name.path();
        if name.has_index() {
            return self.error(
                place,
                at,
                format!("`{path}(...)` is no action: `:=` is missing, or events have no index"),
            );
        }
        match self.entry(name) {
            Some(Entry::Event(event)) => Some(vec![Statement::Raise(*event)]),
            Some(&Entry::Defined(index)) => {
                let dictionary = self.dictionary;
                match &dictionary.defined[index].body {
                    Some(Body::Action(_)) => self.expand(index, Self::expanded, place, at),
                    Some(Body::Event(_)) => {
                        self.error(place, at, format!("`{path}` is a defined event: it cannot be raised"))
                    }
                    Some(Body::Condition(_)) => {
                        self.error(place, at, format!("`{path}` is a condition, not an action"))
                    }
                    None => None,
                }
            }
            Some(Entry::Item(_) | Entry::Record(..)) => {
                self.error(place, at, format!("`{path}` is no action: `:=` is missing"))
            }
            None => self.unknown(place, at, "event or action", &path),
        }
    }

    /// A defined action has context variables of its own, which start as 0 each time.
    fn expanded(&mut self, defined: &Defined, own: &Place) -> Option<Vec<Statement>> {
        let Some(Body::Action(steps)) = &defined.body else { return None };
        let list = self.list.as_mut()?;
        let outer = std::mem::take(&mut list.visible);
        let first = list.context.len();
        let statements = self.steps(own, steps);
        let list = self.list.as_mut()?;
        list.visible = outer;
        let mut all: Vec<Statement> = Vec::new();
        for (number, (_, ty)) in list.context.iter().enumerate().skip(first) {
            let zero = match ty {
                Type::Bool => Literal::Bool(false),
                Type::Int | Type::Enum(_) => Literal::Int(0),
                Type::Real => Literal::Real(0.0),
            };
            all.push(Statement::SetContext(number as u32, Expr::Literal(zero)));
        }
        all.extend(statements?);
        Some(all)
    }

    /// The item that is written; inputs are not.
    fn target(&mut self, place: &Place, at: usize, name: &Name) -> Option<Item> {
        let path = name.path();
        let dictionary = self.dictionary;
        match self.entry(name) {
            Some(Entry::Item(item)) if dictionary.items[*item].input => {
                self.error(place, at, format!("`{path}` is an input: the chart does not write it"))
            }
            Some(Entry::Item(item)) => Some(*item),
            Some(Entry::Record(..)) => self.error(place, at, format!("`{path}` is a record: name a field")),
            Some(Entry::Event(_)) => self.error(place, at, format!("`{path}` is an event: it has no value")),
            Some(Entry::Defined(_)) => self.error(place, at, format!("`{path}` is defined: it cannot be written")),
            None => self.unknown(place, at, "data-item or condition", &path),
        }
    }

    fn make(&mut self, place: &Place, at: usize, name: &Name, value: bool) -> Option<Statement> {
        let item = self.target(place, at, name)?;
        let ty = Type::of(self.dictionary.items[item].ty);
        if ty != Type::Bool {
            let message = format!("a condition is wanted here, `{}` is {}", name.path(), self.type_name(ty));
            return self.error(place, at, message);
        }
        let index = self.index(place, at, name, item)?;
        Some(Statement::Assign { item, index, value: Expr::Literal(Literal::Bool(value)) })
    }

    fn assign(&mut self, place: &Place, at: usize, name: &Name, value: &Tree) -> Option<Vec<Statement>> {
        if let Some(statements) = self.assign_whole(place, at, name, value) {
            return statements;
        }
        let item = self.target(place, at, name);
        let wanted = item.map(|item| Type::of(self.dictionary.items[item].ty));
        let index = match item {
            Some(item) => self.index(place, at, name, item),
            None => None,
        };
        let value = self.value(place, value, wanted);
        Some(vec![Statement::Assign { item: item?, index: index?, value: value?.0 }])
    }

    /// `a := b` of records and arrays, item by item and cell by cell; `None` if it is something else.
    fn assign_whole(&mut self, place: &Place, at: usize, name: &Name, value: &Tree) -> Option<Option<Vec<Statement>>> {
        let Kind::Name(source) = &value.kind else { return None };
        if name.has_index() || source.has_index() {
            return None;
        }
        let dictionary = self.dictionary;
        let array = |item: Item| dictionary.items[item].array;
        let pairs: Vec<(Item, Item)> = match (self.entry(name)?, self.entry(source)?) {
            (Entry::Record(a, to), Entry::Record(b, from)) if a == b => {
                to.iter().copied().zip(from.iter().copied()).collect()
            }
            (&Entry::Item(to), &Entry::Item(from)) if array(to).is_some() && array(from).is_some() => vec![(to, from)],
            _ => return None,
        };
        let mut statements = Vec::new();
        for (to, from) in pairs {
            match self.part(place, at, |checker| checker.copy(place, at, to, from)) {
                Some(statement) => statements.push(statement),
                None => return Some(None),
            }
        }
        Some(Some(statements))
    }

    fn copy(&mut self, place: &Place, at: usize, to: Item, from: Item) -> Option<Statement> {
        let dictionary = self.dictionary;
        let (target, source) = (&dictionary.items[to], &dictionary.items[from]);
        if target.input {
            return self.error(place, at, format!("`{}` is an input: the chart does not write it", target.name));
        }
        let ty = Type::of(target.ty);
        let fits = Type::of(source.ty) == ty && target.array.map(|a| a.cells) == source.array.map(|a| a.cells);
        if !fits {
            return self.error(
                place,
                at,
                format!("`{}` and `{}` are not of one type and size", target.name, source.name),
            );
        }
        let (Some(target_array), Some(source_array)) = (target.array, source.array) else {
            return Some(Statement::Assign { item: to, index: None, value: Expr::Item(from) });
        };
        let variable = self.fresh("$cell", Type::Int)?;
        let offset = source_array.first.wrapping_sub(target_array.first);
        let cell = Expr::Context(variable);
        let source_cell = both(BinaryOp::Add, cell.clone(), Expr::Literal(Literal::Int(offset)));
        let value = Expr::Cell(from, Box::new(source_cell));
        let last = i64::from(target_array.first) + i64::from(target_array.cells) - 1;
        Some(Statement::For {
            variable,
            from: Expr::Literal(Literal::Int(target_array.first)),
            to: Expr::Literal(Literal::Int(i32::try_from(last).ok()?)),
            body: vec![Statement::Assign { item: to, index: Some(cell), value }],
        })
    }

    /// A context variable that no name means.
    fn fresh(&mut self, name: &str, ty: Type) -> Option<u32> {
        let list = self.list.as_mut()?;
        list.context.push((name.to_string(), ty));
        Some(list.context.len() as u32 - 1)
    }

    /// The first value a variable gets says of which type it is.
    fn set_context(&mut self, place: &Place, at: usize, name: &str, value: &Tree) -> Option<Statement> {
        let known = self.list.as_ref()?.visible.iter().find(|(own, _)| own == name).map(|(_, number)| *number);
        if let Some(number) = known {
            let list = self.list.as_ref()?;
            let ty = list.context[number as usize].1;
            if list.loops.contains(&number) {
                return self.error(place, at, format!("`{name}` is the variable of a loop: the loop alone changes it"));
            }
            return Some(Statement::SetContext(number, self.value(place, value, Some(ty))?.0));
        }
        let (value, ty) = self.value(place, value, None)?;
        let number = self.fresh(name, ty)?;
        self.list.as_mut()?.visible.push((name.to_string(), number));
        Some(Statement::SetContext(number, value))
    }

    fn for_loop(
        &mut self,
        place: &Place,
        at: usize,
        name: &str,
        (from, to): (&Tree, &Tree),
        down: bool,
        body: &[Step],
    ) -> Option<Vec<Statement>> {
        let from = self.value(place, from, Some(Type::Int));
        let to = self.value(place, to, Some(Type::Int));
        let list = self.list.as_ref()?;
        let known = list.visible.iter().find(|(own, _)| own == name).map(|(_, number)| *number);
        let variable = match known {
            Some(number) if list.context[number as usize].1 != Type::Int => {
                return self.error(place, at, format!("`{name}` counts the loop and is no integer"));
            }
            Some(number) if list.loops.contains(&number) => {
                return self.error(place, at, format!("`{name}` is the variable of a loop around this one"));
            }
            Some(number) => number,
            None => {
                let number = self.fresh(name, Type::Int)?;
                self.list.as_mut()?.visible.push((name.to_string(), number));
                number
            }
        };
        self.list.as_mut()?.loops.push(variable);
        let body = self.steps(place, body);
        self.list.as_mut()?.loops.pop();
        let (from, to, mut body) = (from?.0, to?.0, body?);
        if !down {
            return Some(vec![Statement::For { variable, from, to, body }]);
        }
        // Down from a to b: up from b to a with another variable; the named one is a - (other - b), which wraps back.
        let (high, low, other) =
            (self.fresh("$high", Type::Int)?, self.fresh("$low", Type::Int)?, self.fresh("$up", Type::Int)?);
        let distance = both(BinaryOp::Sub, Expr::Context(other), Expr::Context(low));
        body.insert(0, Statement::SetContext(variable, both(BinaryOp::Sub, Expr::Context(high), distance)));
        Some(vec![
            Statement::SetContext(high, from),
            Statement::SetContext(low, to),
            Statement::For { variable: other, from: Expr::Context(low), to: Expr::Context(high), body },
        ])
    }
}
