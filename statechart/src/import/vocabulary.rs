//! The words of the format, in one place: elements, attributes and the values that are words; which element may
//! stand in which, with which attributes. `statechart/schema/` and `docs/statemate-xml.md` say the same.
//!
//! The names here are defaults: [`super::mapping::Mapping`] has the ones in force.

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($word:ident $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum $name { $($word,)* }
        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$word,)*];
            /// The default name.
            pub fn text(self) -> &'static str {
                match self { $($name::$word => $text,)* }
            }
            pub fn from_text(text: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|word| word.text() == text)
            }
        }
    };
}

words! {
    Element {
        Statechart "statechart",
        Description "description",
        Declarations "declarations",
        Event "event",
        Condition "condition",
        DataItem "data-item",
        Enumeration "enumeration",
        Value "value",
        Record "record",
        Field "field",
        Action "action",
        Activity "activity",
        DefinedEvent "defined-event",
        DefinedCondition "defined-condition",
        State "state",
        OrState "or-state",
        AndState "and-state",
        OffPage "off-page",
        Entering "entering",
        Exiting "exiting",
        Reaction "reaction",
        Default "default",
        Connector "connector",
        Transition "transition",
        Requirements "requirements",
        Requirement "requirement",
    }
}

words! {
    Attribute {
        Name "name",
        Time "time",
        MaxAdvance "max-advance",
        Usage "usage",
        Type "type",
        Min "min",
        Max "max",
        Initial "initial",
        Array "array",
        Chart "chart",
        Kind "kind",
        From "from",
        To "to",
        Target "target",
        Label "label",
    }
}

words! {
    /// Values of attributes that are words of the format.
    Keyword {
        Synchronous "synchronous",
        Asynchronous "asynchronous",
        Input "input",
        Output "output",
        Local "local",
        Integer "integer",
        Real "real",
        Condition "condition",
        Switch "switch",
        Junction "junction",
        Joint "joint",
        Fork "fork",
        History "history",
        DeepHistory "deep-history",
        Termination "termination",
        True "true",
        False "false",
    }
}

pub(crate) const TIMES: &[Keyword] = &[Keyword::Synchronous, Keyword::Asynchronous];
pub(crate) const USAGES: &[Keyword] = &[Keyword::Input, Keyword::Output, Keyword::Local];
pub(crate) const TYPES: &[Keyword] = &[Keyword::Integer, Keyword::Real, Keyword::Condition];
pub(crate) const TRUTHS: &[Keyword] = &[Keyword::True, Keyword::False];
pub(crate) const CONNECTORS: &[Keyword] = &[
    Keyword::Condition,
    Keyword::Switch,
    Keyword::Junction,
    Keyword::Joint,
    Keyword::Fork,
    Keyword::History,
    Keyword::DeepHistory,
    Keyword::Termination,
];

