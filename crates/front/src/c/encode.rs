//! stub
use super::*;
/// stub
#[derive(Debug)]
pub struct Encoding;
pub(super) fn encode(_: &mut Store, _: &hir::Unit, _: &Options) -> Result<(Program, Encoding), source::Issue> { Ok((Program::new("main"), Encoding)) }
