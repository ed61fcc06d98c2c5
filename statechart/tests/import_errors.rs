//! Files that are wrong, each with the exact position of what is wrong.

mod support;

use support::{chart, labelled, refused};
use syncline_statechart::import::{from_bytes, Options};

#[test]
fn malformed_xml() {
    refused("@@", &["no root element"]);
    refused("  \n @@", &["no root element"]);
    refused("@@hello", &["text outside of the root element"]);
    refused("<statechart name=\"t\">\n@@</state>", &["expected `</statechart>`, but `</state>` was found"]);
    refused("<statechart name=\"t\">\n <state name=\"s\"/>\n@@", &["ends before `</statechart>`"]);
    refused("<statechart name=\"t\">\n @@<state name=\"s\"", &["malformed XML"]);
    refused("<statechart name=\"t\"><state name=\"s\"/></statechart>@@<state/>", &["second root"]);
    refused("<statechart name=\"t\"><state name=\"s\"/></statechart>\n@@</state>", &["does not match any open tag"]);
    refused("<statechart name=\"t\" @@name=\"u\"><state name=\"s\"/></statechart>", &["given twice"]);
    refused("<statechart name=@@t></statechart>", &["in quotes"]);
    refused("<statechart name=\"t\"@@time=\"synchronous\"></statechart>", &["spaces between"]);
    refused("<statechart name=\"a@@<b\"></statechart>", &["`&lt;`"]);
    refused("<statechart name=\"a@@&b\"></statechart>", &["no `;`"]);
    refused("<statechart name=\"a@@&lol;\"></statechart>", &["unknown reference `&lol;`"]);
    refused(&labelled("e @@&lol;"), &["unknown reference `&lol;`"]);
    refused(&labelled("e @@&x"), &["malformed XML"]);
    refused("<!-- a@@--b --><statechart name=\"t\"/>", &["`--`"]);
    refused("<a/>@@<?xml version=\"1.0\"?>".replace("<a/>", "<!-- -->").as_str(), &["XML declaration"]);
}

#[test]
fn document_types_are_refused() {
    let bomb = "<?xml version=\"1.0\"?>\n@@<!DOCTYPE s [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>\n\
                <statechart name=\"&b;\"/>";
    refused(bomb, &["a document type is refused"]);
}

#[test]
fn encodings() {
    refused("@@<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><statechart name=\"t\"/>", &["ISO-8859-1"]);
    let cases: &[(&[u8], (u32, u32), &str)] = &[
        (b"\xff\xfe<\0s\0", (1, 1), "UTF-16"),
        (b"\xfe\xff\0<\0s", (1, 1), "UTF-16"),
        (b"<\0s\0", (1, 2), "the byte 0"),
        (b"<statechart name=\"t\">\n<state\0 name=\"s\"/></statechart>", (2, 7), "the byte 0"),
        (b"<statechart name=\"t\">\n\x01</statechart>", (2, 1), "the byte 1"),
        (b"<statechart name=\"t\">\n<state name=\"T\xfcr\"/></statechart>", (2, 15), "not in UTF-8"),
        (b"<statechart name=\"t\">\nab\xc3</statechart>", (2, 3), "not in UTF-8"),
        (b"<statechart name=\"t\"><!-- \xe4 --></statechart>", (1, 27), "not in UTF-8"),
    ];
    for (bytes, place, word) in cases {
        let errors = from_bytes(bytes, &Options::default()).unwrap_err();
        assert_eq!((errors[0].position.line, errors[0].position.column), *place, "{}", errors[0]);
        assert!(errors[0].message.contains(word), "{}", errors[0]);
    }
    let chart = from_bytes(
        "\u{feff}<statechart name=\"Tür\"><state name=\"auf\"/></statechart>".as_bytes(),
        &Options::default(),
    );
    assert_eq!(chart.unwrap().name, "Tür");
}

