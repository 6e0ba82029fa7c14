//! The facts of the MQI as one table: constants, structures by version, functions. What is generated of it is made here.
//!
//! `table/` holds the facts, a row each, with the letters of the sources that agree: R libmqm-sys, I ibmmq for Python,
//! P pymqi, G mq-golang, N N1 N0 ibmmq for Node, W the public protocol dissector, H layouts of a compiler, D documentation.
//! Names, numbers and layouts are facts. No sentence of another product is in the table or in what is made of it.
//!
//! Invariants
//! - Pure: text in, text out. `cargo xtask codegen` writes the files, and `cargo xtask tidy` compares them.
//! - The same table gives the same files.

mod c;
mod cobol;
mod layout;
mod names;
mod rust;
mod table;

use std::path::PathBuf;

pub use table::{Constant, Field, Function, Kind, Structure, Table};

/// Where the headers lie, relative to the root of the repository.
pub const HEADERS: &str = "crates/mqi-table/include";
/// Where the copybooks lie: a folder for each width of an address.
pub const COPYBOOKS: &str = "crates/mqi-table/copybooks";

/// A generated file, by its path from the root of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    pub path: PathBuf,
    pub text: String,
}

/// Every file that is made of the table, in the order of their paths.
pub fn files() -> Vec<Generated> {
    let table = Table::new();
    let mut files: Vec<(String, String)> = Vec::new();
    for header in c::HEADERS {
        files.push((format!("{HEADERS}/{header}"), c::header(&table, header)));
    }
    files.push((format!("{HEADERS}/cmqstrc.h"), names::header(&table)));
    files.push(("crates/mqi-table/tests/programs/layout.c".to_owned(), layout::program(&table)));
    for (width, folder) in [(cobol::Width::Bits64, "cobcpy64"), (cobol::Width::Bits32, "cobcpy32")] {
        for (name, text) in cobol::copybooks(&table, width) {
            files.push((format!("{COPYBOOKS}/{folder}/{name}.cpy"), text));
        }
    }
    files.push(("crates/mqi-client/src/constant.rs".to_owned(), rust::constants(&table)));
    files.push(("crates/mqi-client/src/structure/generated.rs".to_owned(), rust::structures(&table)));
    files.sort();
    files.into_iter().map(|(path, text)| Generated { path: path.into(), text }).collect()
}
