//! Guards, event expressions, expressions.

use super::Gen;
use syncline_statechart::model::*;

/// The context variables an expression may use.
#[derive(Clone, Default)]
pub(super) struct Scope {
    pub ints: Vec<u32>,
    pub bools: Vec<u32>,
    pub reals: Vec<u32>,
}

pub(super) fn int(n: i32) -> Expr {
    Expr::Literal(Literal::Int(n))
}

pub(super) fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

impl Gen {
    pub(super) fn guard(&mut self) -> Guard {
        let mut guard = Guard::default();
        let kind = self.rng.weighted(&[50, 20, 26, 4]);
        if matches!(kind, 0 | 2) {
            guard.trigger = Some(self.event_expr(1));
        }
        if matches!(kind, 1 | 2) {
            guard.condition = Some(self.condition(1, &Scope::default()));
        }
        guard
    }

    /// Items of which `wanted` holds.
    pub(super) fn items(&self, wanted: impl Fn(&ItemData) -> bool) -> Vec<Item> {
        self.chart.items.keys().filter(|&i| wanted(&self.chart.items[i])).collect()
    }

    pub(super) fn event_expr(&mut self, depth: u32) -> EventExpr {
        let scope = Scope::default();
        let weights: &[u32] =
            if depth == 0 { &[40, 10, 10, 8, 6, 8, 4, 4] } else { &[34, 8, 8, 6, 4, 6, 4, 4, 12, 6, 6, 6, 5] };
        match self.rng.weighted(weights) {
            0 => EventExpr::Event(self.some_event()),
            1 => EventExpr::Entered(self.some_state()),
            2 => EventExpr::Exited(self.some_state()),
            3 => EventExpr::BecameTrue(self.changing()),
            4 => EventExpr::BecameFalse(self.changing()),
            5 => EventExpr::Changed(self.watched()),
            6 => EventExpr::Written(self.touched_item()),
            7 => EventExpr::Read(self.touched_item()),
            8 => {
                let depth = if self.rng.chance(25) { 1 } else { 0 };
                let event = self.event_expr(depth);
                EventExpr::Timeout(Box::new(event), Box::new(self.delay(&scope)))
            }
            9 => EventExpr::Not(Box::new(self.event_expr(depth - 1))),
            10 => EventExpr::And(Box::new(self.event_expr(depth - 1)), Box::new(self.event_expr(depth - 1))),
            11 => EventExpr::Or(Box::new(self.event_expr(depth - 1)), Box::new(self.event_expr(depth - 1))),
            _ => EventExpr::When(Box::new(self.event_expr(depth - 1)), Box::new(self.condition(0, &scope))),
        }
    }

    /// No constant: `not tr(false)` is how the importer says "always".
    fn changing(&mut self) -> Expr {
        match self.condition(1, &Scope::default()) {
            Expr::Literal(_) => Expr::In(self.some_state()),
            other => other,
        }
    }

    /// Mostly one of the environment's.
    pub(super) fn some_event(&mut self) -> Event {
        let inputs = self.rng.chance(60);
        let events: Vec<Event> = self.chart.events.keys().filter(|&e| !inputs || self.chart.events[e].input).collect();
        self.rng.pick(&events)
    }

    fn some_item(&mut self) -> Item {
        let items: Vec<Item> = self.chart.items.keys().collect();
        self.rng.pick(&items)
    }

    /// What actions may write and read; arrays most of all, as one cell stands for all.
    fn touched_item(&mut self) -> Item {
        let arrays = self.items(|i| i.array.is_some() && !i.input);
        if !arrays.is_empty() && self.rng.chance(60) {
            return self.rng.pick(&arrays);
        }
        self.some_item()
    }

    fn watched(&mut self) -> Watched {
        let item = self.some_item();
        if self.chart.items[item].array.is_some() {
            return Watched::Array(item);
        }
        let scope = Scope::default();
        match self.rng.below(4) {
            0 => Watched::Expr(self.integer(1, &scope)),
            _ => Watched::Expr(Expr::Item(item)),
        }
    }

