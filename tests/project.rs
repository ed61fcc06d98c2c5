//! `syncline.toml`: requirements, what is said of mistakes, `syncline init`, the cache and make.
//!
//! Requirements are judged from outside: all runs of a small model up to a length that covers its states, each judged by
//! the words of the documentation.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("syncline-project-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("written");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_syncline")).args(args).current_dir(&self.0).output().expect("syncline runs")
    }

    fn make(&self, args: &[&str]) -> Output {
        let tool = format!("SYNCLINE={}", env!("CARGO_BIN_EXE_syncline"));
        Command::new("make").args(args).arg(tool).current_dir(&self.0).output().expect("make runs")
    }

    fn results(&self, dir: &str) -> usize {
        let entries = std::fs::read_dir(self.0.join(dir)).into_iter().flatten().flatten();
        entries.filter(|e| e.path().extension().is_some_and(|e| e == "result")).count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The model the requirements are about; `n` counts up to three while it may go.
const COUNTER: &str = "
static int n;
void counter_step(_Bool go, _Bool stop)
{
    if (stop)
        n = 0;
    else if (go && n < 3)
        n++;
}
";

/// One step: the inputs, and the count after it.
#[derive(Copy, Clone)]
struct Seen {
    go: bool,
    stop: bool,
    n: i32,
}

type Pred = fn(Seen) -> bool;

enum Asked {
    Always(Pred),
    LeadsTo(Pred, Pred, usize),
    AfterUntil(Pred, Pred, Pred),
}

/// By the words of the documentation, on a whole run.
fn holds(asked: &Asked, run: &[Seen]) -> bool {
    match asked {
        Asked::Always(e) => run.iter().all(|&s| e(s)),
        Asked::LeadsTo(cause, effect, n) => (0..run.len()).all(|t| {
            let complete = t + n < run.len();
            !cause(run[t]) || !complete || run[t..=t + n].iter().any(|&s| effect(s))
        }),
        Asked::AfterUntil(after, holds, until) => (0..run.len()).all(|t| {
            let asked = (0..=t).any(|s| after(run[s]) && (s..=t).all(|u| !until(run[u])));
            !asked || holds(run[t])
        }),
    }
}

/// Whether all runs of so many steps have a property.
fn all_runs(asked: &Asked, run: &mut Vec<Seen>, steps: usize) -> bool {
    if run.len() == steps {
        return holds(asked, run);
    }
    (0..4).all(|bits| {
        let (go, stop) = (bits & 1 != 0, bits & 2 != 0);
        let before = run.last().map_or(0, |s| s.n);
        let n = if stop { 0 } else { before + i32::from(go && before < 3) };
        run.push(Seen { go, stop, n });
        let all = all_runs(asked, run, steps);
        run.pop();
        all
    })
}

#[test]
fn requirements_mean_what_is_written() {
    let cases: &[(&str, Asked)] = &[
        ("always n >= 0 && n <= 3", Asked::Always(|s| s.n >= 0 && s.n <= 3)),
        ("always n < 3", Asked::Always(|s| s.n < 3)),
        ("never stop && n > 0", Asked::Always(|s| !(s.stop && s.n > 0))),
        ("never go && n == 0", Asked::Always(|s| !(s.go && s.n == 0))),
        ("go && !stop leads to n > 0 within 0 steps", Asked::LeadsTo(|s| s.go && !s.stop, |s| s.n > 0, 0)),
        ("n == 1 leads to n != 1 within 3 steps", Asked::LeadsTo(|s| s.n == 1, |s| s.n != 1, 3)),
        ("n == 2 leads to n == 2 || stop within 1 step", Asked::LeadsTo(|s| s.n == 2, |s| s.n == 2 || s.stop, 1)),
        (
            "stop leads to go || !stop || n == 0 within 2 steps",
            Asked::LeadsTo(|s| s.stop, |s| s.go || !s.stop || s.n == 0, 2),
        ),
        ("n == 3 leads to n < 3 within 2 steps", Asked::LeadsTo(|s| s.n == 3, |s| s.n < 3, 2)),
        ("after n == 3, n == 3 until stop", Asked::AfterUntil(|s| s.n == 3, |s| s.n == 3, |s| s.stop)),
        ("after n == 2, n == 2 until stop", Asked::AfterUntil(|s| s.n == 2, |s| s.n == 2, |s| s.stop)),
        ("after stop, n == 0 until go", Asked::AfterUntil(|s| s.stop, |s| s.n == 0, |s| s.go)),
        ("after go, n > 0 until stop", Asked::AfterUntil(|s| s.go, |s| s.n > 0, |s| s.stop)),
        ("after go, n > 1 until stop", Asked::AfterUntil(|s| s.go, |s| s.n > 1, |s| s.stop)),
    ];
    let folder = Folder::new("requirements");
    folder.write("counter.c", COUNTER);
    for (text, asked) in cases {
        folder.write("syncline.toml", &format!("sources = [\"counter.c\"]\n[requirements]\nr1 = \"{text}\"\n"));
        let output = folder.run(&["check"]);
        let expected = if all_runs(asked, &mut Vec::new(), 7) { 0 } else { 10 };
        assert_eq!(output.status.code(), Some(expected), "{text}: {}{}", out(&output), err(&output));
        assert!(
            out(&output).contains("r1.requirement.1") && out(&output).contains("syncline.toml:3:7"),
            "{}",
            out(&output)
        );
    }
}

#[test]
fn assumptions_and_ranges_restrict() {
    let folder = Folder::new("assumptions");
    folder.write("model.c", "int y; void model_step(int x, unsigned char k) { y = x / (k - 10); }");
    let project = |rest: &str| format!("sources = [\"model.c\"]\nchecks = [\"div\"]\n{rest}\n");
    for (rest, status) in [
        ("", 10),
        ("assumptions = [\"k != 10\", \"x > -2147483647 - 1\"]", 0),
        ("inputs.k = \"11..255\"", 0),
        ("inputs = { k = [0, 9], x = [-1000, 1000] }", 0),
        ("inputs = { k = [0, 9] }", 10),
        ("inputs = { k = [0, 9] }\nassumptions = [\"k != 9 || x >= 0\"]", 0),
    ] {
        folder.write("syncline.toml", &project(rest));
        let output = folder.run(&["check"]);
        assert_eq!(output.status.code(), Some(status), "{rest}: {}{}", out(&output), err(&output));
    }
}

#[test]
fn mistakes_are_shown_at_their_line() {
    let folder = Folder::new("mistakes");
    folder.write("counter.c", COUNTER);
    let cases = [
        ("sources = [\"counter.c\"\n", "syncline.toml:1:23", "unclosed array"),
        ("sources = [\"nothing.c\"]", "syncline.toml:1:12", "there is no file `nothing.c`"),
        ("source = [\"counter.c\"]", "syncline.toml:1:1", "unknown field `source`"),
        ("sources = [\"counter.c\"]\nstep = \"no\"", "syncline.toml:2:9", "there is no function `no`"),
        ("sources = [\"counter.c\"]\nengine = \"fast\"", "syncline.toml:2:10", "there is no engine `fast`"),
        ("sources = [\"counter.c\"]\nchecks = [\"div\", \"x\"]", "syncline.toml:2:18", "there is no check `x`"),
        ("sources = [\"counter.c\"]\ntime = -1", "syncline.toml:2:8", "not a number of seconds"),
        ("sources = [\"counter.c\"]\n\n[inputs]\ngo = \"7\"", "syncline.toml:4:6", "a range is"),
        ("sources = [\"counter.c\"]\n[inputs]\nm = \"0..1\"", "syncline.toml:3:1", "no input is called `m`"),
        ("sources = [\"counter.c\"]\n[requirements]\nr = \"n < 3\"", "syncline.toml:3:6", "a requirement is"),
        ("sources = [\"counter.c\"]\n[requirements]\nr = \"always n < \"", "syncline.toml:3", "syntax error"),
        ("sources = [\"counter.c\"]\n[requirements]\nr = \"always m < 3\"", "syncline.toml:3:13", "`m`"),
        ("sources = [\"counter.c\"]\n[requirements]\nr = \"always n = 3\"", "syncline.toml:3:15", "this writes"),
        ("sources = [\"counter.c\"]\n[requirements]\nr = \"always n++ < 3\"", "syncline.toml:3:14", "this writes"),
        ("sources = [\"counter.c\"]\n[requirements]\nr = \"never n) || (n\"", "syncline.toml:3:12", "closes nothing"),
        (
            "sources = [\"counter.c\"]\n[requirements]\nr-1 = \"always n\"",
            "syncline.toml:3:1",
            "the name of a requirement",
        ),
        (
            "[[model]]\nsources = [\"counter.c\"]\n[[model]]\nsources = [\"counter.c\"]",
            "syncline.toml",
            "a second model",
        ),
    ];
    for (text, place, words) in cases {
        folder.write("syncline.toml", text);
        let output = folder.run(&["check"]);
        let said = err(&output);
        assert!(output.status.code() == Some(2) && said.contains(place) && said.contains(words), "{text}\n{said}");
    }
    let _ = std::fs::remove_file(folder.0.join("syncline.toml"));
    assert_eq!(folder.run(&["check"]).status.code(), Some(1));
}

/// Two models; `a` has a macro that only its requirement uses.
fn two_models(folder: &Folder) {
    folder.write("a.h", "#define LIMIT 3\n");
    folder.write("a.c", &format!("#include \"a.h\"\n{}", COUNTER.replace("counter", "a")));
    folder.write("b.c", "int y; void b_step(int x) { y = x > 5 ? 5 : x; }\n");
    folder.write(
        "syncline.toml",
        "[[model]]\nname = \"a\"\nsources = [\"a.c\"]\nrequirements.top = \"always n <= LIMIT\"\n\n\
         [[model]]\nname = \"b\"\nsources = [\"b.c\"]\ninputs.x = \"0..100\"\nrequirements.top = \"always y <= 5\"\n",
    );
}

const UNCHANGED: &str = "nothing has changed";

#[test]
fn results_are_kept_as_long_as_they_are_right() {
    let folder = Folder::new("cache");
    two_models(&folder);
    let check = || folder.run(&["check", "--cache", "kept"]);
    let first = check();
    assert_eq!((first.status.code(), folder.results("kept")), (Some(0), 2), "{}", err(&first));
    let again = check();
    assert_eq!(err(&again).matches(UNCHANGED).count(), 2);
    assert_eq!(out(&again), out(&first));
    // A macro that no preprocessed line of the model shows.
    folder.write("a.h", "#define LIMIT 2\n");
    let changed = check();
    assert_eq!((changed.status.code(), err(&changed).matches(UNCHANGED).count()), (Some(10), 1), "{}", out(&changed));
    assert_eq!(check().status.code(), Some(10));
    // Other options are another question.
    assert!(!err(&folder.run(&["check", "--cache", "kept", "--32", "--model", "b"])).contains(UNCHANGED));
    // Whatever happens to an entry, it is whole or not used.
    for entry in std::fs::read_dir(folder.0.join("kept")).expect("entries").flatten() {
        let bytes = std::fs::read(entry.path()).expect("an entry");
        std::fs::write(entry.path(), &bytes[..bytes.len() - 3]).expect("cut");
    }
    assert!(!err(&check()).contains(UNCHANGED));
}

#[test]
fn what_is_unknown_is_asked_again() {
    let folder = Folder::new("unknown");
    two_models(&folder);
    let output = folder.run(&["check", "--cache", "kept", "--model", "b", "--unwind", "1"]);
    assert_eq!((output.status.code(), folder.results("kept")), (Some(5), 0), "{}", out(&output));
}

#[test]
fn a_killed_run_leaves_nothing_behind() {
    let folder = Folder::new("killed");
    folder.write("slow.c", "unsigned s = 1; void slow_step(unsigned x) { s = s * x * x + 7; __VERIFIER_assert(s % 65537 != 9 || x != 4711 * s); }");
    let mut child = Command::new(env!("CARGO_BIN_EXE_syncline"))
        .args(["check", "slow.c", "--cache", "kept", "--engine", "kinduction"])
        .current_dir(&folder.0)
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("syncline runs");
    std::thread::sleep(std::time::Duration::from_millis(400));
    let running = child.try_wait().expect("a status").is_none();
    child.kill().expect("killed");
    child.wait().expect("gone");
    assert!(!running || folder.results("kept") == 0);
}

#[test]
fn make_checks_what_has_changed() {
    let folder = Folder::new("make");
    two_models(&folder);
    let init = folder.run(&["init", "--make"]);
    assert!(init.status.success() && folder.read("syncline.mk").contains("verify"), "{}", err(&init));
    let make = || folder.make(&["-j2", "-f", "syncline.mk", "verify"]);
    let first = make();
    assert!(first.status.success() && out(&first).matches("TRUE").count() == 2, "{}{}", out(&first), err(&first));
    assert!(folder.read(".syncline/a.safe.d").contains("a.h"));
    let again = make();
    assert!(again.status.success() && !out(&again).contains("TRUE"), "{}", out(&again));
    // One range: the file is newer than both stamps, but only one model is another question.
    later(&folder, "syncline.toml", &folder.read("syncline.toml").replace("0..100", "0..9"));
    let ranged = make();
    assert!(ranged.status.success() && out(&ranged).matches("TRUE").count() == 2, "{}", out(&ranged));
    assert_eq!(err(&ranged).matches(UNCHANGED).count(), 1, "{}", err(&ranged));
    // A header: only its model is touched, and it is wrong now.
    later(&folder, "a.h", "#define LIMIT 1\n");
    let header = make();
    assert!(!header.status.success() && out(&header).contains("FALSE(top.requirement.1)"), "{}", out(&header));
    assert!(!folder.make(&["-f", "syncline.mk", "verify"]).status.success());
}

/// Writes a file so that make sees that it is newer.
fn later(folder: &Folder, name: &str, text: &str) {
    folder.write(name, text);
    let file = std::fs::File::options().write(true).open(folder.0.join(name)).expect("a file");
    let time = std::time::SystemTime::now() + std::time::Duration::from_millis(20);
    file.set_modified(time).expect("a time");
    std::thread::sleep(std::time::Duration::from_millis(40));
}

#[test]
fn the_example_for_make() {
    let folder = Folder::new("example");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/make");
    for entry in std::fs::read_dir(&example).expect("files").flatten().filter(|e| e.path().is_file()) {
        std::fs::copy(entry.path(), folder.0.join(entry.file_name())).expect("copied");
    }
    let fragment = folder.read("syncline.mk");
    assert!(folder.run(&["init", "--make"]).status.success());
    assert_eq!(folder.read("syncline.mk"), fragment, "`syncline init --make` writes another one");
    let first = folder.make(&["-j3", "verify"]);
    assert!(first.status.success() && out(&first).matches("TRUE").count() == 3, "{}{}", out(&first), err(&first));
    let again = folder.make(&["verify"]);
    assert!(again.status.success() && !out(&again).contains("TRUE"));
    later(&folder, "syncline.toml", &folder.read("syncline.toml").replace("0..250", "0..199"));
    let ranged = folder.make(&["-j3", "verify"]);
    assert!(ranged.status.success() && err(&ranged).matches(UNCHANGED).count() == 2, "{}", err(&ranged));
}

#[test]
fn init_finds_models() {
    let folder = Folder::new("init");
    folder.write("inc/types.h", "typedef unsigned char boolean_T;\ntypedef short int16_T;\n");
    folder.write("src/gear.h", "#include \"types.h\"\ntypedef struct { int16_T speed; boolean_T up; } ExtU_gear_T;\nextern ExtU_gear_T gear_U;\nextern int16_T gear_limit;\nvoid gear_initialize(void);\nvoid gear_step(void);\n");
    folder.write("src/gear.c", "#include \"gear.h\"\nExtU_gear_T gear_U;\nstatic int16_T gear;\nvoid gear_initialize(void) { gear = 1; }\nvoid gear_step(void) { if (gear_U.up && gear < gear_limit) gear++; gear_U.speed /= gear; }\n");
    folder.write("src/gear_data.c", "#include \"gear.h\"\nint16_T gear_limit = 5;\n");
    folder
        .write("src/ert_main.c", "#include \"gear.h\"\nstatic void once(void) { gear_step(); }\nint main(void) { gear_initialize(); for (;;) once(); }\n");
    folder.write(
        "lamp.c",
        "int on;\nvoid lamp_init(void) { on = 0; }\nvoid lamp_step(int button) { on = button ? !on : on; on /= 1 + on; }\n",
    );
    let output = folder.run(&["init"]);
    assert!(output.status.success(), "{}", err(&output));
    let text = folder.read("syncline.toml");
    for words in [
        "name = \"gear\"\nsources = [\"src/gear.c\", \"src/gear_data.c\"]\ninclude = [\"inc\"]",
        "step = \"gear_step\"\ninit = \"gear_initialize\"",
        "# \"gear_U.speed\" = \"-32768..32767\"",
        "name = \"lamp\"\nsources = [\"lamp.c\"]",
        "init = \"lamp_init\"",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert!(!text.contains("gear_U.up") && !text.contains("ert_main"), "{text}");
    let checked = folder.run(&["check"]);
    assert_eq!(checked.status.code(), Some(0), "{}{}", out(&checked), err(&checked));
    assert_eq!(folder.run(&["init"]).status.code(), Some(1));
}

/// Generated code without the headers of the generator's installation.
#[test]
fn headers_that_are_missing_are_stood_in_for() {
    let folder = Folder::new("stand-ins");
    let text = "#include \"rtwtypes.h\"\n#include \"library/macros.h\"\n#ifndef TOP\n#define TOP 9\n#endif\n\
        int8_T y;\nvoid tank_step(boolean_T fill) { if (fill && y < TOP) y++; y = (int8_T)(y % (TOP + 1 + fill)); }\n";
    folder.write("tank.c", text);
    folder.write("unused.c", "#include \"other.h\"\nother_t nothing;\n");
    assert!(err(&folder.run(&["check", "tank.c"])).contains("rtwtypes.h: No such file"));
    let init = folder.run(&["init"]);
    assert!(init.status.success() && err(&init).contains("other.h: No such file"), "{}", err(&init));
    let project = folder.read("syncline.toml");
    assert!(project.contains("stand-ins = [\"rtwtypes.h\", \"library/macros.h\"]\n"), "{project}");
    let check = || folder.run(&["check", "--cache", "kept", "--stamp", "stamp"]);
    let first = check();
    let said = out(&first);
    assert!(first.status.success(), "{said}{}", err(&first));
    assert!(said.contains("the header `library/macros.h` is not there, and taken as empty"), "{said}");
    assert!(said.contains("the header `rtwtypes.h` is not there, and taken to be as usual"), "{said}");
    assert!(err(&check()).contains(UNCHANGED));
    assert!(!folder.read("stamp.d").contains("macros.h"), "make cannot look at it");
    // The true one comes first, and what it defines counts.
    folder.write("library/macros.h", "#define TOP -1\n");
    assert_eq!(check().status.code(), Some(10));
    // Of what nothing declares the type would be a guess.
    folder.write("library/macros.h", "");
    folder.write("tank.c", &text.replace("y % ", "gain(y) % "));
    let guess = check();
    assert_eq!(guess.status.code(), Some(2));
    assert!(err(&guess).contains("`gain` is not declared, and headers are missing"), "{}", err(&guess));
    assert_eq!(folder.run(&["check", "tank.c", "--stand-in", "../rtwtypes.h"]).status.code(), Some(2));
}

#[test]
fn options_come_from_compile_commands() {
    let folder = Folder::new("commands");
    folder.write("inc/k.h", "#define K 4\n");
    folder.write("m.c", "#include \"k.h\"\nint y; void m_step(int x) { y = x % (K + EXTRA); }\n");
    let commands = format!(
        "[{{\"directory\": {:?}, \"file\": \"m.c\", \"command\": \"gcc -Iinc -DEXTRA=1 -c m.c\"}}]",
        folder.0.display().to_string()
    );
    folder.write("build/compile_commands.json", &commands);
    folder.write(
        "syncline.toml",
        "sources = [\"m.c\"]\ncompile-commands = \"build/compile_commands.json\"\nrequirements.r = \"always y < 5\"\n",
    );
    let output = folder.run(&["check"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    folder.write("n.c", "int n;");
    folder.write("syncline.toml", "sources = [\"m.c\", \"n.c\"]\ncompile-commands = \"build/compile_commands.json\"\n");
    let output = folder.run(&["check"]);
    assert!(output.status.code() == Some(2) && err(&output).contains("has no command for n.c"), "{}", err(&output));
}

#[test]
fn a_project_elsewhere_is_relative_to_its_file() {
    let folder = Folder::new("elsewhere");
    folder.write("sub/counter.c", COUNTER);
    folder.write("sub/syncline.toml", "sources = [\"counter.c\"]\nrequirements.r = \"always n <= 3\"\n");
    for path in ["sub/syncline.toml", "sub"] {
        let output = folder.run(&["check", path]);
        assert!(output.status.success() && out(&output).contains("sub/syncline.toml:2:"), "{}", err(&output));
    }
    assert!(Path::new(&folder.0).exists());
}
