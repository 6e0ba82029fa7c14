//! An API archive: its XML, its maps and its document; then a request through whatever mapping came of it.

#![no_main]

use std::borrow::Cow;

use bytes::Bytes;
use document::package::Package;
use libfuzzer_sys::fuzz_target;
use service::api::mapping::{Response, Surroundings};
use service::api::{self, Found};
use service::archive::ApiArchive;
use service::openapi;

const ENTRIES: [&str; 5] = ["package.xml", "api/m.xml", "api/request.map", "api/response.map", "api-docs/d.json"];

fuzz_target!(|data: &[u8]| {
    let mut parts = data.split(|byte| *byte == 0);
    let body = Bytes::copy_from_slice(parts.next().unwrap_or_default());
    let mut package = Package::default();
    for (name, content) in ENTRIES.iter().zip(parts) {
        package.insert(name, content.to_vec()).expect("a name of ours");
    }
    let Ok(bytes) = package.write() else { return };
    let Ok(archive) = ApiArchive::read(&bytes) else { return };
    let definition = &archive.definition;
    let schemas = |_: &str| (None, None);
    let three = openapi::of_api(definition, &schemas, "");
    let two = openapi::swagger_of_api(definition, &schemas);
    let mut all = openapi::merge::empty("all", "1");
    openapi::merge::add(&mut all, &definition.name, two);
    let _ = openapi::swagger::from(&three);
    openapi::merge::add_group(&mut all, &definition.name, three, "a tag", "about it", &["role"]);
    let query = api::query("a=1&b=x%20y&c").expect("a query that is well-formed");
    let header = |_: &str| Some("h");
    let path = [("a", Cow::Borrowed("1"))];
    let nothing = Bytes::new();
    for operation in &definition.operations {
        let surroundings = Surroundings {
            path: &path,
            query: &query,
            header: &header,
            nothing: &nothing,
            body: &body,
            now: Default::default(),
        };
        if let Ok(made) = operation.request.request(&surroundings, None)
            && !operation.request.statements.is_empty()
        {
            serde_json::from_slice::<serde_json::Value>(&made).expect("a mapping makes JSON");
        }
        let _ = Response::answer(&operation.responses, &body, false, &surroundings);
        let path = operation.path.to_string();
        assert!(!matches!(definition.find(operation.method, &path), Found::Nothing), "{path} matches itself");
    }
});
