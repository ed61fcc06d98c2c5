//! Charts that are right: what the importer makes of them.

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
