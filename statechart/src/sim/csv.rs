//! Inputs as comma-separated values: a header with the names of inputs, then one row for each time the environment comes (a
//! step in synchronous time, a superstep in asynchronous time).
//!
//! ```text
//! time, button, speed, mode, log(3)
//! 1,    1,      20,    on,   7
//! 2,    0,      ,      off,
//! ```
//! `time` is the time that passes (1 if there is no such column). Events are 0 or 1, conditions 0, 1, true or false, enumerations
//! the name of a value. An empty cell: the event does not come, the item keeps its value, one time unit passes.
//! A cell may be put in quotes, with `""` for a quote inside. Lines without any text are skipped.

use super::actions::in_range;
use super::{Inputs, Value};
use crate::model::*;
use std::fmt;

/// What is wrong, with its line and column (in characters, from 1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}

/// A cell with its place in the text.
struct Cell {
    line: usize,
    column: usize,
    text: String,
}

impl Cell {
    fn error(&self, message: impl Into<String>) -> Error {
        Error { line: self.line, column: self.column, message: message.into() }
    }
}

/// What a column of the table gives.
#[derive(Copy, Clone, PartialEq)]
enum Column {
    Time,
    Event(Event),
    Item(Item, Option<i32>),
}

/// Reads inputs for the chart; all errors that were found, in the order of the text.
pub fn read_inputs(chart: &Chart, text: &str) -> Result<Vec<Inputs>, Vec<Error>> {
    let rows = rows(text.strip_prefix('\u{feff}').unwrap_or(text)).map_err(|e| vec![e])?;
    let Some((header, rows)) = rows.split_first() else {
        return Err(vec![Error { line: 1, column: 1, message: "there is no header with the names of inputs".into() }]);
    };
    let mut errors = Vec::new();
    let mut columns: Vec<Option<Column>> = Vec::new();
    for cell in header {
        let column = column(chart, cell).map_err(|e| errors.push(e)).ok();
        if column.is_some() && columns.contains(&column) {
            errors.push(cell.error(format!("`{}` has a column already", cell.text)));
        }
        columns.push(column);
    }
    let mut all = Vec::new();
    for row in rows {
        let mut inputs = Inputs::default();
        if row.len() != columns.len() {
            let message = format!("{} cells where the header has {}", row.len(), columns.len());
            errors.push(row[row.len().min(columns.len() + 1) - 1].error(message));
        }
        for (cell, column) in row.iter().zip(&columns).filter(|(cell, _)| !cell.text.is_empty()) {
            let read = column.map_or(Ok(()), |column| input(chart, cell, column, &mut inputs));
            errors.extend(read.err());
        }
        all.push(inputs);
    }
    if errors.is_empty() {
        Ok(all)
    } else {
        Err(errors)
    }
}

/// The rows that have text, cut into cells.
fn rows(text: &str) -> Result<Vec<Vec<Cell>>, Error> {
    let mut rows = Vec::new();
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    for (number, line) in lines {
        rows.push(cells(number + 1, line)?);
    }
    Ok(rows)
}

fn cells(line: usize, text: &str) -> Result<Vec<Cell>, Error> {
    let characters: Vec<char> = text.chars().collect();
    let mut cells = Vec::new();
    let mut at = 0;
    loop {
        while characters.get(at).is_some_and(|c| *c == ' ' || *c == '\t') {
            at += 1;
        }
        let start = at;
        let mut content = String::new();
        if characters.get(at) == Some(&'"') {
            at = quoted(line, &characters, at, &mut content)?;
        } else {
            while characters.get(at).is_some_and(|c| *c != ',') {
                content.push(characters[at]);
                at += 1;
            }
            content.truncate(content.trim_end().len());
        }
        cells.push(Cell { line, column: start + 1, text: content });
        match characters.get(at) {
            Some(_) => at += 1,
            None => return Ok(cells),
        }
    }
}

/// A quoted cell that begins at this place; returns the place of what ends it, a comma or the line's end.
fn quoted(line: usize, characters: &[char], start: usize, content: &mut String) -> Result<usize, Error> {
    let error = |at: usize, message: &str| Error { line, column: at + 1, message: message.into() };
    let mut at = start + 1;
    loop {
        match (characters.get(at), characters.get(at + 1)) {
            (None, _) => return Err(error(start, "the quote is not closed on this line")),
            (Some('"'), Some('"')) => {
                content.push('"');
                at += 2;
            }
            (Some('"'), _) => break,
            (Some(&c), _) => {
                content.push(c);
                at += 1;
            }
        }
    }
    at += 1;
    while characters.get(at).is_some_and(|c| c.is_whitespace()) {
        at += 1;
    }
    match characters.get(at) {
        None | Some(',') => Ok(at),
        Some(_) => Err(error(at, "text behind a quoted cell")),
    }
}

