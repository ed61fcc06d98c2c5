//! The action language: what labels mean, and where wrong ones are wrong.

mod support;

use support::{chart, labelled, refused};
use syncline_statechart::import::{from_str, Options};
use syncline_statechart::model::{Chart, SegmentData};

fn read(text: &str) -> Chart {
    from_str(text, &Options::default())
        .unwrap_or_else(|errors| panic!("{}", errors.iter().map(|e| format!("{e}\n")).collect::<String>()))
}

fn segment(label: &str) -> SegmentData {
    let chart = read(&labelled(label));
    let found = chart.segments.values().find(|s| !matches!(s.source, syncline_statechart::model::End::Default(_)));
    found.unwrap().clone()
}

/// A guard, as `trigger | condition`.
fn guard(label: &str) -> String {
    let guard = segment(label).guard;
    let show = |text: Option<String>| text.unwrap_or("-".into());
    format!("{} | {}", show(guard.trigger.map(|t| format!("{t:?}"))), show(guard.condition.map(|c| format!("{c:?}"))))
}

fn action(label: &str) -> String {
    let action = segment(label).action;
    let context: Vec<String> = action.context.iter().map(|(name, ty)| format!("{name}: {ty:?}")).collect();
    format!("{:?}{}{}", action.statements, if context.is_empty() { "" } else { " with " }, context.join(", "))
}

// The dictionary of `support::chart`: events e 0, f 1, st(act) 2, sp(act) 3; items c 0, inp 1, x 2, y 3, r 4, m 5, n 6,
// a 7, d.locked 8, d.angle 9, ds.locked 10, ds.angle 11, ac(act) 12; states s 1, u 2.

#[test]
fn triggers_and_conditions() {
    let cases = [
        ("", "- | -"),
        ("e", "Event(event0) | -"),
        ("[c]", "- | Item(item0)"),
        ("e[c]", "Event(event0) | Item(item0)"),
        // `[C]` binds closest, then `not`, `and`, `or`.
        ("e or f[c]", "Or(Event(event0), When(Event(event1), Item(item0))) | -"),
        ("(e or f)[c]", "Or(Event(event0), Event(event1)) | Item(item0)"),
        ("e or f and e", "Or(Event(event0), And(Event(event1), Event(event0))) | -"),
        ("not e[c]", "Not(When(Event(event0), Item(item0))) | -"),
        ("not e and [c]", "Not(Event(event0)) | Item(item0)"),
        ("NOT e AND f", "And(Not(Event(event0)), Event(event1)) | -"),
        ("en(s) or exited(u)", "Or(Entered(state1), Exited(state2)) | -"),
        (
            "tr(c) and fs(x = 1)",
            "And(BecameTrue(Item(item0)), BecameFalse(Binary(Eq, Item(item2), Literal(Int(1))))) | -",
        ),
        ("ch(x + 1)", "Changed(Expr(Binary(Add, Item(item2), Literal(Int(1))))) | -"),
        ("ch(a)", "Changed(Array(item7)) | -"),
        ("ch(a(2))", "Changed(Expr(Cell(item7, Literal(Int(2))))) | -"),
        ("ch(d)", "Or(Changed(Expr(Item(item8))), Changed(Expr(Item(item9)))) | -"),
        ("wr(a) or rd(d.angle)", "Or(Written(item7), Read(item9)) | -"),
        ("tm(en(s), x * 2)", "Timeout(Entered(state1), Binary(Mul, Item(item2), Literal(Int(2)))) | -"),
        ("st(act)", "Event(event2) | -"),
        ("go", "Event(event0) | Item(item0)"),
        ("go[fast]", "When(Event(event0), Item(item0)) | Binary(Gt, Item(item2), Literal(Int(3)))"),
    ];
    for (label, wanted) in cases {
        assert_eq!(guard(label), wanted, "{label}");
    }
}

