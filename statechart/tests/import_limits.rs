//! Files that are too large, too deep, or random: bounded memory, no overflow of the stack, no panic.

mod support;

use support::{chart, labelled, marks, refused};
use syncline_statechart::import::{from_bytes, from_str, Options};

fn accepted(text: &str) {
    if let Err(errors) = from_str(text, &Options::default()) {
        panic!("{}", errors[0]);
    }
}

fn first_error(text: &str) -> String {
    from_str(text, &Options::default()).map(|chart| chart.name).expect_err("accepted").remove(0).to_string()
}

#[test]
fn nesting_of_labels_is_bounded() {
    let brackets = |depth: usize| labelled(&format!("[{}c{}]", "(".repeat(depth), ")".repeat(depth)));
    accepted(&brackets(190));
    assert!(first_error(&brackets(201)).contains("nested more than 200 deep"));
    assert!(first_error(&brackets(100_000)).contains("nested more than 200 deep"));
    // Chains of `or` and the like are not deep, sums are.
    for operator in ["or", "and", "xor"] {
        let chain = |count: usize| format!("[c{}]", format!(" {operator} c").repeat(count));
        accepted(&labelled(&chain(5_000)));
        accepted(&labelled(&chain(100_000)));
    }
    accepted(&labelled(&format!("e{}[c]", " or e and not e".repeat(5_000))));
    let sums = |count: usize| labelled(&format!("[x = 1{}]", " + 1".repeat(count)));
    accepted(&sums(190));
    assert!(first_error(&sums(100_000)).contains("more than 200 deep"));
    let nots = |count: usize| labelled(&format!("[{}c]", "not ".repeat(count)));
    accepted(&nots(190));
    assert!(first_error(&nots(100_000)).contains("nested more than 200 deep"));
    assert!(first_error(&labelled(&format!("[x = {}1]", "-".repeat(100_000)))).contains("nested more than 200 deep"));
    let ifs = |count: usize| labelled(&format!("/{}e{}", "if c then ".repeat(count), " end if".repeat(count)));
    accepted(&ifs(190));
    assert!(first_error(&ifs(50_000)).contains("nested more than 200 deep"));
    assert!(first_error(&labelled(&"e[".repeat(100_000))).contains("nested more than 200 deep"));
    assert!(first_error(&labelled(&format!("/{}", "sc!(".repeat(100_000)))).contains("nested more than 200 deep"));
    assert!(first_error(&labelled(&format!("[{}", "a(".repeat(100_000)))).contains("nested more than 200 deep"));
    // Many actions after each other are not deep.
    accepted(&labelled(&format!("/{}", "x := x + 1;".repeat(10_000))));
}

#[test]
fn nesting_of_elements_is_bounded() {
    let states = |depth: usize| {
        let open: String =
            (0..depth).map(|i| format!("<or-state name=\"s{i}\"><default target=\"s{}\"/>", i + 1)).collect();
        format!("<statechart name=\"t\">{open}<state name=\"s{depth}\"/>{}</statechart>", "</or-state>".repeat(depth))
    };
    accepted(&states(99));
    let errors = from_str(&states(100), &Options::default()).map(|chart| chart.name).unwrap_err();
    assert!(errors.iter().any(|error| error.message == "states are nested more than 100 deep"));
    assert!(first_error(&states(100_000)).contains("elements are nested more than 128 deep"));
    let unknown = format!(
        "<statechart name=\"t\"><state name=\"s\"/>@@{}{}</statechart>",
        "<x>".repeat(100_000),
        "</x>".repeat(100_000)
    );
    refused(&unknown, &["unknown element `x`"]);
}

#[test]
fn defined_elements_do_not_explode() {
    let mut declarations = String::from("<event name=\"e\"/><condition name=\"c\"/><action name=\"a0\">e</action><defined-condition name=\"c0\">c</defined-condition>");
    for i in 1..60 {
        declarations += &format!("<action name=\"a{i}\">a{0}; a{0}</action>", i - 1);
        declarations += &format!("<defined-condition name=\"c{i}\">c{0} and c{0}</defined-condition>", i - 1);
    }
    let text = format!("<statechart name=\"t\"><declarations>{declarations}</declarations><state name=\"s\"><entering>a59</entering><reaction>[c59]</reaction></state></statechart>");
    assert!(first_error(&text).contains("more than 1000000 parts"));
    let mut chain = String::from("<condition name=\"c\"/><defined-condition name=\"c0\">c</defined-condition>");
    for i in 1..1000 {
        chain += &format!("<defined-condition name=\"c{i}\">not c{}</defined-condition>", i - 1);
    }
    let text = format!("<statechart name=\"t\"><declarations>{chain}</declarations><state name=\"s\"/></statechart>");
    assert!(first_error(&text).contains("nested more than 200 deep with defined elements in place"));
}

