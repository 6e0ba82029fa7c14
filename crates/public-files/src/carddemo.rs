//! The data files of CardDemo, AWS's public sample of a mainframe application (Apache-2.0), with the copybook of each.

pub const REPOSITORY: &str = "aws-samples/aws-mainframe-modernization-carddemo";
pub const COMMIT: &str = "59cc6c2fd7ebd7ef7925cad552a01a4b8b6e4d5e";
/// The folders that are read.
pub const FOLDERS: [&str; 2] = ["app/cpy", "app/data/EBCDIC"];
/// The field of `CVEXPORT` that says what a record is, and its values with the alternatives that they choose.
pub const EXPORT_FIELD: &str = "EXPORT-REC-TYPE";
pub const EXPORT_KINDS: [(&str, &str); 5] = [
    ("C", "EXPORT-CUSTOMER-DATA"),
    ("A", "EXPORT-ACCOUNT-DATA"),
    ("T", "EXPORT-TRANSACTION-DATA"),
    ("X", "EXPORT-CARD-XREF-DATA"),
    ("D", "EXPORT-CARD-DATA"),
];

/// A file of records of one length.
#[derive(Debug, Clone, Copy)]
pub struct DataFile {
    /// The end of its name.
    pub name: &'static str,
    /// The member that describes its records.
    pub copybook: &'static str,
    pub length: usize,
    pub records: u64,
}

impl DataFile {
    /// Where it lies.
    pub fn data(&self) -> String {
        format!("app/data/EBCDIC/AWS.M2.CARDDEMO.{}", self.name)
    }

    /// Where its copybook lies.
    pub fn description(&self) -> String {
        format!("app/cpy/{}.cpy", self.copybook)
    }
}

/// All of them. The first two have the same content.
pub const FILES: [DataFile; 13] = [
    file("ACCDATA.PS", "CVACT01Y", 300, 50),
    file("ACCTDATA.PS", "CVACT01Y", 300, 50),
    file("CARDDATA.PS", "CVACT02Y", 150, 50),
    file("CARDXREF.PS", "CVACT03Y", 50, 50),
    file("CUSTDATA.PS", "CVCUS01Y", 500, 50),
    file("DALYTRAN.PS", "CVTRA06Y", 350, 300),
    file("DALYTRAN.PS.INIT", "CVTRA06Y", 350, 1),
    file("DISCGRP.PS", "CVTRA02Y", 50, 51),
    file("EXPORT.DATA.PS", "CVEXPORT", 500, 500),
    file("TCATBALF.PS", "CVTRA01Y", 50, 50),
    file("TRANCATG.PS", "CVTRA04Y", 60, 18),
    file("TRANTYPE.PS", "CVTRA03Y", 60, 7),
    file("USRSEC.PS", "CSUSR01Y", 80, 10),
];

const fn file(name: &'static str, copybook: &'static str, length: usize, records: u64) -> DataFile {
    DataFile { name, copybook, length, records }
}
