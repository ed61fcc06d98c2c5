//! The signals of a run: what each input, variable and state was, step by step.

use crate::report::document::{ChartRow, Row, Step, Trace};
use std::collections::BTreeMap;

/// What a signal was in each column of the run; `None` as long as that is not known.
pub struct Signal {
    pub name: String,
    pub values: Vec<Option<String>>,
}

/// A run as columns with signals.
pub struct Signals {
    /// Of the columns.
    pub steps: Vec<String>,
    pub all: Vec<Signal>,
}

impl Signal {
    /// As numbers, if all of them are.
    pub fn numbers(&self) -> Option<Vec<Option<f64>>> {
        self.values.iter().map(|v| v.as_deref().map(number).map_or(Some(None), |n| n.map(Some))).collect()
    }

    /// How often it becomes another one.
    pub fn changes(&self) -> usize {
        let known: Vec<&String> = self.values.iter().flatten().collect();
        known.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }
}

/// The number a value's text begins with; the unsigned reading behind it is left out.
fn number(text: &str) -> Option<f64> {
    match text {
        "true" => Some(1.0),
        "false" => Some(0.0),
        _ => text.split(' ').next()?.parse().ok().filter(|x: &f64| x.is_finite()),
    }
}

/// Writes signals column by column.
#[derive(Default)]
struct Recorder {
    /// In the order of their first value.
    order: Vec<String>,
    values: BTreeMap<String, Vec<Option<String>>>,
    columns: usize,
}

impl Recorder {
    /// The value in the column that was begun last.
    fn set(&mut self, name: &str, value: &str) {
        if !self.values.contains_key(name) {
            self.order.push(name.to_string());
        }
        let values = self.values.entry(name.to_string()).or_default();
        let last = values.last().cloned().flatten();
        values.resize(self.columns.saturating_sub(1), last);
        values.push(Some(value.to_string()));
    }

    fn begin(&mut self) {
        self.columns += 1;
    }

    fn end(mut self, steps: Vec<String>) -> Signals {
        let columns = self.columns;
        let take = |name: String| {
            let mut values = self.values.remove(&name).unwrap_or_default();
            let last = values.last().cloned().flatten();
            values.resize(columns, last);
            Signal { name, values }
        };
        Signals { steps, all: self.order.into_iter().map(take).collect() }
    }
}

/// A chart's: the active child of each OR-state, events, and items.
pub fn of_chart(rows: &[ChartRow]) -> Signals {
    let mut recorder = Recorder::default();
    let is_event = |text: &&String| !text.contains(" = ");
    let mut events: Vec<&str> = Vec::new();
    for row in rows {
        for name in row.inputs.iter().chain(&row.changed).filter(is_event) {
            if !events.contains(&name.as_str()) {
                events.push(name);
            }
        }
    }
    for row in rows {
        recorder.begin();
        row.active.iter().for_each(|(state, child)| recorder.set(state, child));
        for event in &events {
            let occurs = row.inputs.iter().chain(&row.changed).any(|text| text == event);
            recorder.set(event, if occurs { "1" } else { "0" });
        }
        for text in row.inputs.iter().chain(&row.changed) {
            if let Some((name, value)) = text.split_once(" = ") {
                recorder.set(name, value);
            }
        }
    }
    recorder.end(rows.iter().map(|row| row.step.to_string()).collect())
}

/// A synchronous system's: where each process is, inputs, and shared variables.
pub fn of_table(rows: &[Row]) -> Signals {
    let mut recorder = Recorder::default();
    for row in rows {
        recorder.begin();
        row.locations.iter().flatten().for_each(|(process, place)| recorder.set(process, place));
        row.inputs.iter().chain(&row.changed).for_each(|(name, value)| recorder.set(name, value));
    }
    recorder.end(rows.iter().map(|row| row.step.to_string()).collect())
}

/// A program's: inputs and variables.
pub fn of_trace(trace: &Trace) -> Signals {
    let mut recorder = Recorder::default();
    let steps: Vec<&Step> = trace.first.iter().chain(&trace.last).collect();
    for step in &steps {
        recorder.begin();
        for change in &step.changes {
            let name = match change.local && step.function != "main" {
                true => format!("{}: {}", step.function, change.name),
                false => change.name.clone(),
            };
            recorder.set(&name, &change.value);
        }
    }
    recorder.end((1..=steps.len()).map(|n| n.to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_held() {
        let mut recorder = Recorder::default();
        recorder.begin();
        recorder.set("x", "1");
        recorder.begin();
        recorder.begin();
        recorder.set("x", "-2 (0xfe)");
        recorder.set("late", "up");
        recorder.begin();
        let signals = recorder.end(Vec::new());
        assert_eq!(signals.all[0].numbers(), Some(vec![Some(1.0), Some(1.0), Some(-2.0), Some(-2.0)]));
        assert_eq!(signals.all[0].changes(), 1);
        assert_eq!(signals.all[1].values, [None, None, Some("up".to_string()), Some("up".to_string())]);
        assert_eq!(signals.all[1].numbers(), None);
    }
}