    /// Of time-outs and scheduled actions: mostly a small constant.
    pub(super) fn delay(&mut self, scope: &Scope) -> Expr {
        match self.rng.weighted(&[75, 6, 19]) {
            0 => int(1 + self.rng.below(3) as i32),
            1 => int(-(self.rng.below(2) as i32)),
            _ => {
                let wild = self.integer(0, scope);
                binary(BinaryOp::Min, int(4), wild)
            }
        }
    }

    pub(super) fn condition(&mut self, depth: u32, scope: &Scope) -> Expr {
        let bools = self.items(|i| i.ty == ItemType::Bool && i.array.is_none());
        let arrays = self.items(|i| i.ty == ItemType::Bool && i.array.is_some());
        let reals = !self.items(|i| i.ty == ItemType::Real).is_empty();
        let enums = self.items(|i| matches!(i.ty, ItemType::Enum(_)));
        let weights: &[u32] =
            if depth == 0 { &[3, 26, 20, 30, 8, 10, 6, 6] } else { &[2, 14, 14, 24, 8, 10, 6, 6, 10, 8, 8, 5, 5] };
        match self.rng.weighted(weights) {
            0 => Expr::Literal(Literal::Bool(self.rng.chance(50))),
            1 => Expr::Item(self.rng.pick(&bools)),
            2 => Expr::In(self.some_state()),
            4 if !arrays.is_empty() => {
                let array = self.rng.pick(&arrays);
                let index = self.index(array, scope);
                Expr::Cell(array, Box::new(index))
            }
            5 if reals => {
                let op = self.order();
                let (a, b) = (self.real(depth.min(1), scope), self.real(0, scope));
                binary(op, a, b)
            }
            6 if !enums.is_empty() => {
                let item = self.rng.pick(&enums);
                let op = self.rng.pick(&[BinaryOp::Eq, BinaryOp::Ne]);
                let value = self.enum_value();
                binary(op, Expr::Item(item), value)
            }
            7 if !scope.bools.is_empty() => Expr::Context(self.rng.pick(&scope.bools)),
            8 => binary(BinaryOp::And, self.condition(depth - 1, scope), self.condition(depth - 1, scope)),
            9 => binary(BinaryOp::Or, self.condition(depth - 1, scope), self.condition(depth - 1, scope)),
            10 => Expr::Unary(UnaryOp::Not, Box::new(self.condition(depth - 1, scope))),
            11 => binary(BinaryOp::Xor, self.condition(depth - 1, scope), self.condition(depth - 1, scope)),
            12 => {
                let op = self.rng.pick(&[BinaryOp::Eq, BinaryOp::Ne]);
                binary(op, self.condition(depth - 1, scope), self.condition(depth - 1, scope))
            }
            _ => {
                let op = self.order();
                let (a, b) = (self.integer(depth.min(1), scope), self.integer(0, scope));
                binary(op, a, b)
            }
        }
    }

    fn order(&mut self) -> BinaryOp {
        self.rng.pick(&[BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge])
    }

    pub(super) fn enum_value(&mut self) -> Expr {
        let items = self.items(|i| matches!(i.ty, ItemType::Enum(_)));
        if self.rng.chance(25) {
            return Expr::Item(self.rng.pick(&items));
        }
        int(self.rng.below(self.chart.enums[0].values.len()) as i32)
    }

