//! Labels as they are written. Events, conditions and data have one syntax: only names tell them apart.
//!
//! `at` is an offset into the label's text.

/// Expression trees are at most this deep, statements at most this deep in each other, brackets too; with all
/// defined elements in place.
pub const MAX_NESTING: usize = 200;

#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub at: usize,
    /// Of the tree below.
    pub height: usize,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// As large as the digits say; 32 bits are wanted later, when the sign is known.
    Integer(u64),
    Real(f64),
    Truth(bool),
    Name(Name),
    /// `$x`
    Context(String),
    /// `in(S)`, `en(S)`, ...: words with something in brackets.
    Call(Word, Vec<Tree>),
    Not(Box<Tree>),
    Negate(Box<Tree>),
    Binary(Operator, Box<Tree>, Box<Tree>),
    /// `E[C]`
    When(Box<Tree>, Box<Tree>),
    /// `[C]`
    Bracket(Box<Tree>),
}

/// `a.b(2).c`, `Mode'on` as `Mode.on`.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub at: usize,
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub name: String,
    pub index: Option<Box<Tree>>,
}

impl Name {
    /// Without indices.
    pub fn path(&self) -> String {
        let names: Vec<&str> = self.parts.iter().map(|part| part.name.as_str()).collect();
        names.join(".")
    }

    pub fn has_index(&self) -> bool {
        self.parts.iter().any(|part| part.index.is_some())
    }
}

macro_rules! words {
    ($($word:ident $short:literal $long:literal $count:literal,)*) => {
        /// Words that are followed by brackets.
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        pub(crate) enum Word { $($word,)* }
        impl Word {
            pub fn from_text(text: &str) -> Option<Word> {
                match text { $($short | $long => Some(Word::$word),)* _ => None }
            }
            pub fn text(self) -> &'static str {
                match self { $(Word::$word => $short,)* }
            }
            /// Number of arguments.
            pub fn arguments(self) -> usize {
                match self { $(Word::$word => $count,)* }
            }
        }
    };
}

words! {
    In "in" "IN" 1,
    Active "ac" "active" 1,
    Entered "en" "entered" 1,
    Exited "ex" "exited" 1,
    BecameTrue "tr" "became_true" 1,
    BecameFalse "fs" "became_false" 1,
    Changed "ch" "changed" 1,
    Written "wr" "written" 1,
    Read "rd" "read" 1,
    Started "st" "started" 1,
    Stopped "sp" "stopped" 1,
    Timeout "tm" "timeout" 2,
    Minimum "min" "MIN" 2,
    Maximum "max" "MAX" 2,
    Absolute "abs" "ABS" 1,
}

impl Word {
    /// The others are values.
    pub fn is_event(self) -> bool {
        match self {
            Word::Entered
            | Word::Exited
            | Word::BecameTrue
            | Word::BecameFalse
            | Word::Changed
            | Word::Written
            | Word::Read
            | Word::Started
            | Word::Stopped
            | Word::Timeout => true,
            Word::In | Word::Active | Word::Minimum | Word::Maximum | Word::Absolute => false,
        }
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    /// In requirements only.
    Implies,
    Or,
    Xor,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub at: usize,
    pub kind: StepKind,
}

#[derive(Clone, Debug)]
pub(crate) enum StepKind {
    /// An event or a defined action.
    Name(Name),
    Assign(Name, Tree),
    SetContext(String, Tree),
    If(Tree, Vec<Step>, Vec<Step>),
    When(Tree, Vec<Step>, Vec<Step>),
    For {
        variable: String,
        from: Tree,
        to: Tree,
        down: bool,
        body: Vec<Step>,
    },
    While(Tree, Vec<Step>),
    /// `tr!(C)`, `fs!(C)`
    Make(Name, bool),
    /// `st!(A)`, `sp!(A)`
    Run(Name, bool),
    /// `hc!(S)`, `dc!(S)`
    Clear {
        state: Name,
        deep: bool,
    },
    Schedule(Vec<Step>, Tree),
}

/// `trigger[condition]/action`
#[derive(Clone, Debug, Default)]
pub(crate) struct Label {
    pub trigger: Option<Tree>,
    pub action: Vec<Step>,
    /// Where the action begins.
    pub action_at: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum Wish {
    Always(Tree),
    Never(Tree),
    LeadsTo { cause: Tree, effect: Tree, within: u32 },
    AfterUntil { after: Tree, holds: Tree, until: Tree },
}
