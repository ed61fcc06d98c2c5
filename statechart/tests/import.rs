//! Charts that are right: what the importer makes of them.

use std::path::{Path, PathBuf};
use syncline_statechart::import::{from_str, Options};
use syncline_statechart::model::{Chart, ConnectorKind, End, ItemType, Literal, RequirementKind, StateKind, Time};

fn chart(text: &str) -> Chart {
    from_str(text, &Options::default())
        .unwrap_or_else(|errors| panic!("{}", errors.iter().map(|e| format!("{e}\n")).collect::<String>()))
}

const LAMP: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<statechart name="lamp" time="asynchronous" max-advance="3">
  <declarations>
    <event name="button" usage="input"/>
    <event name="beep"/>
    <condition name="dark" usage="input" initial="false"/>
    <data-item name="speed" type="integer" min="0" max="250" usage="input" initial="0"/>
    <data-item name="limit" type="integer" min="0" max="250"/>
    <data-item name="mode" type="Mode" initial="on"/>
    <data-item name="log" type="integer" min="0" max="9" array="0..7"/>
    <data-item name="door" type="Door"/>
    <data-item name="ratio" type="real" initial="1.5"/>
    <enumeration name="Mode"><value name="off"/><value name="on"/></enumeration>
    <record name="Door"><field name="locked" type="condition"/><field name="angle" type="integer" min="0" max="90"/></record>
    <action name="reset">log(0) := 0; mode := off</action>
    <activity name="heat"/>
    <defined-event name="go">button[dark]</defined-event>
    <defined-condition name="fast">speed > 100</defined-condition>
  </declarations>
  <or-state name="top">
    <default target="off"/>
    <state name="off">
      <entering>reset</entering>
      <exiting>door.angle := 90; fs!(door.locked)</exiting>
      <reaction>button[dark]/mode := on ;; go/st!(heat)</reaction>
    </state>
    <and-state name="on">
      <or-state name="light">
        <default target="red"/>
        <state name="red"/>
        <state name="green"/>
        <connector name="c1" kind="condition"/>
        <connector name="h" kind="history"/>
        <transition from="red" to="c1">tm(en(red), 5)</transition>
        <transition from="c1" to="green">[fast]</transition>
        <transition from="c1" to="red">[not fast]</transition>
      </or-state>
      <state name="sound"/>
    </and-state>
    <transition from="off" to="on" label="button[speed &lt; 5]/limit := 50; beep"/>
    <transition from="on.light.red" to="off">ch(log) or wr(door)[ac(heat)]/for $i in 7 downto 0 loop log($i) := $i end loop</transition>
    <transition from="off" to="light.h" label="beep"/>
  </or-state>
  <requirements>
    <requirement name="R1">always in(on) implies speed &lt; 100</requirement>
    <requirement name="R2">never (in(red) and in(green))</requirement>
    <requirement name="R3">button leads to in(on) within 3 steps</requirement>
    <requirement name="R4">after beep, in(sound) until button[dark]</requirement>
    <requirement name="R5">in(off) implies not en(off) or mode = off</requirement>
  </requirements>
</statechart>
"#;

#[test]
fn a_chart_with_a_little_of_everything() {
    let chart = chart(LAMP);
    assert_eq!(chart.name, "lamp");
    assert_eq!(chart.time, Time::Asynchronous { max_advance: 3 });
    let paths: Vec<&str> = chart.states.values().map(|s| s.path.as_str()).collect();
    assert_eq!(
        paths,
        ["lamp", "top", "top.off", "top.on", "top.on.light", "top.on.light.red", "top.on.light.green", "top.on.sound"]
    );
    let kinds: Vec<StateKind> = chart.states.values().map(|s| s.kind).collect();
    use StateKind::{And, Basic, Or};
    assert_eq!(kinds, [Or, Or, Basic, And, Or, Basic, Basic, Basic]);
    let items: Vec<&str> = chart.items.values().map(|i| i.name.as_str()).collect();
    assert_eq!(items, ["dark", "speed", "limit", "mode", "log", "door.locked", "door.angle", "ratio", "ac(heat)"]);
    let mode = chart.items.values().find(|i| i.name == "mode").unwrap();
    assert_eq!((mode.ty, mode.initial), (ItemType::Enum(0), Literal::Int(1)));
    assert_eq!(
        chart.connectors.values().map(|c| c.kind).collect::<Vec<_>>(),
        [ConnectorKind::Condition, ConnectorKind::History]
    );
    // Three transitions, three ways at the connector, two defaults, and the root's.
    assert_eq!(chart.segments.len(), 9);
    assert_eq!(chart.segments.values().filter(|s| matches!(s.source, End::Default(_))).count(), 3);
    let off = chart.states.values().find(|s| s.name == "off").unwrap();
    assert_eq!((off.entering.len(), off.exiting.len(), off.reactions.len()), (1, 1, 2));
    assert_eq!(chart.requirements.len(), 5);
    assert!(matches!(chart.requirements[2].kind, RequirementKind::LeadsTo { within: 3, .. }));
}

/// A name is looked up from the inside out; at each state a child comes before what is deeper.
#[test]
fn names_of_states() {
    let text = r#"<statechart name="t">
<default target="a"/>
<or-state name="a"><default target="off"/><state name="off"/>
  <or-state name="b"><default target="off"/><state name="off"/><state name="on"/>
    <transition from="on" to="off" label="/* 0 */"/>
    <transition from="on" to="a.off" label="/* 1 */"/>
  </or-state>
  <transition from="on" to="off" label="/* 2 */"/>
  <transition from="b" to="b.off" label="/* 3 */"/>
</or-state>
<state name="off"/>
<transition from="on" to="off" label="/* 4 */"/>
<transition from="b.on" to="a.b.off" label="/* 5 */"/>
</statechart>"#;
    let chart = chart(text);
    let path = |end: End| match end {
        End::State(state) => chart.states[state].path.as_str(),
        End::Connector(_) | End::Default(_) => "",
    };
    let transitions = chart.segments.values().filter(|s| !s.label.is_empty());
    let mut ways: Vec<(&str, &str, &str)> =
        transitions.map(|s| (s.label.as_str(), path(s.source), path(s.target))).collect();
    ways.sort_unstable();
    assert_eq!(
        ways,
        [
            ("/* 0 */", "a.b.on", "a.b.off"),
            ("/* 1 */", "a.b.on", "a.off"),
            ("/* 2 */", "a.b.on", "a.off"),
            ("/* 3 */", "a.b", "a.b.off"),
            ("/* 4 */", "a.b.on", "off"),
            ("/* 5 */", "a.b.on", "a.b.off"),
        ]
    );
}

fn xml_files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            xml_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "xml") {
            found.push(path);
        }
    }
}

/// Every chart of the project is one by its schema, says libxml2 (where it is installed; that schema and importer know
/// the same words is tested beside the words).
#[test]
fn charts_follow_the_schema() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lamp = std::env::temp_dir().join(format!("syncline-lamp-{}.xml", std::process::id()));
    std::fs::write(&lamp, LAMP).unwrap();
    let mut files = vec![lamp.clone()];
    xml_files(&here.join("../examples/statecharts"), &mut files);
    xml_files(&here.join("../tests/statechart/rules"), &mut files);
    assert!(files.len() > 1);
    let lint = std::process::Command::new("xmllint")
        .args(["--noout", "--schema"])
        .arg(here.join("schema/statemate.xsd"))
        .args(&files)
        .output();
    std::fs::remove_file(lamp).unwrap();
    match lint {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound),
    }
}
