//! `syncline check` of charts: verdicts in the chart's words, exit statuses, inputs that the simulator takes.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("a file for the test");
    path
}

fn run(command: &str, args: &[&str], path: &PathBuf) -> Output {
    let mut line = Command::new(env!("CARGO_BIN_EXE_syncline"));
    line.arg(command).args(args).arg(path).output().expect("the tool starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The line of a property.
fn line<'t>(text: &'t str, property: &str) -> &'t str {
    text.lines().find(|l| l.starts_with(property)).unwrap_or_else(|| panic!("no line {property} in\n{text}"))
}

const DECLARATIONS: &str = r#"<declarations>
    <event name="button" usage="input"/><event name="stop" usage="input"/><event name="ping"/><event name="pong"/>
    <condition name="dark" usage="input" initial="false"/>
    <data-item name="level" type="integer" min="0" max="5" initial="0"/>
  </declarations>"#;

fn chart(time: &str, body: &str, requirements: &str) -> String {
    format!(
        "<statechart name=\"lamp\" time=\"{time}\">{DECLARATIONS}<or-state name=\"top\"><default target=\"off\"/>{body}\
         </or-state><requirements>{requirements}</requirements></statechart>"
    )
}

const GOOD: &str = r#"<state name="off"/><state name="on"><entering>level := 1</entering><exiting>level := 0</exiting></state>
    <transition from="off" to="on" label="button"/><transition from="on" to="off" label="button"/>"#;

#[test]
fn a_chart_without_faults_is_proved() {
    for time in ["synchronous", "asynchronous"] {
        let requirements = "<requirement name=\"lit\">in(on) implies level = 1</requirement>\
            <requirement name=\"answer\">button leads to level = 1 within 1 steps</requirement>\
            <requirement name=\"wrong\">after en(on), in(on) until stop</requirement>";
        let path = file(&format!("good_{time}.xml"), &chart(time, GOOD, requirements));
        let output = run("check", &["--time", "20"], &path);
        let text = stdout(&output);
        assert!(line(&text, "unreachable").contains("3 of 3 states can be entered"), "{text}");
        assert!(line(&text, "dead").contains("2 of 2 transitions can fire"), "{text}");
        assert!(line(&text, "lit.requirement.1").contains(" SAFE"), "{text}");
        assert!(line(&text, "answer.requirement.1").contains(" SAFE"), "{text}");
        assert!(line(&text, "wrong.requirement.1").contains("UNSAFE"), "{text}");
        assert_eq!(output.status.code(), Some(10), "{text}");
        let output = run("check", &["--time", "20", "--property", "lit.requirement.1"], &path);
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
        assert!(stdout(&output).ends_with("TRUE\n"));
    }
}

/// Values outside of a range are kept as they are, also if random runs do not find them: the run goes on with them.
#[test]
fn what_holds_only_while_values_stay_in_their_range_is_not_proved() {
    let text = r#"<statechart name="lamp" time="synchronous"><declarations>
          <event name="button" usage="input"/>
          <data-item name="key" type="integer" usage="input" initial="0"/>
          <data-item name="lock" type="integer" usage="input" initial="0"/>
          <data-item name="count" type="integer" min="0" max="3" initial="0"/>
          <data-item name="level" type="integer" min="0" max="5" initial="0"/>
        </declarations>
        <or-state name="top"><default target="on"/><state name="on">
          <reaction>button[count &lt; 3]/count := count + 1</reaction>
          <reaction>[key + lock = 48271 and key - lock = 1023]/level := 13</reaction>
        </state></or-state>
        <requirements><requirement name="high">never level = 13</requirement>
          <requirement name="low">never level &lt; 0</requirement></requirements></statechart>"#;
    let path = file("outside.xml", text);
    let output = run("check", &["--time", "20"], &path);
    let text = stdout(&output);
    assert!(line(&text, "range").contains("1 of 2 assignments"), "{text}");
    assert!(line(&text, "level.range.1").contains("UNSAFE"), "{text}");
    assert!(line(&text, "high.requirement.1").contains("UNSAFE"), "{text}");
    assert!(line(&text, "low.requirement.1").contains(" SAFE"), "{text}");
    // The same without the check that finds it.
    let output = run("check", &["--time", "20", "--check", "requirement"], &path);
    let text = stdout(&output);
    assert!(!text.contains("level.range.1"), "{text}");
    assert!(line(&text, "high.requirement.1").contains("UNSAFE"), "{text}");
}

#[test]
fn what_never_happens_is_a_fault() {
    let body = r#"<state name="off"/><state name="on"/><state name="ghost"/>
        <transition from="off" to="on" label="button"/><transition from="on" to="off" label="stop"/>
        <transition from="on" to="ghost" label="ping[dark and not dark]"/><transition from="ghost" to="off" label="button"/>"#;
    let path = file("ghost.xml", &chart("synchronous", body, ""));
    let output = run("check", &["--time", "20"], &path);
    let text = stdout(&output);
    assert!(line(&text, "top.ghost.unreachable.1").contains("DEAD"), "{text}");
    assert!(line(&text, "top.on->top.ghost.dead.1").contains("DEAD"), "{text}");
    assert!(!text.contains("top.ghost->top.off.dead.1"), "what follows is not said again: {text}");
    assert_eq!(output.status.code(), Some(10));
    assert!(text.trim_end().ends_with("FALSE(top.ghost.unreachable.1)"), "{text}");
    let output = run("check", &["--time", "20", "--check", "conflict,race"], &path);
    assert!(!stdout(&output).contains("unreachable"), "{}", stdout(&output));
}

