//! The inputs of a step, and the status of the chart, in the chart's words.

use super::ranges::declared;
use super::{Lowered, Map};
use crate::model::{Chart, Event, Item, ItemType, Literal, State, StateKind};
use std::collections::{BTreeMap, BTreeSet};
use syncline_ir::interp::{Boundary, SiteQueues};
use syncline_ir::{consts::sign_extend, Const, FloatFormat, Site, Var};

/// What the environment does: in synchronous time before every step, in asynchronous time before every superstep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepInputs {
    /// Time units that pass: 1 to `max_advance`; of no account in synchronous time.
    pub advance: u32,
    pub events: BTreeSet<Event>,
    /// A value for each cell of each input item; what is missing is the least value of its range.
    pub items: BTreeMap<Item, Vec<Literal>>,
}

/// The status at a step boundary: at the start of the next step, before its inputs come.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// Empty when the chart has terminated.
    pub configuration: BTreeSet<State>,
    /// A value for each cell of each item.
    pub items: BTreeMap<Item, Vec<Literal>>,
    /// Those raised in the step, which the next one sees. (External ones come with its inputs.)
    pub events: BTreeSet<Event>,
}

/// What a site of the environment brings.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum InputMeaning {
    /// Time units, less one.
    Advance,
    /// A cell of an item, counted from 0.
    Item(Item, u32),
    Event(Event),
}

/// Variables that hold the status. Indices are places in `System::shared`, so in `Boundary::shared`.
#[derive(Clone, Debug, Default)]
pub(crate) struct StateVars {
    pub at: BTreeMap<State, (Var, usize)>,
    pub items: BTreeMap<Item, Vec<(Var, usize)>>,
    pub events: BTreeMap<Event, (Var, usize)>,
}

/// Sites of the environment, in the order in which it asks them.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputSites {
    pub advance: Option<Site>,
    pub items: Vec<(Item, Vec<Site>)>,
    pub events: Vec<(Event, Site)>,
}

impl Map {
    /// What the sites of the environment bring. It asks each of them once whenever it comes.
    pub fn input_sites(&self) -> BTreeMap<Site, InputMeaning> {
        let sites = &self.inputs;
        let mut found = BTreeMap::new();
        found.extend(sites.advance.map(|site| (site, InputMeaning::Advance)));
        for (item, cells) in &sites.items {
            found.extend(cells.iter().enumerate().map(|(n, &site)| (site, InputMeaning::Item(*item, n as u32))));
        }
        found.extend(sites.events.iter().map(|&(event, site)| (site, InputMeaning::Event(event))));
        found
    }

    /// The value an input item gets when its site brings this: the least of its range if it is not in the range.
    pub fn input_value(&self, chart: &Chart, item: Item, value: &Const) -> Literal {
        let literal = literal(chart, item, value);
        let inside = match (literal, declared(chart, item)) {
            (Literal::Int(n), Some((min, max))) => (min..=max).contains(&i64::from(n)),
            (Literal::Real(x), _) => x.is_finite(),
            (Literal::Bool(_) | Literal::Int(_), _) => true,
        };
        if inside {
            literal
        } else {
            least(chart, item)
        }
    }

    /// The status the boundary shows.
    pub fn status(&self, chart: &Chart, boundary: &Boundary) -> Status {
        let vars = &self.states;
        let bits = |place: usize| bits_of(&boundary.shared[place]);
        let holds = |place: usize| bits(place) != 0;
        let mut configuration = BTreeSet::new();
        let mut open: Vec<State> = chart.states.keys().take(1).collect();
        while let Some(state) = open.pop() {
            let data = &chart.states[state];
            match data.kind {
                StateKind::Basic => {}
                StateKind::And => open.extend(&data.children),
                StateKind::Or => {
                    let child = vars.at.get(&state).map_or(0, |&(_, place)| bits(place) as usize);
                    match data.children.get(child) {
                        Some(&child) => open.push(child),
                        // The root of a chart that has terminated.
                        None => continue,
                    }
                }
            }
            configuration.insert(state);
        }
        let value = |item: Item, place: usize| literal(chart, item, &boundary.shared[place]);
        let cells = |(&item, cells): (&Item, &Vec<(Var, usize)>)| {
            (item, cells.iter().map(|&(_, place)| value(item, place)).collect())
        };
        Status {
            configuration,
            items: vars.items.iter().map(cells).collect(),
            events: vars.events.iter().filter(|(_, &(_, place))| holds(place)).map(|(&event, _)| event).collect(),
        }
    }
}

impl Lowered {
    pub fn input_sites(&self) -> BTreeMap<Site, InputMeaning> {
        self.map.input_sites()
    }

    pub fn input_value(&self, chart: &Chart, item: Item, value: &Const) -> Literal {
        self.map.input_value(chart, item, value)
    }

    pub fn status(&self, chart: &Chart, boundary: &Boundary) -> Status {
        self.map.status(chart, boundary)
    }

    /// Appends what the environment does once. Call it for each step (synchronous time) or superstep in order, then run the
    /// program on the queues. Choices not given are 0: the first one.
    pub fn queue(&self, chart: &Chart, inputs: &StepInputs, queues: &mut SiteQueues) {
        let sites = &self.map.inputs;
        if let Some(site) = sites.advance {
            // The environment adds one.
            let width = self.width_of(site);
            queues.push(site, Const::bv(width, u128::from(inputs.advance.max(1) - 1)));
        }
        for (item, cells) in &sites.items {
            let given = inputs.items.get(item);
            for (n, &site) in cells.iter().enumerate() {
                let value = given.and_then(|v| v.get(n)).copied();
                let value = value.unwrap_or_else(|| least(chart, *item));
                queues.push(site, self.constant(site, value));
            }
        }
        for (event, site) in &sites.events {
            queues.push(*site, Const::Bool(inputs.events.contains(event)));
        }
    }

    fn width_of(&self, site: Site) -> u32 {
        self.program.sites[site].ty.width().unwrap_or(1)
    }

    fn constant(&self, site: Site, value: Literal) -> Const {
        match value {
            Literal::Bool(b) => Const::Bool(b),
            Literal::Int(n) => Const::bv(self.width_of(site), n as i128 as u128),
            Literal::Real(x) => Const::Float { format: FloatFormat::F64, bits: u128::from(x.to_bits()) },
        }
    }
}

/// The least value of an item's range.
pub(crate) fn least(chart: &Chart, item: Item) -> Literal {
    match chart.items[item].ty {
        ItemType::Bool => Literal::Bool(false),
        ItemType::Int { min, .. } => Literal::Int(min),
        ItemType::Enum(_) => Literal::Int(0),
        ItemType::Real => Literal::Real(0.0),
    }
}

fn bits_of(value: &Const) -> u128 {
    match value {
        Const::Bool(b) => u128::from(*b),
        Const::Bv { bits, .. } | Const::Float { bits, .. } => *bits,
        Const::Array(_) => 0,
    }
}

/// A stored value in the chart's words.
pub(crate) fn literal(chart: &Chart, item: Item, value: &Const) -> Literal {
    match (chart.items[item].ty, value) {
        (ItemType::Bool, value) => Literal::Bool(bits_of(value) != 0),
        (ItemType::Real, value) => Literal::Real(f64::from_bits(bits_of(value) as u64)),
        (ItemType::Int { .. } | ItemType::Enum(_), Const::Bv { width, bits }) => {
            Literal::Int(sign_extend(*width, *bits) as i32)
        }
        (ItemType::Int { .. } | ItemType::Enum(_), _) => Literal::Int(0),
    }
}