#[test]
fn unknown_words() {
    refused(
        "<statechart name=\"t\">@@<sate name=\"s\"><state name=\"inner\"/></sate><state name=\"u\"/></statechart>",
        &["unknown element `sate`; the nearest that has a place here is `state`"],
    );
    refused(
        "<statechart name=\"t\"><state name=\"s\" @@nam=\"u\"/></statechart>",
        &["unknown attribute `nam`; the nearest is `name` (state s)"],
    );
    refused(
        "<statechart name=\"t\"><state name=\"s\"/>@@<event name=\"e\"/></statechart>",
        &["`event` has no place in `statechart`"],
    );
    refused("@@<or-state name=\"t\"/>", &["cannot be a file's root"]);
    refused("@@<requirements/>", &["is `statechart`"]);
    refused("<statechart name=\"t\">@@<state/></statechart>", &["`name` is missing"]);
    refused("<statechart name=\"t\"><state name=\"s\">@@text</state></statechart>", &["`state` holds no text"]);
    refused(
        &chart("<default target=\"s\"/><state name=\"s\"/><connector name=\"k\" kind=\"@@histori\"/>"),
        &["the nearest is `history`"],
    );
    refused("<statechart name=\"t\" time=\"@@fast\"><state name=\"s\"/></statechart>", &["unknown value `fast`"]);
    refused("<statechart name=\"t\" max-advance=\"@@2\"><state name=\"s\"/></statechart>", &["only asynchronous"]);
    refused(
        "<statechart name=\"t\" time=\"asynchronous\" max-advance=\"@@0\"><state name=\"s\"/></statechart>",
        &["1 or more"],
    );
}

#[test]
fn declarations() {
    let declared = |text: &str| {
        format!("<statechart name=\"t\"><declarations>\n{text}\n</declarations><state name=\"s\"/></statechart>")
    };
    let cases = [
        ("<event name=\"e\"/><condition name=\"@@e\"/>", "declared twice, first in line 2"),
        ("<event name=\"@@and\"/>", "a word of the action language"),
        ("<event name=\"@@tr\"/>", "a word of the action language"),
        ("<event name=\"@@a b\"/>", "is no name"),
        ("<event name=\"e\" usage=\"@@in\"/>", "the nearest is `input`"),
        ("<data-item name=\"x\" type=\"@@integr\"/>", "unknown type `integr`; the nearest is `integer`"),
        ("<data-item name=\"x\" type=\"integer\" min=\"@@3\" max=\"2\"/>", "no values"),
        ("<data-item name=\"x\" type=\"integer\" min=\"@@a\"/>", "integer of 32 bits"),
        ("<data-item name=\"x\" type=\"integer\" max=\"5\" initial=\"@@6\"/>", "outside of"),
        ("<data-item name=\"x\" type=\"integer\" initial=\"@@4294967296\"/>", "32 bits"),
        ("<data-item name=\"x\" type=\"real\" min=\"@@1\"/>", "only integers"),
        ("<data-item name=\"x\" type=\"real\" initial=\"@@inf\"/>", "no number"),
        ("<condition name=\"x\" initial=\"@@1\"/>", "unknown value `1`"),
        ("<data-item name=\"x\" type=\"integer\" array=\"@@4\"/>", "`0..7`"),
        ("<data-item name=\"x\" type=\"integer\" array=\"@@4..3\"/>", "cells"),
        ("<data-item name=\"x\" type=\"integer\" array=\"@@-2147483648..2147483647\"/>", "cells"),
        ("<enumeration name=\"E\"><value name=\"a\"/><value name=\"@@a\"/></enumeration>", "declared twice"),
        ("@@<enumeration name=\"E\"/>", "one value or more"),
        ("<enumeration name=\"E\"><value name=\"a\"/></enumeration><data-item name=\"x\" type=\"E\" initial=\"@@b\"/>", "has no value `b`"),
        ("<enumeration name=\"E\"><value name=\"a\"/></enumeration><event name=\"@@a\"/>", "is a value of the enumeration `E`"),
        ("<enumeration name=\"E\"><value name=\"a\"/></enumeration><record name=\"@@E\"><field name=\"f\" type=\"real\"/></record>", "declared twice"),
        ("@@<record name=\"R\"/>", "one field or more"),
        ("<record name=\"R\"><field name=\"f\" type=\"@@R\"/></record><data-item name=\"x\" type=\"R\"/>", "itself as a field"),
        ("<record name=\"R\"><field name=\"f\" type=\"real\"/><field name=\"@@f\" type=\"real\"/></record><data-item name=\"x\" type=\"R\"/>", "field `f` already"),
        ("<record name=\"R\"><field name=\"f\" type=\"real\" array=\"@@0..1\"/></record><data-item name=\"x\" type=\"R\" array=\"0..1\"/>", "not supported"),
        ("<action name=\"a\">@@b</action>", "unknown event or action `b`"),
        ("<defined-condition name=\"a\">not @@a</defined-condition>", "`a` is defined by itself"),
        ("<defined-event name=\"a\">tm(@@a, 3)</defined-event>", "`a` is defined by itself"),
        ("<defined-event name=\"a\">@@</defined-event>", "expected an event"),
    ];
    for (text, word) in cases {
        refused(&declared(text), &[word]);
    }
    // A cycle is found from each of its elements.
    let cycle = "<action name=\"a\">@@b</action><action name=\"b\">if true then @@a end if</action>";
    refused(&declared(cycle), &["`b` is defined by itself", "`a` is defined by itself"]);
}