#[test]
fn faults_have_a_run_that_the_simulator_repeats() {
    let body = r#"<state name="off"/><and-state name="on">
          <or-state name="left"><default target="a"/><state name="a"/><state name="b"/><state name="c"/>
            <transition from="a" to="b" label="button/level := 1"/><transition from="a" to="c" label="button[dark]"/></or-state>
          <or-state name="right"><default target="d"/><state name="d"><reaction>button/level := 7</reaction></state></or-state>
        </and-state>
        <transition from="off" to="on" label="button"/><transition from="on" to="off" label="stop"/>"#;
    let path = file("faults.xml", &chart("synchronous", body, ""));
    let inputs = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("faults.csv");
    let csv = inputs.display().to_string();
    for (property, fault) in [
        ("top.on.left.conflict.1", "conflict in left"),
        ("level.race.1", "race on level: 1 | 7"),
        ("level.range.1", "7 is out of range for level"),
    ] {
        let output = run("check", &["--time", "20", "--property", property, "--csv", &csv], &path);
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(10), "{text}");
        assert!(line(&text, property).contains("UNSAFE"), "{text}");
        let last = text.lines().rev().nth(1).unwrap_or_default();
        assert!(last.trim_start().starts_with("2 ") && last.contains(fault), "two steps are enough: {text}");
        let again = stdout(&run("sim", &["--inputs", &csv], &path));
        assert!(again.contains(fault), "{again}");
    }
}

#[test]
fn supersteps_that_do_not_end() {
    let body = r#"<state name="off"/><state name="a"/><state name="b"/>
        <transition from="off" to="a" label="button/ping"/><transition from="a" to="off" label="stop"/>
        <transition from="a" to="b" label="ping/pong"/><transition from="b" to="a" label="pong/ping"/>"#;
    let path = file("unstable.xml", &chart("asynchronous", body, ""));
    let output = run("check", &["--time", "20", "--check", "stability"], &path);
    let text = stdout(&output);
    assert!(line(&text, "lamp.stability.1").contains("UNSAFE"), "{text}");
    assert!(text.contains("the superstep does not end"), "{text}");
    assert_eq!(output.status.code(), Some(10));
    let path = file("stable.xml", &chart("asynchronous", GOOD, ""));
    let output = run("check", &["--time", "20", "--check", "stability"], &path);
    assert!(line(&stdout(&output), "lamp.stability.1").contains("SAFE"), "{}", stdout(&output));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn errors_in_charts_are_2() {
    let path =
        file("wrong.xml", &chart("synchronous", "<state name=\"off\"/><transition from=\"off\" to=\"nowhere\"/>", ""));
    let output = run("check", &[], &path);
    assert_eq!(output.status.code(), Some(2));
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.contains("wrong.xml:5:") && words.contains("nowhere"), "{words}");
}

/// `line:column` of the mark in a text, and the text without it.
fn marked(text: &str) -> (String, String) {
    let at = text.find("@@").unwrap_or_else(|| panic!("no mark in {text}"));
    let line = text[..at].matches('\n').count() + 1;
    let column = at - text[..at].rfind('\n').map_or(0, |n| n + 1) + 1;
    (format!("{line}:{column}: "), text.replacen("@@", "", 1))
}

/// Each kind of bad input: status 2, the place, what is wrong, and the element.
#[test]
fn bad_charts_are_refused_with_their_place() {
    let or = "<default target=\"a\"/><state name=\"a\"/><state name=\"b\"/>";
    let and = "<default target=\"w\"/><and-state name=\"w\"><state name=\"p\"/><state name=\"q\"/></and-state>";
    let cycle = "<connector name=\"m\" kind=\"junction\"/><transition from=\"a\" to=\"k\"/>\
        <transition from=\"k\" to=\"m\"/><transition from=\"m\" to=\"k\"/><transition from=\"m\" to=\"b\"/>";
    let cases = [
        ("not XML", format!("{or}\n@@</statechar>"), "statechar", ""),
        ("entity", format!("{or}\n<transition from=\"a\" to=\"b\">@@&lol;</transition>"), "lol", ""),
        ("reference", format!("{or}\n<transition from=\"a\" to=\"@@nowhere\"/>"), "nowhere", "transition"),
        (
            "default",
            "\n@@<or-state name=\"s\"><state name=\"a\"/><state name=\"b\"/></or-state>".into(),
            "no default",
            "or-state s",
        ),
        (
            "crossing",
            format!("{and}\n@@<transition from=\"p\" to=\"q\"/>"),
            "crosses from one component",
            "transition w.p -> w.q",
        ),
        (
            "cycle",
            format!("{or}\n@@<connector name=\"k\" kind=\"junction\"/>{cycle}"),
            "in a cycle: k -> m",
            "connector k",
        ),
        (
            "type",
            format!("{or}\n<transition from=\"a\" to=\"b\">button[level + @@dark = 1]</transition>"),
            "",
            "transition a -> b",
        ),
        ("name", format!("{or}\n<state name=\"@@a\"/>"), "`a`", "state a"),
    ];
    for (what, body, words, element) in cases {
        let text = format!("<statechart name=\"c\">{DECLARATIONS}{body}</statechart>");
        let (place, text) = marked(&text);
        let path = file(&format!("bad_{what}.xml"), &text);
        for command in ["check", "sim"] {
            let output = run(command, &[], &path);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{what}: {said}");
            let first = said.lines().find(|l| l.contains(&format!(".xml:{place}")));
            let first = first.unwrap_or_else(|| panic!("{what}: not at {place}\n{said}"));
            assert!(first.contains(words) && first.contains(element), "{what}: {said}");
        }
    }
}

