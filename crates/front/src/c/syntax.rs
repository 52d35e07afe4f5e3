//! The syntax of C: from bytes to a tree, without meaning.
//!
//! C17 with the extensions of gcc and clang, read as a compiler reads them: bytes of any encoding, line splices, comments and
//! line markers in the lexer; names of types by scope in the parser.

pub mod ast;
