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
