//! Code grows with the chart, not with the product of its components or with the square of its transitions.

use std::fmt::Write;
use syncline_statechart::import::{from_str, Options};
use syncline_statechart::lower;

/// Instructions of a chart of so many OR-states beside each other with so many states each, four transitions a state.
fn instructions(components: usize, states: usize) -> usize {
    let mut text = String::from("<statechart name=\"t\"><declarations><event name=\"e\" usage=\"input\"/>");
    for part in 0..components {
        let _ = write!(text, "<data-item name=\"x{part}\" type=\"integer\" min=\"0\" max=\"9\"/>");
    }
    text += "</declarations><default target=\"w\"/><and-state name=\"w\">\n";
    for part in 0..components {
        let _ = writeln!(text, "<or-state name=\"p{part}\"><default target=\"s0\"/>");
        for i in 0..states {
            let _ = writeln!(text, "<state name=\"s{i}\"/>");
        }
        for i in 0..4 * states {
            let (from, to, other) = (i % states, (i * 7 + 1) % states, (part + 1) % components);
            let _ = writeln!(
                text,
                "<transition from=\"s{from}\" to=\"s{to}\">e[x{part} = {} and not in(p{other}.s0)]/x{part} := {}</transition>",
                i / states,
                i % 10
            );
        }
        text += "</or-state>\n";
    }
    text += "</and-state></statechart>";
    let chart = from_str(&text, &Options::default()).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let lowered = lower::lower(&chart, &lower::Options::default());
    lowered.program.procs.values().map(|proc| proc.insts.len()).sum()
}

#[test]
fn code_is_linear_in_components_and_in_states() {
    let small = instructions(4, 20);
    let (more_components, more_states) = (instructions(16, 20), instructions(4, 80));
    println!("{small}, {more_components}, {more_states} instructions");
    assert!(more_components < 5 * small, "{small} instructions, and {more_components} with four times the components");
    assert!(more_states < 5 * small, "{small} instructions, and {more_states} with four times the states");
}