impl Element {
    /// What may stand in it, in any order and number.
    pub fn children(self) -> &'static [Element] {
        use Element::*;
        match self {
            Statechart => &[
                Description,
                Declarations,
                Entering,
                Exiting,
                Reaction,
                Default,
                State,
                OrState,
                AndState,
                OffPage,
                Connector,
                Transition,
                Requirements,
            ],
            Declarations => &[
                Description,
                Event,
                Condition,
                DataItem,
                Enumeration,
                Record,
                Action,
                Activity,
                DefinedEvent,
                DefinedCondition,
            ],
            Enumeration => &[Description, Value],
            Record => &[Description, Field],
            OrState => &[
                Description,
                Entering,
                Exiting,
                Reaction,
                Default,
                State,
                OrState,
                AndState,
                OffPage,
                Connector,
                Transition,
            ],
            AndState => {
                &[Description, Entering, Exiting, Reaction, State, OrState, AndState, OffPage, Connector, Transition]
            }
            State => &[Description, Entering, Exiting, Reaction, Transition],
            OffPage => &[Description, Entering, Exiting, Reaction],
            Requirements => &[Description, Requirement],
            Event | Condition | DataItem | Activity | Value | Field | Connector => &[Description],
            Description | Action | DefinedEvent | DefinedCondition | Entering | Exiting | Reaction | Default
            | Transition | Requirement => &[],
        }
    }

    /// Its attributes, and whether each must be there.
    pub fn attributes(self) -> &'static [(Attribute, bool)] {
        use Attribute::*;
        match self {
            Element::Statechart => &[(Name, true), (Time, false), (MaxAdvance, false)],
            Element::Description
            | Element::Declarations
            | Element::Requirements
            | Element::Entering
            | Element::Exiting
            | Element::Reaction => &[],
            Element::Event => &[(Name, true), (Usage, false)],
            Element::Condition => &[(Name, true), (Usage, false), (Initial, false), (Array, false)],
            Element::DataItem => &[
                (Name, true),
                (Type, true),
                (Min, false),
                (Max, false),
                (Usage, false),
                (Initial, false),
                (Array, false),
            ],
            Element::Field => {
                &[(Name, true), (Type, true), (Min, false), (Max, false), (Initial, false), (Array, false)]
            }
            Element::Enumeration
            | Element::Value
            | Element::Record
            | Element::Action
            | Element::Activity
            | Element::DefinedEvent
            | Element::DefinedCondition
            | Element::State
            | Element::OrState
            | Element::AndState
            | Element::Requirement => &[(Name, true)],
            Element::OffPage => &[(Name, true), (Chart, true)],
            Element::Default => &[(Target, true), (Label, false)],
            Element::Connector => &[(Name, true), (Kind, true)],
            Element::Transition => &[(From, true), (To, true), (Label, false)],
        }
    }

    /// Whether its content is text: a label, an action, a requirement.
    pub fn has_text(self) -> bool {
        use Element::*;
        match self {
            Description | Action | DefinedEvent | DefinedCondition | Entering | Exiting | Reaction | Default
            | Transition | Requirement => true,
            Statechart | Declarations | Event | Condition | DataItem | Enumeration | Value | Record | Field
            | Activity | State | OrState | AndState | OffPage | Connector | Requirements => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quick_xml::events::{BytesStart, Event};
    use std::collections::BTreeMap;

    /// What a schema says of an element: its children, its attributes and whether each is required, whether it has text.
    #[derive(Debug, Default, PartialEq)]
    struct Rule {
        children: Vec<String>,
        attributes: Vec<(String, bool)>,
        text: bool,
    }

    fn attribute(tag: &BytesStart, name: &str) -> Option<String> {
        let found = tag.attributes().find(|a| a.as_ref().is_ok_and(|a| a.key.as_ref() == name));
        found.map(|a| a.unwrap().value.to_string())
    }

    /// The schema's rules, and the values of its enumerations by the name of their type.
    fn schema() -> (BTreeMap<String, Rule>, BTreeMap<String, Vec<String>>) {
        let mut reader = quick_xml::Reader::from_str(include_str!("../../schema/statemate.xsd"));
        let (mut rules, mut values) = (BTreeMap::<String, Rule>::new(), BTreeMap::<String, Vec<String>>::new());
        let (mut element, mut kind) = (String::new(), String::new());
        loop {
            let (Event::Start(tag) | Event::Empty(tag)) = (match reader.read_event().unwrap() {
                Event::Eof => return (rules, values),
                event => event,
            }) else {
                continue;
            };
            match tag.name().as_ref() {
                "xs:element" => match (attribute(&tag, "name"), attribute(&tag, "ref")) {
                    (Some(name), _) => {
                        element = name;
                        rules.insert(element.clone(), Rule::default());
                    }
                    (None, Some(child)) => rules.get_mut(&element).unwrap().children.push(child),
                    (None, None) => panic!("an element without a name"),
                },
                "xs:complexType" => rules.get_mut(&element).unwrap().text = attribute(&tag, "mixed").is_some(),
                "xs:attribute" => {
                    let required = attribute(&tag, "use").as_deref() == Some("required");
                    let name = attribute(&tag, "name").unwrap();
                    rules.get_mut(&element).unwrap().attributes.push((name, required));
                }
                "xs:simpleType" => kind = attribute(&tag, "name").unwrap(),
                "xs:enumeration" => {
                    values.entry(kind.clone()).or_default().push(attribute(&tag, "value").unwrap());
                }
                _ => {}
            }
        }
    }

    #[test]
    fn the_schema_says_the_same() {
        let (rules, values) = schema();
        assert_eq!(rules.len(), Element::ALL.len());
        for &element in Element::ALL {
            let wanted = Rule {
                children: element.children().iter().map(|child| child.text().to_string()).collect(),
                attributes: element
                    .attributes()
                    .iter()
                    .map(|(a, required)| (a.text().to_string(), *required))
                    .collect(),
                text: element.has_text(),
            };
            assert_eq!(rules.get(element.text()), Some(&wanted), "{}", element.text());
        }
        for (kind, group) in [("time", TIMES), ("usage", USAGES), ("connector-kind", CONNECTORS)] {
            let wanted: Vec<String> = group.iter().map(|keyword| keyword.text().to_string()).collect();
            assert_eq!(values.get(kind), Some(&wanted), "{kind}");
        }
    }

    #[test]
    fn the_page_names_every_word() {
        let page = include_str!("../../../docs/statemate-xml.md");
        let elements = Element::ALL.iter().map(|word| word.text());
        let attributes = Attribute::ALL.iter().map(|word| word.text());
        let keywords = Keyword::ALL.iter().map(|word| word.text());
        for word in elements.chain(attributes).chain(keywords) {
            assert!(page.contains(&format!("`{word}`")), "{word}");
        }
    }
}
