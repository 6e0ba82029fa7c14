//! Archives whose entries were damaged at random: read or refused, and what is read can be described and used.
//!
//! The fuzz targets `service_archive` and `api_archive` look further; this runs everywhere. `QUAYMASTER_SEED` repeats a run,
//! `QUAYMASTER_ROUNDS` makes it longer.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::env::var;

use bytes::Bytes;
use document::package::Package;
use model::timestamp::Timestamp;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::json;

use super::{ApiArchive, ServiceArchive};
use crate::api::mapping::{Response, Surroundings};
use crate::convert::Transformation;
use crate::names::Names;
use crate::openapi::{merge, of_api, swagger, swagger_of_api};

const SERVICE: [(&str, &str); 4] = [
    (
        "manifest.yml",
        "name: loan\nversion: 1.0\nprovider: mq\nrequestSchema:\n  value: file:///schemas/loanRequest.json\n  type: JSONSchema\n\
         providerProperties:\n- propertyName: destination\n  value: Q\n  type: STRING\n\
         - propertyName: replyDestination\n  value: R\n  type: STRING\n- propertyName: waitInterval\n  value: 100\n  type: STRING\n\
         - propertyName: selector\n  value: a = 1\n  type: STRING\n- propertyName: requestStructure\n  value: files/A.cpy\n  type: FILE\n",
    ),
    (
        "files/A.cpy",
        "       01 R.\n          05 N PIC 9(2).\n          05 T OCCURS 1 TO 9 DEPENDING ON N.\n             10 X PIC S9(5)V99 COMP-3.\n\
         \x20         05 Y PIC X(4) VALUE 'AB'.\n          05 Z REDEFINES Y PIC 9(4) COMP-5.\n          COPY B.\n",
    ),
    ("files/copy/B", "          05 W PIC $$9.99 BLANK WHEN ZERO.\n"),
    ("schemas/loanRequest.json", "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}"),
];

const API: [(&str, &str); 5] = [
    (
        "package.xml",
        "<zosConnectApi xmlns=\"http://www.ibm.com/zosConnect/2.0/zosConnectApi\" id=\"loans\"><apiSpec title=\"Loans\" basePath=\"/loans\" \
         description=\"d\" version=\"1\"><path relativePath=\"/of/{a}\"><method type=\"POST\" zosConnectServiceRef=\"loan\" httpXformFile=\"api/m.xml\" \
         operationId=\"ask\"/></path><apiDoc docType=\"SWAGGER\">api-docs/d.json</apiDoc></apiSpec></zosConnectApi>",
    ),
    (
        "api/m.xml",
        "<ZosConnectServiceMapping xmlns=\"http://www.ibm.com/zosConnect/2.0/zosConnectServiceMapping\" mappingSpecVersion=\"1.0\"><mappingContext \
         basePath=\"/loans\" relativePath=\"/of/{a}\" method=\"POST\" serviceName=\"loan\"/><requestMessage><mappingRootModel type=\"MSL\" \
         location=\"api/request.map\"/></requestMessage><responseMessages code=\"200\"><mappingRootModel type=\"MSL\" location=\"api/response.map\"/>\
         </responseMessages></ZosConnectServiceMapping>",
    ),
    (
        "api/request.map",
        "<mappingRoot xmlns=\"http://www.ibm.com/2008/ccl/Mapping\"><mappingDeclaration name=\"POST.of\"><passthrough><input path=\"Body\"/><output \
         path=\".\"/></passthrough><move><input path=\"PathParameters/a\"/><output path=\"n/0/x\"/></move><remove><output path=\"y\"/></remove>\
         </mappingDeclaration></mappingRoot>",
    ),
    (
        "api/response.map",
        "<mappingRoot xmlns=\"http://www.ibm.com/2008/ccl/Mapping\"><mappingDeclaration name=\"POST.of\"><passthrough><input path=\"Body\"/><output \
         path=\".\"/></passthrough></mappingDeclaration></mappingRoot>",
    ),
    (
        "api-docs/d.json",
        "{\"openapi\":\"3.0.1\",\"info\":{\"title\":\"x\",\"version\":\"1\"},\"servers\":[{\"url\":\"/a\"}],\"security\":[{\"b\":[]}],\"tags\":[],\"paths\":\
         {\"/of/{a}\":{\"parameters\":[{\"$ref\":\"#/components/parameters/a\"}],\"post\":{\"operationId\":\"ask\",\"requestBody\":{\"content\":{\"application/json\":\
         {\"schema\":{\"$ref\":\"#/components/schemas/s\"}}}},\"responses\":{\"200\":{\"description\":\"d\"}}}}},\"components\":{\"schemas\":{\"s\":{\"type\":\"object\"}},\
         \"parameters\":{\"a\":{\"name\":\"a\",\"in\":\"path\",\"schema\":{\"type\":\"string\"}}}}}",
    ),
];