#[test]
fn records_do_not_explode() {
    let mut declarations = String::from("<record name=\"r0\"><field name=\"f\" type=\"real\"/></record>");
    for i in 1..60 {
        declarations += &format!(
            "<record name=\"r{i}\"><field name=\"f\" type=\"r{0}\"/><field name=\"g\" type=\"r{0}\"/></record>",
            i - 1
        );
    }
    let text = format!("<statechart name=\"t\"><declarations>{declarations}<data-item name=\"x\" type=\"r59\"/></declarations><state name=\"s\"/></statechart>");
    assert!(first_error(&text).contains("more than 65536 items"));
    let mut chain = String::from("<record name=\"r0\"><field name=\"f\" type=\"real\"/></record>");
    for i in 1..50_000 {
        chain += &format!("<record name=\"r{i}\"><field name=\"f\" type=\"r{}\"/></record>", i - 1);
    }
    let text = format!("<statechart name=\"t\"><declarations>{chain}<data-item name=\"x\" type=\"r49999\"/></declarations><state name=\"s\"/></statechart>");
    assert!(first_error(&text).contains("records are nested more than 100 deep"));
}

#[test]
fn ways_do_not_explode() {
    let mut text = String::from("<default target=\"s\"/><state name=\"s\"/><connector name=\"k0\" kind=\"junction\"/><transition from=\"s\" to=\"k0\"/>");
    for i in 1..64 {
        text += &format!("<connector name=\"k{i}\" kind=\"junction\"/><transition from=\"k{0}\" to=\"k{i}\">[c]</transition><transition from=\"k{0}\" to=\"k{i}\">[inp]</transition>", i - 1);
    }
    text += "<transition from=\"k63\" to=\"s\"/>";
    assert!(first_error(&chart(&text)).contains("more than 65536 ways lead through this connector"));
}

#[test]
fn many_errors_are_cut_off() {
    let text = format!("<statechart name=\"t\">{}</statechart>", "<foo/>\n".repeat(10_000));
    let errors = from_str(&text, &Options::default()).unwrap_err();
    assert_eq!(errors.len(), 201);
    assert_eq!(errors[199].position.line, 200);
    assert!(errors[200].message.contains("more than 200 errors"));
}

#[test]
fn a_long_label_is_refused() {
    // A label of many pieces is as long as they are.
    accepted(&labelled(&format!("[{}]", "x &lt; 3 and ".repeat(150) + "c")));
    let pieces = "x := 1; if x &lt; 3 then x := 2 end if;".repeat(20_000);
    accepted(&labelled(&format!("/{pieces}")));
    let text = labelled(&"x".repeat(2 << 20));
    assert!(first_error(&text).contains("a label or attribute of more than 1 MiB"));
    let text = format!("<statechart name=\"t\"><state name=\"{}\"/></statechart>", "x".repeat(1000));
    assert!(first_error(&text).contains("at most 256 bytes"));
}

/// xorshift64*: the same mutations every time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}

/// The word around a byte.
fn word(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let letter = |&b: &u8| b.is_ascii_alphanumeric() || b == b'_';
    let start = at - bytes[..at].iter().rev().take_while(|b| letter(b)).count();
    start..at + bytes[at..].iter().take_while(|b| letter(b)).count()
}

