//! Record bytes to JSON and back, by the structures of an archive.
//!
//! A structure's layout is made into a plan once for each form in which records come (`compile.rs`); converting follows the
//! plan over the bytes, with no tree in between and no allocation for an item.
//!
//! Rules: reference of z/OS Connect EE V3.0, run-time data conversion. What is not published there is decided here and told
//! in `docs/differences.md`, "API requester".

mod areas;
mod compile;
mod from_json;
mod patch;
mod plan;
mod time;
mod to_json;
mod whitespace;

pub use compile::{CompileError, FloatForm, RecordForm};
pub use copybook::{DataError, DataProblem};
pub use plan::{Converter, Group};

use copybook::json::{Step, pointer};

/// An error on its way up: each level adds its step of the JSON pointer.
struct Trouble {
    problem: DataProblem,
    node: usize,
    /// From the start of the record.
    offset: usize,
    json_offset: Option<usize>,
    /// Innermost first.
    steps: Vec<Step>,
}

type Outcome<T> = Result<T, Box<Trouble>>;

impl Trouble {
    fn new(problem: DataProblem, node: usize, offset: usize) -> Box<Self> {
        Box::new(Self { problem, node, offset, json_offset: None, steps: Vec::new() })
    }

    fn in_json(mut self: Box<Self>, at: usize) -> Box<Self> {
        self.json_offset = Some(at);
        self
    }

    fn below(mut self: Box<Self>, step: Step) -> Box<Self> {
        self.steps.push(step);
        self
    }

    fn told(self, converter: &Converter) -> Box<DataError> {
        Box::new(DataError {
            pointer: pointer(&self.steps),
            item: converter.paths.get(self.node).cloned().unwrap_or_default(),
            offset: self.offset,
            json_offset: self.json_offset,
            problem: self.problem,
        })
    }
}