    pub(super) fn integer(&mut self, depth: u32, scope: &Scope) -> Expr {
        if self.reckless() && self.rng.chance(12) {
            let op = self.rng.pick(&[BinaryOp::Div, BinaryOp::Mod]);
            let (a, b) = (self.plain_integer(scope), self.plain_integer(scope));
            return binary(op, a, b);
        }
        let plain = self.items(|i| matches!(i.ty, ItemType::Int { .. }) && i.array.is_none());
        let arrays = self.items(|i| matches!(i.ty, ItemType::Int { .. }) && i.array.is_some());
        let weights: &[u32] =
            if depth == 0 { &[26, 40, 14, 20] } else { &[14, 26, 12, 16, 6, 5, 14, 12, 8, 6, 6, 5, 5] };
        match self.rng.weighted(weights) {
            0 => int(self.rng.range(-1, 3) as i32),
            2 if !arrays.is_empty() => {
                let array = self.rng.pick(&arrays);
                let index = self.index(array, scope);
                Expr::Cell(array, Box::new(index))
            }
            3 if !scope.ints.is_empty() => Expr::Context(self.rng.pick(&scope.ints)),
            4 => Expr::Unary(UnaryOp::Neg, Box::new(self.integer(depth - 1, scope))),
            5 => Expr::Unary(UnaryOp::Abs, Box::new(self.integer(depth - 1, scope))),
            n @ 6..=10 => {
                let op = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Min, BinaryOp::Max][n - 6];
                binary(op, self.integer(depth - 1, scope), self.integer(0, scope))
            }
            n @ 11..=12 => {
                let op = [BinaryOp::Div, BinaryOp::Mod][n - 11];
                let a = self.integer(depth - 1, scope);
                // Seldom by what may be zero: that ends the run.
                let literal = int(self.rng.pick(&[-2, -1, 1, 2, 3]));
                let b = if self.rng.chance(self.safety) { literal } else { self.integer(0, scope) };
                binary(op, a, b)
            }
            _ => Expr::Item(self.rng.pick(&plain)),
        }
    }

    pub(super) fn real(&mut self, depth: u32, scope: &Scope) -> Expr {
        let items = self.items(|i| i.ty == ItemType::Real);
        let weights: &[u32] = if depth == 0 { &[30, 30, 20, 20] } else { &[10, 20, 14, 16, 8, 6, 26] };
        match self.rng.weighted(weights) {
            1 if !items.is_empty() => Expr::Item(self.rng.pick(&items)),
            2 => Expr::ToReal(Box::new(self.integer(0, scope))),
            3 if !scope.reals.is_empty() => Expr::Context(self.rng.pick(&scope.reals)),
            4 => Expr::Unary(UnaryOp::Neg, Box::new(self.real(depth - 1, scope))),
            5 => Expr::Unary(UnaryOp::Abs, Box::new(self.real(depth - 1, scope))),
            6 => {
                let ops = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Min, BinaryOp::Max];
                let op = self.rng.pick(&ops);
                let a = self.real(depth - 1, scope);
                let b = match op {
                    BinaryOp::Div if self.rng.chance(self.safety) => Expr::Literal(Literal::Real(2.5)),
                    _ => self.real(0, scope),
                };
                binary(op, a, b)
            }
            _ => Expr::Literal(Literal::Real(self.rng.range(-6, 6) as f64 / 4.0)),
        }
    }

    /// An index: mostly one of the array's.
    pub(super) fn index(&mut self, array: Item, scope: &Scope) -> Expr {
        let Some(ArrayData { first, cells }) = self.chart.items[array].array else { return int(0) };
        let last = first + cells as i32 - 1;
        match self.rng.weighted(if self.reckless() { &[40, 20, 40] } else { &[60, 34, 6] }) {
            0 => int(self.rng.range(first.into(), last.into()) as i32),
            1 => {
                let wild = self.plain_integer(scope);
                binary(BinaryOp::Max, int(first), binary(BinaryOp::Min, int(last), wild))
            }
            _ => self.plain_integer(scope),
        }
    }

    fn plain_integer(&mut self, scope: &Scope) -> Expr {
        let plain = self.items(|i| matches!(i.ty, ItemType::Int { .. }) && i.array.is_none());
        match scope.ints.is_empty() || self.rng.chance(50) {
            true => Expr::Item(self.rng.pick(&plain)),
            false => Expr::Context(self.rng.pick(&scope.ints)),
        }
    }
}