#[test]
fn expressions() {
    let cases = [
        ("not x = 1", "Unary(Not, Binary(Eq, Item(item2), Literal(Int(1))))"),
        ("c and inp or c xor inp", "Binary(Or, Binary(And, Item(item0), Item(item1)), Binary(Xor, Item(item0), Item(item1)))"),
        ("x + y * 2 - 1 &gt; 0", "Binary(Gt, Binary(Sub, Binary(Add, Item(item2), Binary(Mul, Item(item3), Literal(Int(2)))), Literal(Int(1))), Literal(Int(0)))"),
        ("x / 2 /= y mod 3", "Binary(Ne, Binary(Div, Item(item2), Literal(Int(2))), Binary(Mod, Item(item3), Literal(Int(3))))"),
        ("-2147483648 &lt; -y", "Binary(Lt, Literal(Int(-2147483648)), Unary(Neg, Item(item3)))"),
        ("r &gt;= 1", "Binary(Ge, Item(item4), Literal(Real(1.0)))"),
        ("x == r", "Binary(Eq, ToReal(Item(item2)), Item(item4))"),
        ("min(x, 2) &lt;&gt; abs(y)", "Binary(Ne, Binary(Min, Item(item2), Literal(Int(2))), Unary(Abs, Item(item3)))"),
        ("m = on", "Binary(Eq, Item(item5), Literal(Int(1)))"),
        ("on = n", "Binary(Eq, Literal(Int(0)), Item(item6))"),
        ("big != n", "Binary(Ne, Literal(Int(1)), Item(item6))"),
        ("Mode.on = m and Kind'on = n", "Binary(And, Binary(Eq, Literal(Int(1)), Item(item5)), Binary(Eq, Literal(Int(0)), Item(item6)))"),
        ("in(s) and ac(act)", "Binary(And, In(state1), Item(item12))"),
        ("ds(x).locked", "Cell(item10, Item(item2))"),
        ("d.locked = true", "Binary(Eq, Item(item8), Literal(Bool(true)))"),
        ("c = (x = 1)", "Binary(Eq, Item(item0), Binary(Eq, Item(item2), Literal(Int(1))))"),
        ("0x1F = x /* hex */", "Binary(Eq, Literal(Int(31)), Item(item2))"),
    ];
    for (label, wanted) in cases {
        assert_eq!(guard(&format!("[{label}]")), format!("- | {wanted}"), "{label}");
    }
}

#[test]
fn actions() {
    let cases = [
        ("e; f", "[Raise(event0), Raise(event1)]"),
        (";;".trim_start_matches(';'), "[]"),
        ("x := x + 1;", "[Assign { item: item2, index: None, value: Binary(Add, Item(item2), Literal(Int(1))) }]"),
        ("a(x) := 2", "[Assign { item: item7, index: Some(Item(item2)), value: Literal(Int(2)) }]"),
        ("r := x", "[Assign { item: item4, index: None, value: ToReal(Item(item2)) }]"),
        ("n := on", "[Assign { item: item6, index: None, value: Literal(Int(0)) }]"),
        ("tr!(c); FS!(ds(1).locked)", "[Assign { item: item0, index: None, value: Literal(Bool(true)) }, Assign { item: item10, index: Some(Literal(Int(1))), value: Literal(Bool(false)) }]"),
        ("st!(act)", "[Assign { item: item12, index: None, value: Literal(Bool(true)) }, Raise(event2)]"),
        ("sp!(act)", "[Assign { item: item12, index: None, value: Literal(Bool(false)) }, Raise(event3)]"),
        ("if c then e else f end if", "[If { condition: Item(item0), then: [Raise(event0)], otherwise: [Raise(event1)] }]"),
        ("when en(s) then e; end when", "[When { event: Entered(state1), then: [Raise(event0)], otherwise: [] }]"),
        ("$i := 1; while $i &lt; 3 loop $i := $i + 1 end loop", "[SetContext(0, Literal(Int(1))), While { condition: Binary(Lt, Context(0), Literal(Int(3))), body: [SetContext(0, Binary(Add, Context(0), Literal(Int(1))))] }] with $i: Int"),
        ("for $i in 1 to x loop a($i) := $i end loop", "[For { variable: 0, from: Literal(Int(1)), to: Item(item2), body: [Assign { item: item7, index: Some(Context(0)), value: Context(0) }] }] with $i: Int"),
        ("for $i in 3 downto 1 loop e end loop", "[SetContext(1, Literal(Int(3))), SetContext(2, Literal(Int(1))), For { variable: 3, from: Context(2), to: Context(1), body: [SetContext(0, Binary(Sub, Context(1), Binary(Sub, Context(3), Context(2)))), Raise(event0)] }] with $i: Int, $high: Int, $low: Int, $up: Int"),
        ("d := d", "[Assign { item: item8, index: None, value: Item(item8) }, Assign { item: item9, index: None, value: Item(item9) }]"),
        ("a := a", "[For { variable: 0, from: Literal(Int(1)), to: Literal(Int(4)), body: [Assign { item: item7, index: Some(Context(0)), value: Cell(item7, Binary(Add, Context(0), Literal(Int(0)))) }] }] with $cell: Int"),
        ("hc!(s); dc!(u)", "[ClearHistory(state1), ClearDeepHistory(state2)]"),
        ("act1", "[Assign { item: item2, index: None, value: Literal(Int(1)) }, Raise(event0)]"),
    ];
    for (label, wanted) in cases {
        assert_eq!(action(&format!("/{label}")), wanted, "{label}");
    }
    let scheduled = action("e/sc!((x := 2; e), 5 / 2)");
    assert!(scheduled.starts_with("[Schedule { action: ActionList { context: [], statements: [Assign"), "{scheduled}");
    assert!(scheduled.ends_with("delay: Binary(Div, Literal(Int(5)), Literal(Int(2))) }]"), "{scheduled}");
}

