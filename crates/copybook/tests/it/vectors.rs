//! Copybooks and records made outside this project's code: `vectors/`, lengths confirmed with a COBOL compiler.

use std::path::PathBuf;

use copybook::{ConvertOptions, Converter, Copybook, LayoutOptions, NameStyle, ParseOptions, RecordLayout};
use serde_json::{Value, json};

fn file(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/vectors").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn layout(name: &str) -> RecordLayout {
    let copybook = Copybook::parse(&file(name), &ParseOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    copybook.layout(None, &LayoutOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn bytes(name: &str) -> Vec<u8> {
    let digits: Vec<u32> = file(name).chars().filter_map(|c| c.to_digit(16)).collect();
    digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).expect("a byte")).collect()
}

fn decode(layout: &RecordLayout, options: &ConvertOptions, record: &[u8]) -> Value {
    let converter = Converter::new(layout, options).expect("a plan");
    let mut json = Vec::new();
    converter.decode(record, &mut json).unwrap_or_else(|error| panic!("{error}"));
    serde_json::from_slice(&json).expect("JSON")
}

fn encode(layout: &RecordLayout, options: &ConvertOptions, json: &Value) -> Vec<u8> {
    let converter = Converter::new(layout, options).expect("a plan");
    let mut record = Vec::new();
    converter.encode(json.to_string().as_bytes(), &mut record).unwrap_or_else(|error| panic!("{error}"));
    record
}

#[test]
fn records_have_the_lengths_that_a_compiler_gives_them() {
    for folder in ["books", "names", "seed-figures"] {
        for line in file(&format!("{folder}/lengths.txt")).lines() {
            let (member, length) = line.split_once(' ').expect("a member and its length");
            let path = format!("{folder}/{member}");
            assert_eq!(layout(&path).length.to_string(), length.trim(), "{path}");
        }
    }
}

#[test]
fn a_two_way_service_has_these_bytes_on_its_queues() {
    let options = ConvertOptions { names: NameStyle::Assistant, show_counters: false, ..ConvertOptions::of_ccsid(37) };
    for (copybook, name) in [("LOANREQ", "request"), ("LOANREP", "reply")] {
        let layout = layout(&format!("mq-two-way/{copybook}.cpy"));
        let json: Value = serde_json::from_str(&file(&format!("mq-two-way/{name}.json"))).expect("JSON");
        let record = bytes(&format!("mq-two-way/{name}.cp037.hex"));
        assert_eq!(encode(&layout, &options, &json), record, "{name}");
        assert_eq!(decode(&layout, &options, &record), json, "{name}");
    }
}

#[test]
fn items_of_a_generated_copybook_lie_where_the_runtime_puts_them() {
    let layout = layout("books/BKS00P01");
    let record = bytes("books/getBook_P.hex");
    let json = decode(&layout, &ConvertOptions::of_ccsid(37), &record);
    let body = &json["RespBody"];
    assert_eq!(body["isbn"], json!("9780131103627"));
    assert_eq!(body["pages"], json!(272));
    assert_eq!(body["price"], json!(54.5));
    assert_eq!(body["authors2-num"], json!(2));
    assert_eq!(body["authors"][0]["lastName"], json!("Kernighan"));
    assert_eq!(body["authors"][0]["born"], json!(1942));
    assert_eq!(body["authors"][1]["lastName"], json!("Ritchie"));
    assert_eq!(body["keywords"][0]["keywords2"], json!("c"));
    assert_eq!(body["inPrint"], json!("\u{1}"));
    assert_eq!(encode(&layout, &ConvertOptions::of_ccsid(37), &json), record);
}