fn column(chart: &Chart, cell: &Cell) -> Result<Column, Error> {
    let name = cell.text.as_str();
    if name == "time" {
        return Ok(Column::Time);
    }
    if let Some((event, data)) = chart.events.iter().find(|(_, data)| data.name == name) {
        let is_input = Err(cell.error(format!("the event `{name}` is no input of the chart")));
        return if data.input { Ok(Column::Event(event)) } else { is_input };
    }
    let find = |name: &str| chart.items.iter().find(|(_, data)| data.name == name);
    let indexed = name.strip_suffix(')').and_then(|name| name.rsplit_once('('));
    let (found, index) = match (find(name), indexed) {
        (None, Some((array, index))) => (find(array.trim()), Some(index.trim())),
        (found, _) => (found, None),
    };
    let Some((item, data)) = found else {
        return Err(cell.error(format!("`{name}` is no input of the chart; its inputs are {}", input_names(chart))));
    };
    if !data.input {
        return Err(cell.error(format!("`{}` is no input of the chart", data.name)));
    }
    match (data.array, index) {
        (None, None) => Ok(Column::Item(item, None)),
        (None, Some(_)) => Err(cell.error(format!("`{}` is no array", data.name))),
        (Some(array), index) => {
            let last = i64::from(array.first) + i64::from(array.cells) - 1;
            let inside = |n: &i32| (i64::from(array.first)..=last).contains(&i64::from(*n));
            match index.and_then(|index| index.parse().ok()).filter(inside) {
                Some(index) => Ok(Column::Item(item, Some(index))),
                None => {
                    let (array_name, first) = (&data.name, array.first);
                    let message = format!("`{array_name}` is an array: name one of its cells, {array_name}({first}) to {array_name}({last})");
                    Err(cell.error(message))
                }
            }
        }
    }
}

fn input_names(chart: &Chart) -> String {
    let events = chart.events.values().filter(|data| data.input).map(|data| data.name.as_str());
    let items = chart.items.values().filter(|data| data.input).map(|data| data.name.as_str());
    let names: Vec<&str> = std::iter::once("time").chain(events).chain(items).collect();
    names.join(", ")
}

fn input(chart: &Chart, cell: &Cell, column: Column, inputs: &mut Inputs) -> Result<(), Error> {
    let text = cell.text.as_str();
    match column {
        Column::Time => inputs.advance = time(chart.time, cell)?,
        Column::Event(event) => match text {
            "0" => {}
            "1" => {
                inputs.events.insert(event);
            }
            _ => return Err(cell.error(format!("`{text}` is neither 0 nor 1, and the column is an event"))),
        },
        Column::Item(item, index) => {
            let literal = literal(chart, chart.items[item].ty, text).map_err(|message| cell.error(message))?;
            if !in_range(chart, item, Value::from(literal)) {
                return Err(cell.error(format!("{text} is outside of the range of `{}`", chart.items[item].name)));
            }
            inputs.items.push((item, index, literal));
        }
    }
    Ok(())
}

fn time(time: Time, cell: &Cell) -> Result<u32, Error> {
    let longest = match time {
        Time::Synchronous => 1,
        Time::Asynchronous { max_advance } => max_advance,
    };
    match cell.text.parse::<u32>() {
        Ok(advance) if (1..=longest).contains(&advance) => Ok(advance),
        _ if longest == 1 => Err(cell.error(format!("`{}`: the time that passes is 1 in this chart", cell.text))),
        _ => Err(cell.error(format!("`{}`: the time that passes is a number from 1 to {longest}", cell.text))),
    }
}

/// A value of this type as it is written in a table.
pub fn literal(chart: &Chart, ty: ItemType, text: &str) -> Result<Literal, String> {
    match ty {
        ItemType::Bool => match text {
            "0" | "false" => Ok(Literal::Bool(false)),
            "1" | "true" => Ok(Literal::Bool(true)),
            _ => Err(format!("`{text}` is no condition's value: 0, 1, true or false")),
        },
        ItemType::Int { .. } => text.parse().map(Literal::Int).map_err(|_| format!("`{text}` is no 32-bit integer")),
        ItemType::Real => text.parse().map(Literal::Real).map_err(|_| format!("`{text}` is no real number")),
        ItemType::Enum(ty) => {
            let data = &chart.enums[ty as usize];
            match data.values.iter().position(|value| value == text) {
                Some(n) => Ok(Literal::Int(n as i32)),
                None => Err(format!("`{text}` is no value of `{}`: {}", data.name, data.values.join(", "))),
            }
        }
    }
}