/// What takes the place of something, beside bytes and pieces of the text itself.
const WORDS: [&str; 30] = [
    "",
    "0",
    "-1",
    "99999999999999999999",
    "1.5e400",
    "null",
    "true",
    "\"",
    "'",
    "{}",
    "[]",
    "{",
    "]",
    "<",
    "/>",
    "&amp;",
    "&#0;",
    "\n",
    ": ",
    "- ",
    "../",
    "%00",
    "\u{0}",
    "\u{10FFFF}",
    " OCCURS 99999 ",
    " PIC 9(38)V9(38) ",
    " DEPENDING ON Y",
    " REDEFINES R ",
    " COPY B. ",
    "$ref",
];

fn rounds() -> (u64, u32) {
    let number = |name: &str| var(name).ok().and_then(|value| value.parse().ok());
    let seed = number("QUAYMASTER_SEED").unwrap_or_else(rand::random);
    println!("QUAYMASTER_SEED={seed}");
    (seed, number("QUAYMASTER_ROUNDS").and_then(|rounds| u32::try_from(rounds).ok()).unwrap_or(1000))
}

/// A few changes, at places of any kind.
fn damaged(text: &str, random: &mut StdRng) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.gen_range(1..4) {
        let start = random.gen_range(0..=bytes.len());
        let end = (start + random.gen_range(0..12)).min(bytes.len());
        let new = match random.gen_range(0..4) {
            0 => WORDS[random.gen_range(0..WORDS.len())].as_bytes().to_vec(),
            1 => vec![random.r#gen()],
            2 => {
                let from = random.gen_range(0..=bytes.len());
                bytes[from..(from + random.gen_range(0..60)).min(bytes.len())].to_vec()
            }
            _ => Vec::new(),
        };
        drop(bytes.splice(start..end, new));
    }
    bytes
}

/// An archive of which one or two entries are not what they were.
fn archive(entries: &[(&str, &str)], random: &mut StdRng) -> Vec<u8> {
    let chosen = [random.gen_range(0..entries.len()), random.gen_range(0..entries.len())];
    let mut package = Package::default();
    for (index, (name, text)) in entries.iter().enumerate() {
        let content = if chosen.contains(&index) { damaged(text, random) } else { text.as_bytes().to_vec() };
        package.insert(name, content).expect("a name");
    }
    package.write().expect("written")
}

#[test]
fn a_damaged_service_is_refused_or_converts() {
    let (seed, rounds) = rounds();
    let mut random = StdRng::seed_from_u64(seed);
    let mut usable = 0;
    for _ in 0..rounds {
        let bytes = archive(&SERVICE, &mut random);
        let Ok(archive) = ServiceArchive::read(&bytes) else { continue };
        assert_eq!(ServiceArchive::read(&archive.write().expect("within the limits")).as_ref(), Ok(&archive), "{seed}");
        let Ok(content) = archive.content(&Names::default(), &BTreeMap::new()) else { continue };
        usable += 1;
        let Some(structure) = content.service.transformation.as_ref().and_then(Transformation::of_requests) else {
            continue;
        };
        let mut record = Vec::new();
        if structure.encode(b"{}", &mut record).is_ok() {
            let _ = structure.decode(&record, &mut Vec::new());
        }
        let _ = structure.decode(&[0xF1; 64], &mut Vec::new());
    }
    assert!(usable > rounds / 200, "QUAYMASTER_SEED={seed}: {usable} of {rounds} could be used");
}

#[test]
fn a_damaged_api_is_refused_or_described_and_maps_to_json() {
    let (seed, rounds) = rounds();
    let mut random = StdRng::seed_from_u64(seed);
    let schemas = |_: &str| (Some(json!({ "type": "object" })), None);
    let mut usable = 0;
    for _ in 0..rounds {
        let bytes = archive(&API, &mut random);
        let Ok(archive) = ApiArchive::read(&bytes) else { continue };
        usable += 1;
        let api = &archive.definition;
        let three = of_api(api, &schemas, "");
        let mut two = merge::empty("all", "1");
        merge::add(&mut two, &api.name, swagger_of_api(api, &schemas));
        let _ = swagger::from(&three);
        let mut all = json!({ "openapi": "3.1.0", "tags": [], "paths": {}, "components": { "schemas": { "s": {} } } });
        merge::add_group(&mut all, &api.name, three, "API", "about", &["role"]);
        let path = [("a", Cow::Borrowed("1"))];
        let body = Bytes::from_static(br#"{"n":[{"x":1}],"y":2,"y":3}"#);
        let nothing = Bytes::new();
        let surroundings = Surroundings {
            path: &path,
            query: &[],
            header: &|_| None,
            nothing: &nothing,
            body: &body,
            now: Timestamp(0),
        };
        for operation in &api.operations {
            if let Ok(made) = operation.request.request(&surroundings, None) {
                serde_json::from_slice::<serde_json::Value>(&made).unwrap_or_else(|error| panic!("{seed}: {error}"));
            }
            let _ = Response::answer(&operation.responses, &body, false, &surroundings);
        }
    }
    assert!(usable > rounds / 200, "QUAYMASTER_SEED={seed}: {usable} of {rounds} could be used");
}
