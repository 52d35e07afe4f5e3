//! Terms, values and models to text that reads back as the same.

mod model;
mod script;
mod sharing;
mod symbol;
mod term;

pub use model::{ModelDisplay, ValueDisplay, print_model, print_value};
pub use script::{
    DatatypesDisplay, DeclarationDisplay, DeclarationsDisplay, print_datatypes, print_declaration,
    print_declarations,
};
pub use symbol::{SortDisplay, SymbolDisplay, print_sort, print_symbol};
pub use term::{TermDisplay, print_term};
