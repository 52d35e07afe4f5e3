//! Traces: concrete executions of a program.

use crate::{EdgeId, ProcId, VarId};
use bolide_term::Value;

/// One edge of a trace with the values of its inputs, in the order of the edge's inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// The procedure.
    pub proc: ProcId,
    /// The edge in it.
    pub edge: EdgeId,
    /// A value for each of its inputs.
    pub inputs: Vec<Value>,
}

/// A concrete execution from the entry: the edges in the order in which they are taken. A call edge is followed by the
/// edges of the callee.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// Values of globals before the first edge; those not listed have the default value of their sort, moved into
    /// their range.
    pub initial: Vec<(VarId, Value)>,
    /// The edges.
    pub steps: Vec<TraceStep>,
}