#[test]
fn states_and_names() {
    let cases = [
        ("<default target=\"s\"/><state name=\"s\"/><state name=\"@@s\"/>", "two states or connectors side by side"),
        ("<default target=\"s\"/><state name=\"s\"/><connector name=\"@@s\" kind=\"junction\"/>", "side by side"),
        ("<state name=\"@@a.b\"/><state name=\"s\"/>", "is no name"),
        ("@@<or-state name=\"s\"/>", "one state or more"),
        ("@@<and-state name=\"s\"><state name=\"u\"/></and-state>", "two components or more"),
        (
            "<and-state name=\"s\"><state name=\"u\"/>@@<and-state name=\"v\"><state name=\"w\"/><state name=\"x\"/></and-state></and-state>",
            "put an OR-state between",
        ),
        ("@@<or-state name=\"s\"><state name=\"u\"/></or-state>", "`s` has no default"),
        ("<or-state name=\"s\"><default target=\"u\"/>@@<default target=\"u\"/><state name=\"u\"/></or-state>", "a default already"),
        ("<default target=\"@@stat\"/><state name=\"state1\"/>", "unknown state or connector `stat`; the nearest name is `state1`"),
        ("<state name=\"s\"/><transition from=\"s\" to=\"@@t\"/>", "unknown state or connector `t`"),
        (
            "<or-state name=\"s\"><default target=\"p\"/><or-state name=\"p\"><default target=\"q\"/><state name=\"q\"/></or-state><or-state name=\"r\"><default target=\"q\"/><state name=\"q\"/></or-state></or-state><transition from=\"s\" to=\"@@q\"/>",
            "`q` is ambiguous: it may be `s.p.q` or `s.r.q`",
        ),
        ("<default target=\"p\"/><or-state name=\"p\">@@<default target=\"r\"/><state name=\"q\"/></or-state><state name=\"r\"/>", "leads out of it, to `r`"),
        ("<or-state name=\"p\">@@<default target=\"p\"/><state name=\"q\"/></or-state>", "leads out of it, to `p`"),
        ("<off-page name=\"o\" chart=\"@@other.xml\"/>", "no files beside it"),
        ("<state name=\"s\"/><transition from=\"s\" to=\"s\" label=\"e\">@@f</transition>", "written twice"),
    ];
    for (text, word) in cases {
        refused(&chart(text), &[word]);
    }
    refused("@@<statechart name=\"t\"><state name=\"a\"/><state name=\"b\"/></statechart>", &["`t` has no default"]);
    refused("@@<statechart name=\"t\"></statechart>", &["one state or more"]);
}

/// An AND-state `on` of the components `p` and `q` beside the state `off`, and what stands beside them.
fn orthogonal(rest: &str) -> String {
    let component = |name: &str| {
        format!(
            "<or-state name=\"{name}\"><default target=\"{name}1\"/><state name=\"{name}1\"/><state name=\"{name}2\"/>\
             <connector name=\"{name}h\" kind=\"history\"/></or-state>"
        )
    };
    let history = |name: &str| format!("<transition from=\"off\" to=\"{name}h\"/>");
    chart(&format!(
        "<default target=\"off\"/><state name=\"off\"/><and-state name=\"on\">{}{}</and-state>{}{}\n{rest}",
        component("p"),
        component("q"),
        history("p"),
        history("q")
    ))
}

