//! Conditions and data.

use super::{both, not, Checker, Place, Type};
use crate::import::dictionary::{Body, Entry, Named};
use crate::import::label::syntax::{Kind, Name, Operator, Tree, Word};
use crate::model::{BinaryOp, Expr, Item, Literal, UnaryOp};

type Typed = (Expr, Type);

impl Checker<'_> {
    /// With `wanted`, a value of that type; a value of an enumeration is looked for there first.
    pub(super) fn value(&mut self, place: &Place, tree: &Tree, wanted: Option<Type>) -> Option<Typed> {
        let found = self.part(place, tree.at, |checker| checker.value_part(place, tree, wanted))?;
        match wanted {
            Some(wanted) => self.convert(place, tree.at, found, wanted).map(|expr| (expr, wanted)),
            None => Some(found),
        }
    }

    /// Integers become reals where reals are wanted; there are no other conversions.
    pub(super) fn convert(&mut self, place: &Place, at: usize, (expr, ty): Typed, wanted: Type) -> Option<Expr> {
        match (ty, wanted) {
            _ if ty == wanted => Some(expr),
            (Type::Int, Type::Real) => Some(match expr {
                Expr::Literal(Literal::Int(value)) => Expr::Literal(Literal::Real(f64::from(value))),
                expr => Expr::ToReal(Box::new(expr)),
            }),
            _ => {
                let message = format!("{} is wanted here, this is {}", self.type_name(wanted), self.type_name(ty));
                self.error(place, at, message)
            }
        }
    }

    fn value_part(&mut self, place: &Place, tree: &Tree, wanted: Option<Type>) -> Option<Typed> {
        match &tree.kind {
            Kind::Integer(value) => self.integer(place, tree.at, i128::from(*value)),
            Kind::Real(value) => Some((Expr::Literal(Literal::Real(*value)), Type::Real)),
            Kind::Truth(value) => Some((Expr::Literal(Literal::Bool(*value)), Type::Bool)),
            Kind::Name(name) => self.named(place, tree, name, wanted),
            Kind::Context(name) => self.context(place, tree.at, name),
            Kind::Not(inner) => Some((not(self.condition(place, inner)?), Type::Bool)),
            Kind::Negate(inner) => match inner.kind {
                Kind::Integer(value) => self.integer(place, tree.at, -i128::from(value)),
                _ => self.arithmetic(place, inner, UnaryOp::Neg),
            },
            Kind::Binary(operator, a, b) => self.binary(place, tree.at, *operator, a, b),
            Kind::Call(word, arguments) if word.is_event() => self.occurs(place, tree, *word, arguments),
            Kind::Call(word, arguments) => self.call(place, *word, arguments),
            Kind::When(..) | Kind::Bracket(_) if self.requirement => {
                let event = self.event(place, tree)?;
                Some((Expr::Occurs(Box::new(event)), Type::Bool))
            }
            Kind::When(..) | Kind::Bracket(_) => {
                self.error(place, tree.at, "`[...]` guards an event; there is none here")
            }
        }
    }

    fn integer(&mut self, place: &Place, at: usize, value: i128) -> Option<Typed> {
        match i32::try_from(value) {
            Ok(value) => Some((Expr::Literal(Literal::Int(value)), Type::Int)),
            Err(_) => self.error(place, at, "the number does not fit into 32 bits"),
        }
    }

    fn arithmetic(&mut self, place: &Place, inner: &Tree, op: UnaryOp) -> Option<Typed> {
        let (expr, ty) = self.value(place, inner, None)?;
        match ty {
            Type::Int | Type::Real => Some((Expr::Unary(op, Box::new(expr)), ty)),
            Type::Bool | Type::Enum(_) => {
                let message = format!("a number is wanted here, this is {}", self.type_name(ty));
                self.error(place, inner.at, message)
            }
        }
    }

    fn context(&mut self, place: &Place, at: usize, name: &str) -> Option<Typed> {
        let Some(list) = &self.list else {
            return self.error(place, at, format!("`{name}`: context variables are part of actions"));
        };
        let Some(&(_, number)) = list.visible.iter().find(|(own, _)| own == name) else {
            return self.error(place, at, format!("`{name}` has no value yet"));
        };
        Some((Expr::Context(number), list.context[number as usize].1))
    }

    fn occurs(&mut self, place: &Place, tree: &Tree, word: Word, _: &[Tree]) -> Option<Typed> {
        if !self.requirement {
            return self.error(place, tree.at, format!("`{}(...)` is an event; a value is wanted here", word.text()));
        }
        let event = self.event(place, tree)?;
        Some((Expr::Occurs(Box::new(event)), Type::Bool))
    }

    fn call(&mut self, place: &Place, word: Word, arguments: &[Tree]) -> Option<Typed> {
        match (word, arguments) {
            (Word::In, [state]) => {
                let Kind::Name(name) = &state.kind else {
                    return self.error(place, state.at, "a state is wanted here");
                };
                Some((Expr::In(self.state(place, state.at, name)?), Type::Bool))
            }
            (Word::Active, [activity]) => {
                let activity = self.activity(place, activity)?;
                Some((Expr::Item(activity.active), Type::Bool))
            }
            (Word::Absolute, [inner]) => self.arithmetic(place, inner, UnaryOp::Abs),
            (Word::Minimum, [a, b]) => self.numbers(place, BinaryOp::Min, a, b),
            (Word::Maximum, [a, b]) => self.numbers(place, BinaryOp::Max, a, b),
            // The parser has counted the arguments, and events went another way.
            _ => None,
        }
    }

    fn binary(&mut self, place: &Place, at: usize, operator: Operator, a: &Tree, b: &Tree) -> Option<Typed> {
        let logical = |checker: &mut Self, op| {
            let (a, b) = (checker.condition(place, a), checker.condition(place, b));
            Some((both(op, a?, b?), Type::Bool))
        };
        match operator {
            Operator::And => logical(self, BinaryOp::And),
            Operator::Or => logical(self, BinaryOp::Or),
            Operator::Xor => logical(self, BinaryOp::Xor),
            Operator::Implies => {
                let (a, b) = (self.condition(place, a), self.condition(place, b));
                Some((both(BinaryOp::Or, not(a?), b?), Type::Bool))
            }
            Operator::Eq => self.comparison(place, at, BinaryOp::Eq, a, b),
            Operator::Ne => self.comparison(place, at, BinaryOp::Ne, a, b),
            Operator::Lt => self.comparison(place, at, BinaryOp::Lt, a, b),
            Operator::Le => self.comparison(place, at, BinaryOp::Le, a, b),
            Operator::Gt => self.comparison(place, at, BinaryOp::Gt, a, b),
            Operator::Ge => self.comparison(place, at, BinaryOp::Ge, a, b),
            Operator::Add => self.numbers(place, BinaryOp::Add, a, b),
            Operator::Sub => self.numbers(place, BinaryOp::Sub, a, b),
            Operator::Mul => self.numbers(place, BinaryOp::Mul, a, b),
            Operator::Div => self.numbers(place, BinaryOp::Div, a, b),
            Operator::Mod => {
                let (a, b) = (self.value(place, a, Some(Type::Int)), self.value(place, b, Some(Type::Int)));
                Some((both(BinaryOp::Mod, a?.0, b?.0), Type::Int))
            }
        }
    }

    /// Both operands as one type of number.
    fn numbers(&mut self, place: &Place, op: BinaryOp, a: &Tree, b: &Tree) -> Option<Typed> {
        let (left, right) = (self.number(place, a), self.number(place, b));
        let (left, right) = (left?, right?);
        let ty = if left.1 == Type::Real || right.1 == Type::Real { Type::Real } else { Type::Int };
        let left = self.convert(place, a.at, left, ty)?;
        let right = self.convert(place, b.at, right, ty)?;
        Some((both(op, left, right), ty))
    }

    fn number(&mut self, place: &Place, tree: &Tree) -> Option<Typed> {
        let (expr, ty) = self.value(place, tree, None)?;
        match ty {
            Type::Int | Type::Real => Some((expr, ty)),
            Type::Bool | Type::Enum(_) => {
                let message = format!("a number is wanted here, this is {}", self.type_name(ty));
                self.error(place, tree.at, message)
            }
        }
    }

    /// `mode = off`: the side whose type is sure says which enumeration the other one is of.
    fn comparison(&mut self, place: &Place, at: usize, op: BinaryOp, a: &Tree, b: &Tree) -> Option<Typed> {
        let (left, right) = if self.is_enum_value(a) {
            let right = self.value(place, b, None);
            let left = self.value(place, a, right.as_ref().map(|(_, ty)| *ty).filter(|ty| matches!(ty, Type::Enum(_))));
            (left?, right?)
        } else {
            let left = self.value(place, a, None);
            let hint =
                left.as_ref().map(|(_, ty)| *ty).filter(|ty| self.is_enum_value(b) && matches!(ty, Type::Enum(_)));
            let right = self.value(place, b, hint);
            (left?, right?)
        };
        let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let ty = match (left.1, right.1) {
            (Type::Int, Type::Real) | (Type::Real, Type::Int) => Type::Real,
            (a, b) if a == b && (equality || a != Type::Bool) => a,
            (Type::Bool, Type::Bool) => {
                return self.error(place, at, "conditions have no order");
            }
            (a, b) => {
                let message = format!("{} is compared with {}", self.type_name(a), self.type_name(b));
                return self.error(place, at, message);
            }
        };
        let left = self.convert(place, a.at, left, ty)?;
        let right = self.convert(place, b.at, right, ty)?;
        Some((both(op, left, right), Type::Bool))
    }

    fn is_enum_value(&self, tree: &Tree) -> bool {
        match &tree.kind {
            Kind::Name(name) => self.entry(name).is_none() && self.dictionary.values.contains_key(&name.path()),
            _ => false,
        }
    }

    fn named(&mut self, place: &Place, tree: &Tree, name: &Name, wanted: Option<Type>) -> Option<Typed> {
        match self.entry(name) {
            Some(Entry::Item(item)) => {
                let index = self.index(place, tree.at, name, *item)?;
                let ty = Type::of(self.dictionary.items[*item].ty);
                Some((index.map_or(Expr::Item(*item), |index| Expr::Cell(*item, Box::new(index))), ty))
            }
            Some(Entry::Record(..)) => {
                self.error(place, tree.at, format!("`{}` is a record: name a field", name.path()))
            }
            Some(Entry::Event(_)) if self.requirement => {
                let event = self.event(place, tree)?;
                Some((Expr::Occurs(Box::new(event)), Type::Bool))
            }
            Some(Entry::Event(_)) => {
                self.error(place, tree.at, format!("`{}` is an event; a value is wanted here", name.path()))
            }
            Some(&Entry::Defined(index)) => self.defined_value(place, tree, name, index),
            None => self.enum_value(place, tree.at, name, wanted),
        }
    }

    fn defined_value(&mut self, place: &Place, tree: &Tree, name: &Name, index: usize) -> Option<Typed> {
        if name.has_index() {
            return self.error(place, tree.at, format!("`{}` has no index", name.path()));
        }
        let dictionary = self.dictionary;
        match &dictionary.defined[index].body {
            Some(Body::Condition(_)) => {
                let expand =
                    |checker: &mut Self, defined: &crate::import::dictionary::Defined, own: &Place| match &defined.body
                    {
                        Some(Body::Condition(tree)) => checker.condition(own, tree),
                        _ => None,
                    };
                Some((self.expand(index, expand, place, tree.at)?, Type::Bool))
            }
            Some(Body::Event(_)) if self.requirement => {
                let event = self.event(place, tree)?;
                Some((Expr::Occurs(Box::new(event)), Type::Bool))
            }
            Some(Body::Event(_)) => {
                self.error(place, tree.at, format!("`{}` is an event; a value is wanted here", name.path()))
            }
            Some(Body::Action(_)) => {
                self.error(place, tree.at, format!("`{}` is an action; a value is wanted here", name.path()))
            }
            None => None,
        }
    }

    /// The index that goes with an item's name: one for an array, none for others.
    pub(super) fn index(&mut self, place: &Place, at: usize, name: &Name, item: Item) -> Option<Option<Expr>> {
        let dictionary = self.dictionary;
        let array = dictionary.items[item].array.is_some();
        let wanted = dictionary.index_part[item] as usize;
        let mut found = None;
        for (number, part) in name.parts.iter().enumerate() {
            match &part.index {
                Some(index) if array && number == wanted => found = Some(index),
                Some(index) => return self.error(place, index.at, format!("`{}` is no array", part.name)),
                None => {}
            }
        }
        match found {
            Some(index) => self.value(place, index, Some(Type::Int)).map(|(expr, _)| Some(expr)),
            None if array => self.error(place, at, format!("`{}` is an array: it wants an index", name.path())),
            None => Some(None),
        }
    }

    fn enum_value(&mut self, place: &Place, at: usize, name: &Name, wanted: Option<Type>) -> Option<Typed> {
        let dictionary = self.dictionary;
        let path = name.path();
        if let [ty, value] = name.parts.as_slice() {
            if let Some(Named::Enum(number)) = dictionary.types.get(&ty.name) {
                let data = &dictionary.enums[*number as usize];
                return match data.values.iter().position(|own| *own == value.name) {
                    Some(value) => Some((Expr::Literal(Literal::Int(value as i32)), Type::Enum(*number))),
                    None => self.error(place, at, format!("`{}` has no value `{}`", data.name, value.name)),
                };
            }
        }
        let Some(places) = dictionary.values.get(&path).filter(|_| !name.has_index()) else {
            return self.unknown(place, at, "name", &path);
        };
        let fits = places.iter().find(|(number, _)| wanted == Some(Type::Enum(*number)));
        match (fits, places.as_slice()) {
            (Some((number, value)), _) | (None, [(number, value)]) => {
                Some((Expr::Literal(Literal::Int(*value)), Type::Enum(*number)))
            }
            (None, _) => {
                let first = &dictionary.enums[places[0].0 as usize].name;
                self.error(place, at, format!("`{path}` is a value of several enumerations: write `{first}.{path}`"))
            }
        }
    }
}
