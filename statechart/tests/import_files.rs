//! Charts over several files, mappings, requirements beside the chart.

mod support;

use std::path::{Path, PathBuf};
use support::{compare, marks};
use syncline_statechart::import::{read, Error, Mapping, Options};
use syncline_statechart::model::{Chart, End, StateKind};

/// A directory of files that is gone afterwards.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str, files: &[(&str, &str)]) -> Directory {
        let path = std::env::temp_dir().join(format!("syncline-import-{}-{name}", std::process::id()));
        for (file, text) in files {
            let file = path.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        Directory(path)
    }

    fn read(&self, file: &str, options: &Options) -> Result<Chart, Vec<Error>> {
        read(&self.0.join(file), options)
    }

    fn refused(&self, place: (u32, u32), file: &str, word: &str) {
        let errors = self.read("main.xml", &Options::default()).map(|chart| chart.name).unwrap_err();
        compare(&errors, &[place], &[word], "");
        assert!(Path::new(&errors[0].file).ends_with(file), "{}", errors[0]);
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const MAIN: &str = r#"<statechart name="main">
<declarations><event name="e"/></declarations>
<and-state name="on">
<off-page name="left" chart="parts/blink.xml"><entering>e</entering></off-page>
<off-page name="right" chart="parts/blink.xml"/>
</and-state>
<transition from="right.lit" to="left.dark" label=""/>
</statechart>"#;

const BLINK: &str = r#"<statechart name="blink">
<declarations><data-item name="n" type="integer"/></declarations>
<default target="dark"/><state name="dark"/><state name="lit"><reaction>[in(dark)]/n := n + 1</reaction></state>
<transition from="dark" to="lit" label="e"/>
<requirements><requirement name="R">never (in(dark) and in(lit))</requirement></requirements>
</statechart>"#;

#[test]
fn an_off_page_chart_may_be_used_twice() {
    let main = MAIN.replace("<transition from=\"right.lit\" to=\"left.dark\" label=\"\"/>\n", "");
    let directory = Directory::new("twice", &[("main.xml", &main), ("parts/blink.xml", BLINK)]);
    let chart = directory.read("main.xml", &Options::default()).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let paths: Vec<&str> = chart.states.values().map(|state| state.path.as_str()).collect();
    assert_eq!(
        paths,
        ["main", "on", "on.left", "on.left.dark", "on.left.lit", "on.right", "on.right.dark", "on.right.lit"]
    );
    assert_eq!(chart.states.values().filter(|state| state.kind == StateKind::Or).count(), 3);
    // The data of the file is there once, its transitions for each use.
    assert_eq!(chart.items.len(), 1);
    let ways: Vec<(End, End)> = chart.segments.values().map(|segment| (segment.source, segment.target)).collect();
    let state = |path: &str| chart.states.iter().find(|(_, data)| data.path == path).unwrap().0;
    assert!(ways.contains(&(End::State(state("on.left.dark")), End::State(state("on.left.lit")))));
    assert!(ways.contains(&(End::State(state("on.right.dark")), End::State(state("on.right.lit")))));
    assert!(ways.contains(&(End::Default(state("on.right")), End::State(state("on.right.dark")))));
    let names: Vec<&str> = chart.requirements.iter().map(|requirement| requirement.name.as_str()).collect();
    assert_eq!(names, ["R (on.left)", "R (on.right)"]);
    assert_eq!(chart.files.len(), 2);
    assert_eq!(chart.states[state("on.left")].entering.len(), 1);
    assert_eq!(chart.states[state("on.left.lit")].position.file, 1);
}

#[test]
fn wrong_off_page_charts() {
    let part = |chart: &str| MAIN.replace("parts/blink.xml", chart);
    let once = |chart: &str| format!("<statechart name=\"m\">\n<off-page name=\"p\" chart=\"{chart}\"/></statechart>");
    Directory::new("crossing", &[("main.xml", MAIN), ("parts/blink.xml", BLINK)]).refused(
        (7, 1),
        "main.xml",
        "crosses",
    );
    Directory::new("missing", &[("main.xml", &once("none.xml"))]).refused((2, 27), "main.xml", "there is no file");
    Directory::new("above", &[("main.xml", &once("../x.xml"))]).refused((2, 27), "main.xml", "without `..`");
    Directory::new("absolute", &[("main.xml", &once("/etc/passwd"))]).refused((2, 27), "main.xml", "relative path");
    Directory::new("empty", &[("main.xml", &once(""))]).refused((2, 27), "main.xml", "relative path");
    Directory::new("self", &[("main.xml", &once("./main.xml"))]).refused((2, 27), "main.xml", "is part of itself");
    Directory::new("ring", &[("main.xml", &once("b.xml")), ("b.xml", &once("main.xml"))]).refused(
        (2, 27),
        "b.xml",
        "is part of itself",
    );
    Directory::new("no-xml", &[("main.xml", &once("b.xml")), ("b.xml", "<a")]).refused(
        (1, 1),
        "b.xml",
        "malformed XML",
    );
    let wrong = BLINK.replace("n + 1", "n + zz");
    let (line, column) = marks(&BLINK.replace("n + 1", "n + @@zz")).1[0];
    let text = part("b.xml").replace("<transition from=\"right.lit\" to=\"left.dark\" label=\"\"/>\n", "");
    Directory::new("label", &[("main.xml", &text), ("b.xml", &wrong)]).refused(
        (line, column),
        "b.xml",
        "unknown name `zz`",
    );
    let timed = BLINK.replace("name=\"blink\"", "name=\"blink\" time=\"asynchronous\"");
    Directory::new("time", &[("main.xml", &text), ("b.xml", &timed)]).refused((1, 32), "b.xml", "the whole chart");
    let defined = BLINK.replace("<data-item", "<defined-condition name=\"q\">in(dark)</defined-condition><data-item");
    Directory::new("defined", &[("main.xml", &text), ("b.xml", &defined)]).refused(
        (2, 46),
        "b.xml",
        "used more than once",
    );
}

#[test]
fn files_that_double_themselves() {
    let mut files: Vec<(String, String)> = Vec::new();
    for i in 0..40 {
        let text = format!(
            "<statechart name=\"s{i}\"><default target=\"a\"/><off-page name=\"a\" chart=\"c{0}.xml\"/><off-page name=\"b\" chart=\"c{0}.xml\"/></statechart>",
            i + 1
        );
        files.push((if i == 0 { "main.xml".into() } else { format!("c{i}.xml") }, text));
    }
    files.push(("c40.xml".into(), "<statechart name=\"s\"><state name=\"s\"/></statechart>".into()));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let directory = Directory::new("doubling", &files);
    let errors = directory.read("main.xml", &Options::default()).map(|chart| chart.name).unwrap_err();
    assert!(errors.iter().any(|error| error.message.contains("more than 200000 elements")), "{}", errors[0]);
}

#[test]
fn requirements_beside_the_chart() {
    let requirements =
        "<requirements><requirement name=\"Q\">always in(lit) implies n &gt; 0</requirement></requirements>";
    let wrong = "<requirements>\n<requirement name=\"Q\">always in(nowhere)</requirement></requirements>";
    let files = [("main.xml", BLINK.replace("<event", "")), ("q.xml", requirements.into()), ("w.xml", wrong.into())];
    let files = files.map(|(name, text)| (name, text.replace(" label=\"e\"", "")));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let directory = Directory::new("beside", &files);
    let options = |file: &str| Options { requirements: vec![directory.0.join(file)], ..Options::default() };
    let chart = directory.read("main.xml", &options("q.xml")).unwrap_or_else(|errors| panic!("{}", errors[0]));
    assert_eq!(chart.requirements.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), ["R", "Q"]);
    let errors = directory.read("main.xml", &options("w.xml")).map(|chart| chart.name).unwrap_err();
    compare(&errors, &[(2, 33)], &["unknown state or connector `nowhere`"], wrong);
    let errors = directory.read("main.xml", &options("none.xml")).map(|chart| chart.name).unwrap_err();
    assert!(errors[0].to_string().contains("none.xml: cannot be opened"), "{}", errors[0]);
    assert!(directory.read("absent.xml", &Options::default()).is_err());
}

#[test]
fn a_mapping_is_in_force() {
    let mapping = "element statechart = CHART\nelement or-state = OR_STATE\nelement state = BASIC\n\
        attribute name = NAME\nattribute default.target = INTO\nvalue synchronous = STEP\n\
        ignore element graphics\nignore attribute color\n";
    let text = "<CHART NAME=\"t\" time=\"STEP\" xmlns=\"urn:x\"><OR_STATE NAME=\"o\" color=\"red\"><graphics><p>1</p></graphics>\
        <default INTO=\"s\"/><BASIC NAME=\"s\"/></OR_STATE></CHART>";
    let directory = Directory::new("mapping", &[("main.xml", text)]);
    let options = Options { mapping: Mapping::parse(mapping, "map").unwrap(), ..Options::default() };
    let chart = directory.read("main.xml", &options).unwrap_or_else(|errors| panic!("{}", errors[0]));
    assert_eq!(chart.states.len(), 3);
    let errors = directory.read("main.xml", &Options::default()).map(|chart| chart.name).unwrap_err();
    assert!(errors[0].message.contains("unknown element `CHART`"), "{}", errors[0]);
}