/// No file makes the importer panic; errors stand inside the file.
#[test]
fn mutated_files() {
    let seeds = [
        chart(&marks("<default target=\"s\"/><or-state name=\"s\"><default target=\"k\"/><connector name=\"k\" kind=\"condition\"/><state name=\"u\"/>\
            <transition from=\"k\" to=\"u\">[x &lt; 3 and in(u)]/a(1) := x mod 2; sc!(e, 3)</transition></or-state>\
            <and-state name=\"p\"><state name=\"p1\"/><or-state name=\"p2\"><default target=\"p3\"/><state name=\"p3\"/><connector name=\"h\" kind=\"history\"/></or-state></and-state>\
            <transition from=\"s\" to=\"h\" label=\"tm(en(s), 5) or ch(d)[not fast]/for $i in 1 to 4 loop a($i) := min($i, y) end loop; act1\"/>\
            <requirements><requirement name=\"R\">after e, c until f[m = off]</requirement></requirements>").0),
        labelled("e[x &lt; 3]/<![CDATA[ if c then st!(act); ds(1).angle := -1 else r := 1.5e3 end if ]]>"),
    ];
    let pieces: &[&[u8]] = &[
        b"<",
        b">",
        b"/",
        b"\"",
        b"&",
        b"&lt;",
        b"\0",
        b"\xff",
        b"]]>",
        b"<!--",
        b"-->",
        b"<![CDATA[",
        b"name",
        b"$",
        b":=",
        b"(",
        b")",
        b"[",
        b"]",
        b"state",
        b"<state name=\"s\"/>",
        b"e",
        b"x",
        b" ",
        b"\n",
        b"1",
        b"\xc3\xa4",
        b"/>",
        b"</",
        b"<?",
        b"<!DOCTYPE",
        b"fast",
        b"act1",
        b" and ",
        b"not ",
        b"..",
        b"99999999999",
        b"h",
        b"k",
        b"p",
    ];
    let mut random = Random(0x5eed);
    let mut accepted = 0;
    for round in 0..6_000 {
        let mut bytes = seeds[round % seeds.len()].clone().into_bytes();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len());
            match random.below(8) {
                0 => bytes[at] = random.below(256) as u8,
                1 => {
                    let end = (at + 1 + random.below(20)).min(bytes.len());
                    bytes.drain(at..end);
                }
                2 => {
                    let end = (at + random.below(60)).min(bytes.len());
                    let copy = bytes[at..end].to_vec();
                    let to = random.below(bytes.len());
                    bytes.splice(to..to, copy);
                }
                // A word in the place of another: what is still XML reaches the later stages.
                3..=5 => {
                    let (from, to) = (word(&bytes, random.below(bytes.len())), word(&bytes, at));
                    let copy = bytes[from].to_vec();
                    bytes.splice(to, copy);
                }
                _ => {
                    let piece = pieces[random.below(pieces.len())];
                    bytes.splice(at..at, piece.iter().copied());
                }
            }
            if bytes.is_empty() {
                bytes.push(b'<');
            }
        }
        let lines = bytes.split(|&b| b == b'\n').count() as u32;
        match from_bytes(&bytes, &Options::default()) {
            Ok(_) => accepted += 1,
            Err(errors) => {
                assert!(!errors.is_empty());
                for error in errors.iter().filter(|error| error.position.line > 0) {
                    let line = bytes.split(|&b| b == b'\n').nth(error.position.line as usize - 1);
                    let length = line.map_or(0, <[u8]>::len) as u32;
                    assert!(
                        error.position.line <= lines && error.position.column <= length + 1,
                        "{error}\n{}",
                        String::from_utf8_lossy(&bytes)
                    );
                }
            }
        }
    }
    assert!(accepted > 100, "only {accepted} mutated files are right: the mutations are too rough to reach far");
}

/// The first n bytes of a file, for all n.
#[test]
fn cut_files() {
    let text = labelled("e[x &lt; 3]/<![CDATA[ if c then st!(act) end if ]]>");
    for end in 0..text.trim_end().len() {
        assert!(from_bytes(&text.as_bytes()[..end], &Options::default()).is_err(), "{end}");
    }
}

/// 500 states and 2,000 transitions. `cargo test --release -- --ignored --nocapture large`
#[test]
#[ignore = "a measurement"]
fn a_large_chart() {
    let mut text = String::from("<statechart name=\"large\"><declarations>");
    for i in 0..50 {
        text += &format!(
            "<event name=\"e{i}\" usage=\"input\"/><data-item name=\"x{i}\" type=\"integer\" min=\"0\" max=\"100\"/>"
        );
    }
    text += "</declarations><and-state name=\"top\">\n";
    for part in 0..10 {
        text += &format!("<or-state name=\"part{part}\"><default target=\"s0\"/>\n");
        text += &(0..49).map(|i| format!("<state name=\"s{i}\"/>\n")).collect::<String>();
        for i in 0..200 {
            text += &format!(
                "<transition from=\"s{}\" to=\"s{}\">e{}[x{} &lt; {i} and not in(part{}.s{})]/x{} := min(x{} + 1, 100); if x1 = 3 then e{} end if</transition>\n",
                i % 49, (i * 7 + 1) % 49, i % 50, i % 50, (part + 1) % 10, i % 49, i % 50, i % 50, (i + 1) % 50
            );
        }
        text += "</or-state>\n";
    }
    text += "</and-state></statechart>";
    let start = std::time::Instant::now();
    let chart = from_str(&text, &Options::default()).unwrap_or_else(|errors| panic!("{}", errors[0]));
    println!(
        "{} bytes, {} states, {} segments: {:?}",
        text.len(),
        chart.states.len(),
        chart.segments.len(),
        start.elapsed()
    );
    assert!(chart.states.len() >= 500 && chart.segments.len() >= 2000);
}
