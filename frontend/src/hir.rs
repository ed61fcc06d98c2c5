//! C with names resolved, types known and every conversion explicit: what `sema` makes and `lower` reads.
//!
//! Several translation units are one [`Unit`], linked: an external name is one object or function.
//! Operands are evaluated left to right. An lvalue is a [`Lval`], never an [`Expr`]; reading it is `Load`.

use crate::types::{BitField, Qual, TypeId, TypeTable};
use cranelift_entity::{entity_impl, PrimaryMap};
use syncline_ir::FloatFormat;

macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);
        entity_impl!($name, $prefix);
    };
}

entity! {
    /// A variable: global, static, local, parameter, or the object of a compound literal.
    Obj, "obj"
}
entity! {
    /// A function, defined or only declared.
    Func, "func"
}
entity! {
    /// A string literal.
    Str, "str"
}
entity! {
    /// A label of one function.
    Label, "label"
}

/// A place in the source as the user knows it (after `#line`); `file` indexes [`Unit::files`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Loc {
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Debug)]
pub struct Unit {
    pub types: TypeTable,
    pub files: Vec<String>,
    pub objects: PrimaryMap<Obj, Object>,
    pub functions: PrimaryMap<Func, Function>,
    pub strings: PrimaryMap<Str, StringLit>,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub name: String,
    /// The complete type: `int a[] = {1, 2}` has length 2 here.
    pub ty: Qual,
    pub storage: Storage,
    /// For `Storage::Global`: whether a definition (also a tentative one) was seen.
    pub defined: bool,
    /// Initialiser of a global or static object; those of locals are in their [`StmtKind::Decl`].
    pub init: Option<Init>,
    /// `&x` occurs, or an array is used other than by indexing it directly: the object needs memory.
    pub address_taken: bool,
    /// Some statement writes it (for `volatile` inputs). Initialisers do not count.
    pub written: bool,
    /// Of a synchronous system: what is written shows at once.
    pub blocking: bool,
    pub loc: Loc,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Storage {
    /// At file scope, or `extern`.
    Global,
    /// `static` in a function (or at file scope: then `Global` semantics with a private name).
    Static,
    Local,
    Param,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// Of `Type::Function`.
    pub ty: TypeId,
    pub params: Vec<Obj>,
    /// The last parameter where the text has `...` and the body looks at it: the address of an object in which the
    /// further arguments lie, each in as many slots of eight bytes as it takes; null if there are none.
    pub rest: Option<Obj>,
    /// `None` if only declared.
    pub body: Option<Vec<Stmt>>,
    pub labels: PrimaryMap<Label, String>,
    /// `_Noreturn`, `__attribute__((noreturn))`.
    pub noreturn: bool,
    /// The body is the one the tool has for this library function.
    pub library: bool,
    pub loc: Loc,
}

#[derive(Clone, Debug)]
pub struct StringLit {
    /// The characters with the terminating zero, each as wide as the element type.
    pub units: Vec<u32>,
    pub elem: TypeId,
}

/// An initialiser, flattened: scalars at byte offsets, in order; what is not named is zero when `zero_rest`.
#[derive(Clone, Debug)]
pub struct Init {
    pub items: Vec<InitItem>,
    /// `false` only where one item covers the whole object: `int x = e;`, `struct s t = u;`.
    pub zero_rest: bool,
}

#[derive(Clone, Debug)]
pub struct InitItem {
    pub offset: u64,
    /// For a bit-field, its place in the storage unit at `offset`.
    pub bits: Option<BitField>,
    pub value: InitValue,
}

#[derive(Clone, Debug)]
pub enum InitValue {
    /// Converted to the type of the place; record-typed where a record is copied.
    Expr(Expr),
    /// A string literal that fills a character array at the offset (cut or followed by zeros to `len` elements).
    Str { lit: Str, len: u64 },
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub loc: Loc,
    pub kind: StmtKind,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Empty,
    Expr(Expr),
    /// The object comes to life here; without an initialiser it holds any value.
    Decl {
        obj: Obj,
        init: Option<Init>,
    },
    /// A variable-length array comes to life: the sizes of all its dimensions, the outermost first.
    Vla {
        obj: Obj,
        dims: Vec<Expr>,
    },
    If {
        cond: Expr,
        then: Box<Stmt>,
        other: Option<Box<Stmt>>,
    },
    While {
        cond: Expr,
        body: Box<Stmt>,
    },
    DoWhile {
        body: Box<Stmt>,
        cond: Expr,
    },
    /// `init` holds the declarations or the expression.
    For {
        init: Vec<Stmt>,
        cond: Option<Expr>,
        step: Option<Expr>,
        body: Box<Stmt>,
    },
    /// The value is promoted.
    Switch {
        value: Expr,
        body: Box<Stmt>,
    },
    /// `case lo ... hi:`, converted to the switch's type and read by its signedness.
    Case {
        lo: i128,
        hi: i128,
        body: Box<Stmt>,
    },
    Default(Box<Stmt>),
    Labeled {
        label: Label,
        body: Box<Stmt>,
    },
    Goto(Label),
    Break,
    Continue,
    Return(Option<Expr>),
    Block(Vec<Stmt>),
    /// Parsed, not modelled: inline assembly, computed goto. The text says what.
    Unsupported(String),
}

/// A value. Conditions (`if`, `while`, `?:`, `&&`, `!`) take any scalar type and mean "differs from zero".
#[derive(Clone, Debug)]
pub struct Expr {
    pub ty: TypeId,
    pub loc: Loc,
    pub kind: ExprKind,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Of an integer (or pointer) type; the value as that type reads it.
    Int(i128),
    Float {
        format: FloatFormat,
        bits: u128,
    },
    /// Reads an lvalue of scalar or record type.
    Load(Box<Lval>),
    AddrOf(Box<Lval>),
    /// An array lvalue as the pointer to its first element.
    Decay(Box<Lval>),
    FuncAddr(Func),
    Unary {
        op: UnaryOp,
        arg: Box<Expr>,
    },
    /// Both operands have one type (for shifts: each its own promoted type; the result has the left one's).
    /// Comparisons have type `int`.
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `ptr + index` or `ptr - index` elements.
    PtrAdd {
        ptr: Box<Expr>,
        index: Box<Expr>,
        subtract: bool,
    },
    /// In elements, of type `ptrdiff_t`.
    PtrDiff {
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// To this expression's type: explicit or implicit, to `void` and `_Bool` too.
    Cast(Box<Expr>),
    LogAnd(Box<Expr>, Box<Expr>),
    LogOr(Box<Expr>, Box<Expr>),
    /// `then` is `None` for `a ?: b`, whose value is the condition's, converted to this type.
    Cond {
        cond: Box<Expr>,
        then: Option<Box<Expr>>,
        other: Box<Expr>,
    },
    Comma(Box<Expr>, Box<Expr>),
    /// The value is converted to the lvalue's type; the result is the value stored.
    Assign {
        lval: Box<Lval>,
        value: Box<Expr>,
    },
    /// `lval = (T)((compute)lval op right)`; `right` has type `compute` (for shifts: its own promoted type).
    AssignOp {
        op: BinaryOp,
        lval: Box<Lval>,
        right: Box<Expr>,
        compute: TypeId,
    },
    /// `ptr += index`, `ptr -= index`.
    PtrAssign {
        lval: Box<Lval>,
        index: Box<Expr>,
        subtract: bool,
    },
    /// `++` and `--` on arithmetic and pointer lvalues.
    IncDec {
        lval: Box<Lval>,
        increment: bool,
        prefix: bool,
    },
    /// Arguments are converted to the parameter types, or promoted.
    Call {
        callee: Callee,
        args: Vec<Expr>,
    },
    /// `({ ...; e; })`; without a last expression the type is void.
    StmtExpr {
        body: Vec<Stmt>,
        value: Option<Box<Expr>>,
    },
    /// Parsed, not modelled. Operands are lost; the text says what.
    Unsupported(String),
}

#[derive(Clone, Debug)]
pub enum Callee {
    Direct(Func),
    Indirect(Box<Expr>),
}

#[derive(Clone, Debug)]
pub struct Lval {
    pub ty: Qual,
    pub loc: Loc,
    pub kind: LvalKind,
}

#[derive(Clone, Debug)]
pub enum LvalKind {
    Object(Obj),
    /// `*p`; `a[i]` is `*(a + i)`.
    Deref(Box<Expr>),
    /// Field `index` of a record lvalue.
    Member {
        base: Box<Lval>,
        index: u32,
    },
    Str(Str),
    /// `(T){ ... }`: the object is initialised, then it is the lvalue.
    Compound {
        obj: Obj,
        init: Init,
    },
    /// A record value that is no object, as in `f().x`.
    Temp(Box<Expr>),
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    Neg,
    BitNot,
    /// Of type `int`, on any scalar.
    Not,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}