#[test]
fn a_defined_action_has_context_variables_of_its_own() {
    let text = "<statechart name=\"t\"><declarations><data-item name=\"x\" type=\"integer\"/>\
        <action name=\"twice\">$i := x; x := $i + $i</action></declarations><state name=\"s\">\
        <entering>$i := 1.5; twice; twice; $i := $i + 1</entering></state></statechart>";
    let chart = read(text);
    let list = chart.states.values().find(|s| s.name == "s").unwrap().entering[0].clone();
    use syncline_statechart::model::ValueType::{Int, Real};
    assert_eq!(list.context, [("$i".into(), Real), ("$i".into(), Int), ("$i".into(), Int)]);
    let shown = format!("{:?}", list.statements);
    assert_eq!(shown.matches("SetContext(1, Literal(Int(0)))").count(), 1, "{shown}");
    assert!(shown.ends_with("SetContext(0, Binary(Add, Context(0), Literal(Real(1.0))))]"), "{shown}");
}

#[test]
fn wrong_labels() {
    let cases = [
        // Syntax.
        ("e @@e", "expected the end, found `e`"),
        ("e[c@@", "expected `]`, found the end"),
        ("e/x @@= 1", "expected `;` or the end, found `=`"),
        ("e/x := @@", "expected an event or an expression, found the end"),
        ("e/if c then e@@", "expected `end`"),
        ("e/if c @@e end if", "expected `then`"),
        ("e/for @@i in 1 to 2 loop end loop", "a context variable"),
        ("e/@@foo!(x)", "unknown action `foo!`"),
        ("e/@@break", "not supported"),
        ("[1 &lt; x @@&lt; 3]", "comparisons do not follow each other"),
        ("e @@# f", "no meaning here"),
        ("[x = @@3a]", "followed by letters"),
        ("[x = @@99999999999999999999]", "too large"),
        ("[@@min(x) = 1]", "has 2 in its brackets, not 1"),
        // Names.
        ("@@buton", "unknown event `buton`"),
        ("e[@@xx = 1]", "unknown name `xx`; the nearest name is `x`"),
        ("e/@@z := 1", "unknown data-item or condition `z`"),
        ("en(@@nowhere)", "unknown state or connector `nowhere`"),
        ("st(@@actt)", "unknown activity `actt`; the nearest name is `act`"),
        ("e/@@d.foo := 1", "unknown data-item or condition `d.foo`"),
        // Kinds.
        ("@@x", "an event is wanted here; a condition stands in `[...]`"),
        ("@@in(s)", "an event is wanted here"),
        ("e[@@f]", "`f` is an event"),
        ("e[@@en(s)]", "is an event; a value is wanted here"),
        ("e/@@x", "`:=` is missing"),
        ("e/@@go", "a defined event: it cannot be raised"),
        ("e/@@fast := true", "is defined: it cannot be written"),
        ("e/@@e := 1", "is an event: it has no value"),
        ("e/@@inp := true", "is an input"),
        ("e/tr!(@@inp)", "is an input"),
        // Types.
        ("[@@x]", "a condition is wanted here, this is an integer"),
        ("e[c and @@x]", "a condition is wanted here, this is an integer"),
        ("e[@@c + 1 = 2]", "a number is wanted here, this is a condition"),
        ("e[x @@= c]", "an integer is compared with a condition"),
        ("e[m @@= n]", "a `Mode` is compared with a `Kind`"),
        ("e[m = @@big]", "a `Mode` is wanted here, this is a `Kind`"),
        ("e[c @@&lt; inp]", "conditions have no order"),
        ("e[@@m + 1 = 2]", "a number is wanted here"),
        ("e[@@on = 1]", "a value of several enumerations"),
        ("e/x := @@1.5", "an integer is wanted here, this is a real"),
        ("e/x := @@r", "an integer is wanted here, this is a real"),
        ("e/x := @@c", "an integer is wanted here, this is a condition"),
        ("e/tr!(@@x)", "a condition is wanted here, `x` is an integer"),
        ("e/x := y mod @@r", "an integer is wanted here"),
        ("e/y := @@2147483648", "does not fit into 32 bits"),
        ("tm(e, @@r)", "an integer is wanted here"),
        ("e/y := @@a", "an array: it wants an index"),
        ("e/y := x(@@1)", "`x` is no array"),
        ("e/y := a(@@c)", "an integer is wanted here"),
        ("e/y := @@d", "is a record: name a field"),
        ("wr(@@a(1))", "only of a whole array"),
        // Context variables.
        ("e[@@$i = 1]", "context variables are part of actions"),
        ("e/x := @@$i", "`$i` has no value yet"),
        ("e/$i := 1; $i := @@c", "an integer is wanted here"),
        ("e/for $i in 1 to 2 loop @@$i := 3 end loop", "the variable of a loop"),
        ("e/for $i in 1 to 2 loop @@for $i in 1 to 2 loop e end loop end loop", "a loop around"),
        ("e/$i := 1; sc!(x := @@$i, 2)", "`$i` has no value yet"),
        ("e/$i := 1; when tr(@@$i = 1) then e end when", "context variables are part of actions"),
    ];
    for (label, word) in cases {
        refused(&labelled(label), &[word]);
    }
    refused(&labelled("e/@@d := @@ds(1)"), &["is a record: name a field", "is a record: name a field"]);
}

