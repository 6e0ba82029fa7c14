//! The shared vectors: the figures of the report, parameters and types, names.

use std::collections::BTreeMap;
use std::path::Path;

use crate::building::{built, code};

/// Builds a vector and compares every expected member; members nobody expects are an error too.
fn check(vector: &str, properties: &str, file_of: impl Fn(&str) -> String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/vectors").join(vector);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
    let made = built(properties, "swagger.json", &read("swagger.json"));
    let lengths = read("expected/lengths.txt");
    let lengths: BTreeMap<&str, u32> = lengths
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, length)| (name, length.parse().expect("a length")))
        .collect();
    for (name, text) in &made.members {
        assert_eq!(code(text), read(&format!("expected/{}", file_of(name))), "{name}");
        let longest = text.lines().map(str::len).max().unwrap_or_default();
        assert!(longest <= 72, "{name} has a line of {longest} columns");
    }
    let summary = made.summary.expect("a summary");
    let made_lengths: BTreeMap<&str, u32> = summary
        .processed
        .iter()
        .flat_map(|one| one.request.iter().chain(&one.response))
        .map(|(name, length)| (name.as_str(), *length))
        .collect();
    assert_eq!(made_lengths, lengths);
    let structures = made.members.keys().filter(|name| lengths.contains_key(name.as_str())).count();
    assert_eq!(structures, lengths.len());
    assert_eq!(made.members.len(), lengths.len() + summary.processed.len());
}

#[test]
fn the_figures_of_the_report_come_out_of_its_properties() {
    check("seed-figures", "requesterPrefix=PER", |name| match name {
        "PER00I01" => "PER00I01.plain-path-2018".to_owned(),
        other => other.to_owned(),
    });
}

#[test]
fn at_level_4_3_the_path_of_the_report_is_encoded() {
    check("seed-figures", "requesterPrefix=PER\nmappingLevel=4.3", str::to_owned);
}

#[test]
fn parameters_optional_values_arrays_and_types_become_the_expected_members() {
    check("books", "requesterPrefix=BKS\nmappingLevel=4.3", str::to_owned);
}

#[test]
fn names_become_the_expected_ones() {
    check("names", "requesterPrefix=ODD\nmappingLevel=4.3", str::to_owned);
}

#[test]
fn the_archive_of_the_report_holds_what_a_requester_needs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/vectors/seed-figures");
    let swagger = std::fs::read_to_string(folder.join("swagger.json")).expect("read");
    let archive = built("requesterPrefix=PER", "APIRPERF.json", &swagger).archive.expect("an archive");
    assert_eq!(archive.name, "zCEE-API-requester-Performance-Remote-API_1.0.0");
    assert_eq!(archive.base_path, "/APIrequesterPerformanceRemoteAPI");
    assert_eq!(archive.connection_ref, "Server2Ref");
    let [operation] = archive.operations.as_slice() else { panic!("one operation") };
    assert_eq!((operation.id.as_str(), operation.method.as_str()), ("VaryPayload", "POST"));
    let response = operation.binding.response.as_ref().expect("an answer");
    assert_eq!((response.code, response.structure.length), (200, 16_420));
    let user_data = &response.structure.groups[0].items()[5];
    assert_eq!((user_data.json_name.as_str(), user_data.offset), ("user_data", 36));
    assert_eq!(user_data.counter.as_ref().map(|counter| (counter.offset, counter.maximum)), Some((32, 512)));
}
