//! What came of many tasks with known answers: the results of a run, how two runs differ, plots.

mod compare;
mod job_array;
mod part;
mod plot;
mod record;

pub use compare::text as comparison;
pub use job_array::JobArray;
pub use part::Part;
pub use plot::{cactus, scatter};
pub use record::{Record, Status, csv, json, read};
