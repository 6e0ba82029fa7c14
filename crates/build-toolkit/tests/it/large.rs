//! A description of some megabytes: what it costs is measured by `make bench`, here it is shown to be built at all.

use std::fmt::Write as _;

use crate::building::built;

/// Definitions that refer to each other, and operations that use them.
fn description(operations: usize) -> String {
    let mut text =
        String::from(r#"{"swagger":"2.0","info":{"title":"Large","version":"1"},"basePath":"/large","paths":{"#);
    for index in 0..operations {
        let _ = write!(
            text,
            r##"{}"/items{index}/{{id}}":{{"post":{{"operationId":"post{index}","summary":"{}","parameters":[{{"name":"id","in":"path","required":true,"type":"string","maxLength":20}},{{"in":"body","name":"b","schema":{{"$ref":"#/definitions/D{index}"}}}}],"responses":{{"200":{{"description":"ok","schema":{{"$ref":"#/definitions/D{index}"}}}}}}}}}}"##,
            if index == 0 { "" } else { "," },
            "what it does ".repeat(20),
        );
    }
    text.push_str("},\"definitions\":{");
    for index in 0..operations {
        let _ = write!(
            text,
            r##"{}"D{index}":{{"type":"object","required":["name"],"properties":{{"##,
            if index == 0 { "" } else { "," }
        );
        for member in 0..12 {
            let _ = write!(
                text,
                r##""member_{member}":{{"type":"string","maxLength":{},"description":"the member number {member} of it"}},"##,
                member + 5
            );
        }
        let next = if index % 5 == 4 {
            String::new()
        } else {
            format!(r##","next":{{"$ref":"#/definitions/D{}"}}"##, (index + 1) % operations)
        };
        let _ = write!(text, r##""name":{{"type":"string"}},"count":{{"type":"integer"}}{next}}}}}"##);
    }
    text.push_str("}}");
    text
}

#[test]
fn hundreds_of_operations_with_definitions_in_chains_are_built() {
    let made = built("characterVarying=NO", "large.json", &description(300));
    let archive = made.archive.expect("an archive");
    assert_eq!(archive.operations.len(), 300);
    assert_eq!(made.members.len(), 900);
    // The first of a chain of five holds the other four.
    let structure = archive.operations[0].binding.request.as_ref().expect("a request");
    let mut depth = 0;
    let mut item = &structure.groups[1];
    while let Some(next) = item.items().iter().find(|one| one.json_name == "next") {
        item = next;
        depth += 1;
    }
    assert_eq!(depth, 4);
}
