//! 100 MB of XML, in a process of its own: the memory it takes is bounded.

use std::io::Write;
use syncline_statechart::import::{read, Options};

fn in_a_file(name: &str, write: impl FnOnce(&mut dyn Write)) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("syncline-{}-{name}.xml", std::process::id()));
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    write(&mut file);
    file.flush().unwrap();
    path
}

/// The most memory that this process has had, in MiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("VmHWM: 0 kB");
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}

#[test]
fn a_hundred_megabytes() {
    let before = peak();
    let line = "<!-- nothing to see here, but a hundred bytes of it, over and over again, until the file is full -->\n";
    let comments = in_a_file("comments", |file| {
        file.write_all(b"<statechart name=\"t\">\n").unwrap();
        for _ in 0..1_000_000 {
            file.write_all(line.as_bytes()).unwrap();
        }
        file.write_all(b"<state name=\"s\"/></statechart>").unwrap();
    });
    let chart = read(&comments, &Options::default()).unwrap();
    assert_eq!(chart.states.values().last().unwrap().position.line, 1_000_002);
    let transitions = in_a_file("transitions", |file| {
        file.write_all(b"<statechart name=\"t\"><state name=\"s\"/>\n").unwrap();
        for _ in 0..1_300_000 {
            file.write_all(b"<transition from=\"s\" to=\"s\">/if true then tr!(c) else fs!(c) end if</transition>\n")
                .unwrap();
        }
        file.write_all(b"</statechart>").unwrap();
    });
    let errors = read(&transitions, &Options::default()).unwrap_err();
    assert!(errors[0].message.contains("more than 200000 elements"), "{}", errors[0]);
    assert_eq!((errors[0].position.line, errors[0].position.column), (200_000, 1));
    let one = in_a_file("one", |file| {
        file.write_all(b"<statechart name=\"t\"><!-- ").unwrap();
        for _ in 0..1_000_000 {
            file.write_all(&line.as_bytes()[5..95]).unwrap();
        }
    });
    let errors = read(&one, &Options::default()).unwrap_err();
    assert!(errors[0].message.contains("of more than 16 MiB"), "{}", errors[0]);
    for path in [comments, transitions, one] {
        std::fs::remove_file(path).unwrap();
    }
    let used = peak() - before;
    assert!(used < 300, "{used} MiB");
}
