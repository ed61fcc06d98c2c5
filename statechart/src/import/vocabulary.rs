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
