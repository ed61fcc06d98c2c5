//! The simulator's drivers and tables.

use syncline_statechart::import;
use syncline_statechart::model::*;
use syncline_statechart::sim::{csv, table, Choice, Chooser, Fault, FirstChoice, Inputs, Simulator, SUPERSTEP_LIMIT};

const LAMP: &str = r#"<statechart name="lamp" time="asynchronous" max-advance="4">
  <declarations>
    <event name="button" usage="input"/>
    <event name="beep"/>
    <condition name="dark" usage="input"/>
    <data-item name="speed" type="integer" min="0" max="250" usage="input"/>
    <data-item name="level" type="Level" usage="input"/>
    <data-item name="ratio" type="real" usage="input"/>
    <data-item name="log" type="integer" min="0" max="9" array="2..4" usage="input"/>
    <data-item name="count" type="integer" min="0" max="9"/>
    <enumeration name="Level"><value name="low"/><value name="high"/></enumeration>
  </declarations>
  <default target="off"/>
  <state name="off"/>
  <state name="on"/>
  <transition from="off" to="on" label="button[dark]/count := count + 1; beep"/>
  <transition from="on" to="off" label="tm(en(on), 3)"/>
  <requirements><requirement name="slow">always in(on) implies speed &lt; 100</requirement></requirements>
</statechart>"#;

fn chart(text: &str) -> Chart {
    import::from_str(text, &import::Options::default()).unwrap()
}

fn errors(text: &str) -> Vec<String> {
    csv::read_inputs(&chart(LAMP), text).unwrap_err().iter().map(|e| e.to_string()).collect()
}

#[test]
fn inputs_are_read_from_csv() {
    let chart = chart(LAMP);
    let text = "\u{feff}time, button, dark, speed,level ,\"ratio\",log(3)\r\n\r\n1,1,true,  20, high,1.5,7\n,0,0,,low,,\n4,,,,,,\n";
    let inputs = csv::read_inputs(&chart, text).unwrap();
    let item = |name: &str| chart.items.iter().find(|(_, data)| data.name == name).unwrap().0;
    let button = chart.events.iter().find(|(_, data)| data.name == "button").unwrap().0;
    let wanted = Inputs {
        events: [button].into(),
        items: vec![
            (item("dark"), None, Literal::Bool(true)),
            (item("speed"), None, Literal::Int(20)),
            (item("level"), None, Literal::Int(1)),
            (item("ratio"), None, Literal::Real(1.5)),
            (item("log"), Some(3), Literal::Int(7)),
        ],
        advance: 1,
    };
    assert_eq!(inputs[0], wanted);
    let items = vec![(item("dark"), None, Literal::Bool(false)), (item("level"), None, Literal::Int(0))];
    assert_eq!(inputs[1], Inputs { items, ..Inputs::default() });
    assert_eq!(inputs[2], Inputs { advance: 4, ..Inputs::default() });
    assert_eq!(inputs.len(), 3);
}

#[test]
fn errors_in_csv_have_line_and_column() {
    assert_eq!(errors(""), ["1:1: there is no header with the names of inputs"]);
    let names = "`buton` is no input of the chart; its inputs are time, button, dark, speed, level, ratio, log";
    assert_eq!(errors("dark, buton\n"), [format!("1:7: {names}")]);
    assert_eq!(
        errors("count,beep"),
        ["1:1: `count` is no input of the chart", "1:7: the event `beep` is no input of the chart"]
    );
    assert_eq!(errors("dark,dark"), ["1:6: `dark` has a column already"]);
    for header in ["log", "log(5)", "log(x)", "log(1)"] {
        assert_eq!(errors(header), ["1:1: `log` is an array: name one of its cells, log(2) to log(4)"], "{header}");
    }
    assert_eq!(errors("speed(1)"), ["1:1: `speed` is no array"]);
    assert_eq!(
        errors("dark,button\n1\n1,0,1"),
        ["2:1: 1 cells where the header has 2", "3:5: 3 cells where the header has 2"]
    );
    assert_eq!(
        errors("dark,button\n2, yes"),
        [
            "2:1: `2` is no condition's value: 0, 1, true or false",
            "2:4: `yes` is neither 0 nor 1, and the column is an event",
        ]
    );
    assert_eq!(
        errors("speed,level\n251,middle\n99999999999,low"),
        [
            "2:1: 251 is outside of the range of `speed`",
            "2:5: `middle` is no value of `Level`: low, high",
            "3:1: `99999999999` is no 32-bit integer",
        ]
    );
    assert_eq!(
        errors("time\n0\n5"),
        [
            "2:1: `0`: the time that passes is a number from 1 to 4",
            "3:1: `5`: the time that passes is a number from 1 to 4",
        ]
    );
    assert_eq!(errors("dark,\"button\n"), ["1:6: the quote is not closed on this line"]);
    assert_eq!(errors("\"dark\" x"), ["1:8: text behind a quoted cell"]);
}