#[test]
fn errors_point_into_the_label() {
    // Behind references, over lines, in attributes and in CDATA.
    refused(&labelled("e[x &lt; 3 &amp;@@&amp; c]").replace("&amp;@@&amp;", "@@&amp;&amp;"), &["no meaning here"]);
    refused(&labelled("e\n  [x &lt; 3 and\n   @@zz]"), &["unknown name `zz`"]);
    refused(&labelled("<![CDATA[e[x < 3 and @@zz]]]>"), &["unknown name `zz`"]);
    refused(&labelled("e<!-- a comment --> [@@zz]"), &["unknown name `zz`"]);
    let attribute = chart("<default target=\"s\"/><state name=\"s\"/>\r\n<transition from=\"s\" to=\"s\" label='e[x &lt;\r\n 3] /\t@@zz'/>");
    refused(&attribute, &["unknown event or action `zz`"]);
    // All of a label's type errors at once.
    refused(
        &labelled("@@x and e[@@y]/@@z; x := @@c"),
        &["an event is wanted", "a condition is wanted", "unknown event", "an integer is wanted"],
    );
}

#[test]
fn requirements() {
    let with = |text: &str| {
        chart(&format!("<default target=\"s\"/><state name=\"s\"/><state name=\"u\"/><requirements><requirement name=\"R\">{text}</requirement></requirements>"))
    };
    let cases = [
        ("always x &lt; 3", "Always(Binary(Lt, Item(item2), Literal(Int(3))))"),
        ("never in(s)", "Always(Unary(Not, In(state1)))"),
        ("in(s) implies c implies inp", "Always(Binary(Or, Unary(Not, In(state1)), Binary(Or, Unary(Not, Item(item0)), Item(item1))))"),
        ("e leads to in(u) within 3 steps", "LeadsTo { cause: Occurs(Event(event0)), effect: In(state2), within: 3 }"),
        ("c and en(s) leads to f within 1 step", "LeadsTo { cause: Binary(And, Item(item0), Occurs(Entered(state1))), effect: Occurs(Event(event1)), within: 1 }"),
        ("after e, c until f", "AfterUntil { after: Event(event0), holds: Item(item0), until: Event(event1) }"),
        ("after e[c], c until x = 1", "AfterUntil { after: When(Event(event0), Item(item0)), holds: Item(item0), until: When(Not(BecameTrue(Literal(Bool(false)))), Binary(Eq, Item(item2), Literal(Int(1)))) }"),
        ("always not go", "Always(Unary(Not, Occurs(When(Event(event0), Item(item0)))))"),
    ];
    for (text, wanted) in cases {
        let found = read(&with(text)).requirements;
        assert_eq!(format!("{:?}", found[0].kind), wanted, "{text}");
    }
    refused(&with("@@in(s)"), &["a requirement is"]);
    refused(&with("in(s) leads to c @@in 3 steps"), &["expected `within`"]);
    refused(&with("in(s) leads to c within 3 @@hours"), &["expected `steps`"]);
    refused(&with("always @@zz"), &["unknown name `zz`"]);
    refused(&with("always @@x"), &["a condition is wanted"]);
    refused(&with("after e @@c until f"), &["expected `,`"]);
    refused(&with("always c</requirement><requirement name=\"@@R\">always c"), &["two requirements"]);
}