#[test]
fn crossings_of_components() {
    let crossing = "crosses from one component of `on` into another";
    refused(&orthogonal("@@<transition from=\"p1\" to=\"q1\"/>"), &[crossing]);
    refused(&orthogonal("@@<transition from=\"p\" to=\"q\"/>"), &[crossing]);
    refused(&orthogonal("@@<transition from=\"p1\" to=\"qh\"/>"), &[crossing]);
    refused(
        &orthogonal(
            "<connector name=\"k\" kind=\"junction\"/><transition from=\"p1\" to=\"k\"/><transition from=\"k\" to=\"p2\"/>@@<transition from=\"k\" to=\"q2\"/>",
        ),
        &[crossing],
    );
    // A joint with a source in the target's component is on the way; but there is one around it, or an alternative to that source.
    let joint = "<connector name=\"k\" kind=\"joint\"/><connector name=\"m\" kind=\"junction\"/><transition from=\"k\" to=\"p2\"/>";
    for wrong in [
        "<transition from=\"p1\" to=\"m\"/><transition from=\"q1\" to=\"k\"/><transition from=\"m\" to=\"k\"/>@@<transition from=\"m\" to=\"q2\"/>",
        "<transition from=\"p1\" to=\"k\"/><transition from=\"q1\" to=\"m\"/><transition from=\"m\" to=\"k\"/>@@<transition from=\"m\" to=\"p1\"/>",
    ] {
        refused(&orthogonal(&format!("{joint}{wrong}")), &[crossing]);
    }
    let third = "<default target=\"on\"/><and-state name=\"on\"><state name=\"a\"/><state name=\"b\"/><state name=\"c\"/></and-state>\
        <connector name=\"k\" kind=\"joint\"/><transition from=\"a\" to=\"k\"/><transition from=\"b\" to=\"k\"/>\n\
        <transition from=\"k\" to=\"a\"/>@@@@<transition from=\"k\" to=\"c\"/>";
    refused(&chart(third), &[crossing, crossing]);
    for right in [
        "<transition from=\"p1\" to=\"on\"/>",
        "<transition from=\"on\" to=\"p1\"/>",
        "<transition from=\"p1\" to=\"off\"/>",
        "<transition from=\"p1\" to=\"p\"/>",
        "<transition from=\"p1\" to=\"ph\"/>",
        "<connector name=\"k\" kind=\"joint\"/><transition from=\"p1\" to=\"k\"/><transition from=\"q1\" to=\"k\"/><transition from=\"k\" to=\"off\"/>",
        "<connector name=\"k\" kind=\"fork\"/><transition from=\"off\" to=\"k\"/><transition from=\"k\" to=\"p2\"/><transition from=\"k\" to=\"qh\"/>",
        "<connector name=\"k\" kind=\"termination\"/><transition from=\"p1\" to=\"k\"/>",
        "<connector name=\"k\" kind=\"joint\"/><transition from=\"p1\" to=\"k\"/><transition from=\"q1\" to=\"k\"/><transition from=\"k\" to=\"p2\"/>",
        "<connector name=\"k\" kind=\"joint\"/><transition from=\"p1\" to=\"k\"/><transition from=\"q1\" to=\"k\"/><transition from=\"k\" to=\"p2\"/><transition from=\"k\" to=\"qh\"/>",
    ] {
        assert!(from_bytes(orthogonal(right).as_bytes(), &Options::default()).is_ok(), "{right}");
    }
}