#[test]
fn a_run_is_a_table_in_the_words_of_the_chart() {
    let chart = chart(LAMP);
    let sim = Simulator::new(&chart);
    let inputs =
        csv::read_inputs(&chart, "time,button,dark,speed\n1,1,1,\n1,0,,120\n2,,,\n1,,,\n1,,,\n1,,,\n").unwrap();
    let (start, supersteps) = sim.run(&inputs, &mut FirstChoice);
    let mut recorder = table::Recorder::new(&sim);
    let mut rows = vec![recorder.start(&start)];
    rows.extend(supersteps.iter().flat_map(|superstep| recorder.superstep(superstep)));
    // By hand: the lamp is on at time 1, which the empty step 2 sees; at time 1 + 3 it goes off.
    assert_eq!(
        table::text(&rows),
        "\
step  time  inputs               transitions                                       left  entered    changed          faults
0     0                          default(lamp) -> off                                    lamp; off
1     1     button; dark = true  off -> on: button[dark]/count := count + 1; beep  off   on         count = 1; beep
2     1
3     2     speed = 120                                                                                              slow is violated
4     4                          on -> off: tm(en(on), 3)                          on    off                         slow is violated
5     4                          hold 4 steps
"
    );
    let lines = table::csv(&rows);
    assert_eq!(lines.lines().count(), 10);
    assert_eq!(lines.lines().nth(1), Some("0,0,,default(lamp) -> off,,lamp; off,,"));
    assert_eq!(lines.lines().nth(5), Some("4,4,,\"on -> off: tm(en(on), 3)\",on,off,,slow is violated"));
}

#[test]
fn a_superstep_that_never_ends_is_cut() {
    let chart = chart(
        r#"<statechart name="flip" time="asynchronous"><declarations><event name="go" usage="input"/></declarations>
        <default target="a"/><state name="a"/><state name="b"/>
        <transition from="a" to="b" label="go or ex(b)"/><transition from="b" to="a" label="en(b)"/></statechart>"#,
    );
    let sim = Simulator::new(&chart);
    let go = chart.events.keys().next().unwrap();
    let quiet = sim.superstep(&sim.initial()[0], &Inputs::default(), &mut FirstChoice);
    assert!(quiet.settled && quiet.steps.len() == 1);
    let inputs = Inputs { events: [go].into(), ..Inputs::default() };
    let endless = sim.superstep(quiet.next(), &inputs, &mut FirstChoice);
    assert!(!endless.settled);
    assert_eq!(endless.steps.len(), SUPERSTEP_LIMIT);
    let (_, supersteps) = sim.run(&[inputs, Inputs::default()], &mut FirstChoice);
    assert_eq!(supersteps.len(), 1, "nothing comes after it");
}

#[test]
fn an_endless_loop_ends_the_run() {
    let chart = chart(
        r#"<statechart name="c" time="synchronous"><declarations><condition name="k"/></declarations><default target="a"/>
        <state name="a"><reaction>[true]/while not k loop k := true end loop</reaction></state></statechart>"#,
    );
    let sim = Simulator::new(&chart);
    let status = sim.status_with_inputs(&sim.initial()[0], &Inputs::default());
    // A1: the loop's condition reads k at the start of the step, whatever its body assigns.
    let results = sim.steps(&status);
    assert!(matches!(results[0].faults[..], [Fault::EndlessLoop { .. }]), "{:?}", results[0].faults);
    assert!(results[0].next.aborted);
    assert!(sim.steps(&results[0].next).is_empty());
    assert!(!sim.is_stable(&status));
}

struct Last(usize);

impl Chooser for Last {
    fn choose(&mut self, choice: Choice) -> usize {
        self.0 += 1;
        choice.count() - 1
    }
}

#[test]
fn the_chooser_is_asked_for_every_choice() {
    let chart = chart(
        r#"<statechart name="c" time="synchronous"><declarations><data-item name="x" type="integer" min="0" max="9"/></declarations>
        <default target="a"/><state name="a"><exiting>x := 1</exiting></state><state name="b"/><state name="c"/>
        <transition from="a" to="b" label="/x := 2"/><transition from="a" to="c" label="/x := 3"/></statechart>"#,
    );
    let sim = Simulator::new(&chart);
    let status = sim.status_with_inputs(&sim.initial()[0], &Inputs::default());
    let x = chart.items.keys().next().unwrap();
    let outcome = |status: &syncline_statechart::sim::Status| {
        let states: Vec<&str> = status.configuration.iter().map(|&s| chart.states[s].name.as_str()).collect();
        format!("{} {:?}", states[1], status.value(x).unwrap())
    };
    let all: Vec<String> = sim.steps(&status).iter().map(|r| outcome(&r.next)).collect();
    assert_eq!(all, ["b 1", "b 2", "c 1", "c 3"]);
    let mut last = Last(0);
    assert_eq!(outcome(&sim.step(&status, &mut last).next), "c 3");
    assert_eq!(last.0, 2);
}
