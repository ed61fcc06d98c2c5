//! Signals as a drawing, one below the other over the same steps: numbers as a line, names as boxes.

use super::signals::{Signal, Signals};
use crate::report::xml::escape;
use std::fmt::Write;

/// Signals that are drawn, and columns.
const MOST_SIGNALS: usize = 24;
const MOST_COLUMNS: usize = 200;
/// In pixels.
const LEFT: f64 = 190.0;
const ROW: f64 = 34.0;
const TOP: f64 = 20.0;
const INSIDE: f64 = 5.0;
/// About what a character takes.
const CHARACTER: f64 = 6.2;

/// The drawing; empty if there is nothing to draw.
pub fn svg(signals: &Signals) -> String {
    let mut all: Vec<&Signal> = signals.all.iter().collect();
    if all.is_empty() || signals.steps.is_empty() {
        return String::new();
    }
    if all.len() > MOST_SIGNALS {
        // Those that move say most; they stay in their order.
        let mut moving: Vec<usize> = (0..all.len()).collect();
        moving.sort_by_key(|&n| std::cmp::Reverse(all[n].changes()));
        moving.truncate(MOST_SIGNALS);
        moving.sort_unstable();
        all = moving.into_iter().map(|n| all[n]).collect();
    }
    let columns = signals.steps.len().min(MOST_COLUMNS);
    let first = signals.steps.len() - columns;
    let width = (900.0 / columns as f64).clamp(14.0, 110.0);
    let plot = Plot { width, first, columns };
    let (right, bottom) = (LEFT + width * columns as f64 + 10.0, TOP + ROW * all.len() as f64 + 4.0);
    let mut out = format!(
        "<svg class=\"plot\" role=\"img\" aria-label=\"signals\" width=\"{right:.0}\" height=\"{bottom:.0}\" \
         viewBox=\"0 0 {right:.0} {bottom:.0}\">\n"
    );
    plot.grid(&mut out, &signals.steps, bottom);
    for (n, signal) in all.iter().enumerate() {
        plot.signal(&mut out, signal, TOP + ROW * n as f64);
    }
    out += "</svg>\n";
    let left_out = signals.all.len() - all.len();
    if left_out > 0 {
        let _ = writeln!(out, "<p class=\"note\">{left_out} signals that change less often are not drawn.</p>");
    }
    if first > 0 {
        let _ = writeln!(out, "<p class=\"note\">The first {first} steps are not drawn.</p>");
    }
    out
}

struct Plot {
    /// Of a column.
    width: f64,
    /// The first column drawn, and how many.
    first: usize,
    columns: usize,
}

impl Plot {
    fn x(&self, column: usize) -> f64 {
        LEFT + self.width * column as f64
    }

    /// Lines between the columns, with the steps' numbers.
    fn grid(&self, out: &mut String, steps: &[String], bottom: f64) {
        let every = (40.0 / self.width).ceil().max(1.0) as usize;
        for n in 0..=self.columns {
            let x = self.x(n);
            let _ = writeln!(out, "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom:.0}\"/>");
            if n < self.columns && n % every == 0 {
                let (x, step) = (x + self.width / 2.0, escape(&steps[self.first + n]));
                let _ = writeln!(out, "<text class=\"tick\" x=\"{x:.1}\" y=\"13\">{step}</text>");
            }
        }
    }

    fn signal(&self, out: &mut String, signal: &Signal, top: f64) {
        let name = cut(&signal.name, (LEFT - 44.0) / CHARACTER);
        let y = top + ROW / 2.0 + 4.0;
        let _ = writeln!(
            out,
            "<text class=\"name\" x=\"{:.0}\" y=\"{y:.1}\"><title>{}</title>{}</text>",
            LEFT - 40.0,
            escape(&signal.name),
            escape(&name)
        );
        match signal.numbers() {
            Some(numbers) => self.line(out, &numbers[self.first..], top),
            None => self.boxes(out, &signal.values[self.first..], top),
        }
    }

    /// Numbers: a line that holds its value through each column.
    fn line(&self, out: &mut String, values: &[Option<f64>], top: f64) {
        let known = || values.iter().flatten().copied();
        let (min, max) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
        if min > max {
            return;
        }
        let (low, high) = (top + ROW - INSIDE, top + INSIDE);
        let y = |v: f64| if min == max { (low + high) / 2.0 } else { low - (v - min) / (max - min) * (low - high) };
        let mut path = String::new();
        for (n, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            let begin = if path.is_empty() { 'M' } else { 'L' };
            let (from, to, y) = (self.x(n), self.x(n + 1), y(*value));
            let _ = write!(path, "{begin}{from:.1} {y:.1}L{to:.1} {y:.1}");
        }
        let _ = writeln!(out, "<path class=\"line\" d=\"{path}\"/>");
        let label = |out: &mut String, value: f64, y: f64| {
            let _ = writeln!(out, "<text class=\"scale\" x=\"{:.0}\" y=\"{y:.1}\">{value}</text>", LEFT - 4.0);
        };
        if min < max {
            label(out, max, high + 7.0);
            label(out, min, low + 1.0);
        } else {
            label(out, min, top + ROW / 2.0 + 4.0);
        }
    }

    /// Names: a box for each stretch with the same one.
    fn boxes(&self, out: &mut String, values: &[Option<String>], top: f64) {
        let mut n = 0;
        while n < values.len() {
            let length = values[n..].iter().take_while(|&v| *v == values[n]).count();
            if let Some(value) = &values[n] {
                let (x, width) = (self.x(n), self.width * length as f64);
                let (y, height) = (top + INSIDE, ROW - 2.0 * INSIDE);
                let text = cut(value, width / CHARACTER);
                let _ = writeln!(
                    out,
                    "<rect class=\"box\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"3\"/>\
                     <text class=\"held\" x=\"{:.1}\" y=\"{:.1}\"><title>{}</title>{}</text>",
                    x + width / 2.0,
                    top + ROW / 2.0 + 4.0,
                    escape(value),
                    escape(&text)
                );
            }
            n += length;
        }
    }
}

/// The text, or its beginning if it does not fit.
fn cut(text: &str, characters: f64) -> String {
    let most = characters.max(0.0) as usize;
    match text.chars().count() <= most {
        true => text.to_string(),
        false if most < 3 => String::new(),
        false => text.chars().take(most - 1).chain(['…']).collect(),
    }
}