#[test]
fn entity_bombs_are_refused_and_errors_come_together() {
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE c [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;\">]>\n\
        <statechart name=\"c\"><state name=\"s\"/></statechart>";
    let output = run("check", &[], &file("bomb.xml", bomb));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("bomb.xml:2:1: "), "{said}");
    let body = "<state name=\"off\"/><state name=\"off\"/>\n<transition from=\"off\" to=\"nowhere\"/>\n\
        <transition from=\"off\" to=\"off\">button[level]</transition>";
    let output = run("check", &[], &file("several.xml", &chart("synchronous", body, "")));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    for line in ["several.xml:5:", "several.xml:6:", "several.xml:7:"] {
        assert!(said.contains(line), "{line} is not among\n{said}");
    }
}

/// 100 MB of transitions, and of errors, in an address space of 1 GB.
#[cfg(target_os = "linux")]
#[test]
fn a_hundred_megabytes_are_read_in_little_memory() {
    let many =
        "<transition from=\"s\" to=\"s\">/if true then tr!(c) else fs!(c) end if</transition>\n".repeat(1_250_000);
    let text = format!("<statechart name=\"c\"><state name=\"s\"/>\n{many}</statechart>");
    assert!(text.len() > 100_000_000);
    let path = file("huge.xml", &text);
    let script = "ulimit -v 1048576; exec \"$0\" check \"$1\"";
    let mut line = Command::new("sh");
    line.args(["-c", script, env!("CARGO_BIN_EXE_syncline")]).arg(&path);
    let output = line.output().expect("the shell starts");
    let _ = fs::remove_file(&path);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("huge.xml:200000:1: ") && said.contains("more than 200000 elements"), "{said}");
}

/// Steps in which nothing happens are one line, in both models of time.
#[test]
fn quiet_stretches_are_compressed() {
    let body = r#"<state name="off"/><state name="on"/><state name="late"/>
        <transition from="off" to="on" label="button"/><transition from="on" to="late" label="tm(en(on), 150)"/>"#;
    for (time, end) in [("synchronous", ["152", "152"]), ("asynchronous", ["152", "151"])] {
        let requirement = "<requirement name=\"R\">never in(late)</requirement>";
        let path = file(&format!("quiet_{time}.xml"), &chart(time, body, requirement));
        let output = run("check", &["--time", "20", "--check", "requirement"], &path);
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(10), "{text}");
        // The button is seen in step 1, en(on) in step 2, the time-out 150 units later.
        let table: Vec<&str> = text.lines().filter(|l| l.starts_with("    ")).collect();
        let row = |n: usize| table[n].split_whitespace().collect::<Vec<_>>();
        assert_eq!(table.len(), 6, "{text}");
        assert_eq!((row(3)[0], &row(3)[2..]), ("2", &["hold", "150", "steps"][..]), "{text}");
        assert_eq!(row(4)[..2], end, "{text}");
        assert!(table[4].contains("on -> late"), "{text}");
        assert_eq!(row(5)[0], "153", "{text}");
        assert!(table[5].ends_with("R is violated"), "{text}");
    }
}

#[test]
fn the_lamp_of_the_readme() {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/statecharts/lamp.xml"));
    let output = run("check", &["--time", "20"], &path);
    let text = stdout(&output);
    assert!(line(&text, "cabin.conflict.1").contains("UNSAFE"), "{text}");
    assert!(line(&text, "dark_is_off.requirement.1").contains(" SAFE"), "{text}");
    assert!(line(&text, "goes_out.requirement.1").contains(" SAFE"), "{text}");
    assert!(line(&text, "cabin.fading.reaction1.constant.2").contains("CONST"), "{text}");
    assert!(text.ends_with("FALSE(cabin.conflict.1)\n"), "{text}");
    assert_eq!(output.status.code(), Some(10), "{text}");
}
