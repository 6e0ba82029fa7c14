//! Why a file cannot be converted.

use std::io;

use copybook::DataError;
use parquet::errors::ParquetError;

use crate::framing::FramingError;

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("the file cannot be read: {0}")]
    Read(#[source] io::Error),
    #[error("the result cannot be written: {0}")]
    Write(#[source] io::Error),
    /// `record` counts from 1, `offset` is of its first byte in the file.
    #[error("record {record} at byte {offset}: {source}")]
    Record {
        record: u64,
        offset: u64,
        #[source]
        source: RecordError,
    },
    #[error("the table has {found} columns, more than {most}: choose JSON lines")]
    TooManyColumns { found: usize, most: usize },
    #[error("the column {name} belongs to no item of the copybook")]
    UnknownColumn { name: String },
    #[error("the CSV text cannot be read: {0}")]
    Csv(#[from] csv::Error),
    #[error("Parquet: {0}")]
    Parquet(#[from] ParquetError),
}

/// Why one record cannot.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error(transparent)]
    Data(#[from] Box<DataError>),
    #[error(transparent)]
    Framing(#[from] FramingError),
    #[error("no segment is chosen for {field} = {value}")]
    NoSegment { field: String, value: String },
    #[error("the value '{value}' of the column {column} is no number")]
    NoNumber { column: String, value: String },
}
