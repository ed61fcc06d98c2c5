//! Wrong charts with marks: `@@` stands before the byte that an error points to.

use syncline_statechart::import::{from_bytes, Error, Options};

/// The text without its marks, and the line and column of each.
pub fn marks(marked: &str) -> (String, Vec<(u32, u32)>) {
    let mut text = String::new();
    let mut places = Vec::new();
    for (index, piece) in marked.split("@@").enumerate() {
        if index > 0 {
            let line = text.matches('\n').count() + 1;
            let column = text.len() - text.rfind('\n').map_or(0, |at| at + 1) + 1;
            places.push((line as u32, column as u32));
        }
        text += piece;
    }
    (text, places)
}

/// The errors stand at the marks, in this order, and have these words in them.
pub fn refused(marked: &str, words: &[&str]) {
    let (text, places) = marks(marked);
    let errors = match from_bytes(text.as_bytes(), &Options::default()) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(errors) => errors,
    };
    compare(&errors, &places, words, &text);
}

pub fn compare(errors: &[Error], places: &[(u32, u32)], words: &[&str], text: &str) {
    let all: String = errors.iter().map(|error| format!("{error}\n")).collect();
    let found: Vec<(u32, u32)> = errors.iter().map(|e| (e.position.line, e.position.column)).collect();
    assert_eq!(found, places, "positions of\n{all}in\n{text}");
    assert_eq!(errors.len(), words.len(), "{all}");
    for (error, word) in errors.iter().zip(words) {
        assert!(error.to_string().contains(word), "`{word}` is not in `{error}`");
    }
}

/// A chart of this content, with a small dictionary.
pub fn chart(content: &str) -> String {
    format!(
        r#"<statechart name="t">
<declarations>
<event name="e"/><event name="f" usage="input"/><condition name="c"/><condition name="inp" usage="input"/>
<data-item name="x" type="integer" min="0" max="9"/><data-item name="y" type="integer"/><data-item name="r" type="real"/>
<data-item name="m" type="Mode"/><data-item name="n" type="Kind"/><data-item name="a" type="integer" array="1..4"/>
<data-item name="d" type="Door"/><data-item name="ds" type="Door" array="0..1"/><activity name="act"/>
<enumeration name="Mode"><value name="off"/><value name="on"/></enumeration>
<enumeration name="Kind"><value name="on"/><value name="big"/></enumeration>
<record name="Door"><field name="locked" type="condition"/><field name="angle" type="integer"/></record>
<action name="act1">x := 1; e</action><defined-event name="go">e[c]</defined-event>
<defined-condition name="fast">x > 3</defined-condition>
</declarations>
{content}
</statechart>
"#
    )
}

/// Two states with one transition of this label between them.
pub fn labelled(label: &str) -> String {
    chart(&format!(
        "<default target=\"s\"/><state name=\"s\"/><state name=\"u\"/>\n<transition from=\"s\" to=\"u\">{label}</transition>"
    ))
}
