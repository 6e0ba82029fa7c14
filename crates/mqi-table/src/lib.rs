//! The facts of the MQI as one table: constants, structures by version, functions. What is generated of it is made here.
//!
//! `table/` holds the facts, a row each, with the letters of the sources that agree: R libmqm-sys, I ibmmq for Python,
//! P pymqi, G mq-golang, N N1 N0 ibmmq for Node, W the public protocol dissector, H layouts of a compiler, J the public
//! classes for Java, D documentation.
//! Names, numbers and layouts are facts. No sentence of another product is in the table or in what is made of it.
//!
//! Invariants
//! - Pure: text in, text out. `cargo xtask codegen` writes the sources, and `cargo xtask tidy` compares them.
//! - What is handed out is not in the repository: `cargo xtask client` writes it where the library's tree is made.
//! - The same table gives the same files.

mod c;
mod cobol;
mod names;
mod rust;
mod table;

use std::path::PathBuf;

pub use table::{Constant, Field, Function, Kind, Structure, Table};

/// Folders of the library's tree: headers, and copybooks for each width of an address.
pub const HEADERS: &str = "inc";
pub const COPYBOOKS_64: &str = "cobcpy64";
pub const COPYBOOKS_32: &str = "cobcpy32";

/// A generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    pub path: PathBuf,
    pub text: String,
}

/// The sources that the build of the library needs, by their paths from the root of the repository.
pub fn sources() -> Vec<Generated> {
    let table = Table::new();
    vec![
        generated("crates/mqi-client/src/constant.rs", rust::constants(&table)),
        generated("crates/mqi-client/src/structure/generated.rs", rust::structures(&table)),
        generated("crates/mqi-cobol/src/generated.rs", rust::by_reference(&table)),
        generated("crates/server/src/cli/events/constants.tsv", names::of_events(&table)),
    ]
}

/// Headers and copybooks, by their paths in the library's tree.
pub fn handed_out() -> Vec<Generated> {
    let table = Table::new();
    let mut files: Vec<Generated> =
        c::HEADERS.iter().map(|name| generated(&format!("{HEADERS}/{name}"), c::header(&table, name))).collect();
    files.push(generated(&format!("{HEADERS}/cmqstrc.h"), names::header(&table)));
    for (width, folder) in [(cobol::Width::Bits64, COPYBOOKS_64), (cobol::Width::Bits32, COPYBOOKS_32)] {
        let books = cobol::copybooks(&table, width).into_iter();
        files.extend(books.map(|(name, text)| generated(&format!("{folder}/{name}.cpy"), text)));
    }
    files
}

fn generated(path: &str, text: String) -> Generated {
    Generated { path: path.into(), text }
}
