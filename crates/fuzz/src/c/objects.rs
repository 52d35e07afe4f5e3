//! Types and places of generated programs.

/// The integer types in use.
pub const INTS: [&str; 12] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "_Bool",
];

/// A type of a generated program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    /// An integer type by its words.
    Int(&'static str),
    /// A pointer that always leads to an object.
    Ptr(Box<Ty>),
    /// An array.
    Array(Box<Ty>, usize),
    /// A record by its number.
    Record(usize),
    /// A pointer to one of the functions from two `int`s to `int`.
    Callback,
}

impl Ty {
    /// A declaration of something of this type.
    pub fn declare(&self, name: &str) -> String {
        match self {
            Ty::Int(words) => format!("{words} {name}"),
            Ty::Ptr(to) if matches!(**to, Ty::Array(..)) => to.declare(&format!("(*{name})")),
            Ty::Ptr(to) => to.declare(&format!("*{name}")),
            Ty::Array(of, n) => of.declare(&format!("{name}[{n}]")),
            Ty::Record(n) => format!("R{n} {name}"),
            Ty::Callback => format!("int (*{name})(int, int)"),
        }
    }

    /// A pointer to this type.
    pub fn pointer(&self) -> Ty {
        Ty::Ptr(Box::new(self.clone()))
    }
}

/// A member of a record.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// The width of a bit-field.
    pub bits: Option<usize>,
}

/// A structure or union, with a `typedef` of the name `R` and its number.
#[derive(Clone, Debug)]
pub struct Record {
    /// Is it a union?
    pub is_union: bool,
    /// Its members.
    pub fields: Vec<Field>,
    /// Attributes after its body.
    pub attributes: &'static str,
}

/// How long an object lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Life {
    /// As long as the program.
    Static,
    /// As long as its function or block.
    Local,
}

/// Something that can be read.
#[derive(Clone, Debug)]
pub struct Place {
    /// An lvalue.
    pub text: String,
    /// Its type.
    pub ty: Ty,
    /// Its lifetime.
    pub life: Life,
    /// May it be written?
    pub writable: bool,
    /// Has it an address? Bit-fields and members of packed records have none that may be used.
    pub addressable: bool,
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub struct Func {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<Ty>,
    /// Its result.
    pub result: Ty,
}