#[test]
fn joints() {
    let joint = "<connector name=\"k\" kind=\"joint\"/>";
    let apart = "which are not in different components";
    let cases = [
        ("@@<connector name=\"k\" kind=\"joint\"/><transition from=\"off\" to=\"k\"/><transition from=\"k\" to=\"on\"/>", "one of each"),
        ("JOINT<transition from=\"p1\" to=\"k\"/>@@<transition from=\"p2\" to=\"k\"/><transition from=\"k\" to=\"off\"/>", apart),
        ("JOINT<transition from=\"on\" to=\"k\"/>@@<transition from=\"p2\" to=\"k\"/><transition from=\"k\" to=\"off\"/>", apart),
        ("JOINT<transition from=\"off\" to=\"k\"/><transition from=\"k\" to=\"p1\"/>@@<transition from=\"k\" to=\"ph\"/>", apart),
        ("JOINT<connector name=\"end\" kind=\"termination\"/><transition from=\"off\" to=\"k\"/><transition from=\"k\" to=\"p1\"/>@@<transition from=\"k\" to=\"end\"/>", "end the chart"),
        (
            "JOINT<or-state name=\"z\">@@<default target=\"k\"/><state name=\"z1\"/></or-state><transition from=\"p1\" to=\"k\"/><transition from=\"k\" to=\"z1\"/>",
            "waits for states only",
        ),
    ];
    for (text, word) in cases {
        refused(&orthogonal(&text.replace("JOINT", joint)), &[word]);
    }
}

#[test]
fn connectors() {
    let cases = [
        ("@@<connector name=\"k\" kind=\"condition\"/>", "no transition leads to this connector"),
        ("@@<connector name=\"k\" kind=\"switch\"/><transition from=\"s\" to=\"k\"/>", "no transition leads away"),
        ("@@<connector name=\"k\" kind=\"joint\"/><transition from=\"s\" to=\"k\"/>", "no transition leads away"),
        ("@@<connector name=\"k\" kind=\"history\"/>", "no transition leads to"),
        ("@@<connector name=\"k\" kind=\"termination\"/><transition from=\"s\" to=\"k\"/><transition from=\"k\" to=\"s\"/>", "away from a termination"),
        (
            "<or-state name=\"o\"><default target=\"o1\"/><state name=\"o1\"/>@@<connector name=\"h\" kind=\"history\"/><transition from=\"h\" to=\"o1\"/><transition from=\"h\" to=\"o1\"/></or-state><transition from=\"s\" to=\"h\"/>",
            "one transition out at most",
        ),
        (
            "<or-state name=\"o\"><default target=\"o1\"/><state name=\"o1\"/><connector name=\"h\" kind=\"deep-history\"/>@@<transition from=\"h\" to=\"s\"/></or-state><transition from=\"s\" to=\"h\"/>",
            "the history connector of `o` leads out of it",
        ),
        (
            "<or-state name=\"o\">@@<default target=\"h\"/><state name=\"o1\"/><connector name=\"h\" kind=\"history\"/></or-state><transition from=\"s\" to=\"o\"/>",
            "its own history, which may have no past",
        ),
        (
            "<and-state name=\"o\"><state name=\"o1\"/><state name=\"o2\"/>@@<connector name=\"h\" kind=\"history\"/></and-state>",
            "stands in the OR-state whose history it is",
        ),
        (
            "@@<connector name=\"k\" kind=\"junction\"/><connector name=\"l\" kind=\"switch\"/><transition from=\"s\" to=\"k\"/><transition from=\"k\" to=\"l\"/><transition from=\"l\" to=\"k\"/><transition from=\"l\" to=\"s\"/>",
            "in a cycle: k -> l",
        ),
        (
            "<or-state name=\"o\"><default target=\"k\"/><state name=\"o1\"/><connector name=\"k\" kind=\"condition\"/><transition from=\"k\" to=\"o1\">[c]</transition>@@<transition from=\"k\" to=\"s\"/></or-state>",
            "the default of `o` leads out of it, to `s`",
        ),
    ];
    for (text, word) in cases {
        refused(&chart(&format!("<default target=\"s\"/><state name=\"s\"/>\n{text}")), &[word]);
    }
    // The same with a way out of the history connector is right.
    let right = "<default target=\"s\"/><state name=\"s\"/><or-state name=\"o\"><default target=\"h\"/><state name=\"o1\"/>\
        <connector name=\"h\" kind=\"history\"/><transition from=\"h\" to=\"o1\"/></or-state><transition from=\"s\" to=\"o\"/>";
    assert!(from_bytes(chart(right).as_bytes(), &Options::default()).is_ok());
}
