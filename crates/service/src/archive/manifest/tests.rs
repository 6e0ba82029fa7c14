//! Manifests of ours and of IBM's tools.

use super::{Manifest, Property, PropertyKind};

#[test]
fn a_manifest_of_the_toolkit_is_read() {
    let text = "---\n# a comment\nManifest-Version: 1.0\nname: \"enquiry\"\nprovider: \"CICS-1.0\"\nfactoryPid: \"cics\"\n\
        requestSchema:\n  value: \"file:///schemas/enquiryRequest.json\"\n  type: \"JSONSchema\"\n\
        providerProperties:\n- propertyName: \"program\"\n  value: \"ENQ\"\n  type: \"STRING\"\n\
        - propertyName: \"wvServiceFile\"\n  value: \"files/service\\\\enquiry.xml\"\n  type: \"FILE\"\n\
        - propertyName: \"omitOutputEmptyTags\"\n  value: \"false\"\n  type: \"BOOLEAN\"\n\
        providerObjects: []\nversion: \"1.0.0\"\ndescription: \"Finds an account\"\n";
    let manifest = Manifest::parse(text).expect("a manifest");
    assert_eq!((&*manifest.name, &*manifest.provider, &*manifest.version), ("enquiry", "CICS-1.0", "1.0.0"));
    assert_eq!(manifest.request_schema.as_deref(), Some("schemas/enquiryRequest.json"));
    assert_eq!(manifest.response_schema, None);
    assert_eq!(manifest.property("wvServiceFile"), Some("files/service/enquiry.xml"));
    assert_eq!(manifest.property("program"), Some("ENQ"));
    assert_eq!(manifest.property("other"), None);
}

#[test]
fn what_is_written_is_read_back() {
    let manifest = Manifest {
        name: "loan \"service\"".to_owned(),
        version: "1.0".to_owned(),
        description: "Zeilen\nund 'Zeichen': €".to_owned(),
        provider: "mq".to_owned(),
        request_schema: Some("schemas/a.json".to_owned()),
        response_schema: None,
        properties: vec![
            Property { name: "waitInterval".to_owned(), value: "010".to_owned(), kind: PropertyKind::String },
            Property { name: "requestStructure".to_owned(), value: "files/A.cpy".to_owned(), kind: PropertyKind::File },
            Property { name: "showCounters".to_owned(), value: "true".to_owned(), kind: PropertyKind::Boolean },
        ],
    };
    assert_eq!(Manifest::parse(&manifest.to_yaml()), Ok(manifest));
}

#[test]
fn what_is_missing_or_of_the_wrong_form_is_told() {
    let problem = |text: &str| Manifest::parse(text).expect_err("refused").to_string();
    assert_eq!(problem("provider: mq\n"), "manifest.yml: the key name is missing");
    assert_eq!(problem("name: a\n"), "manifest.yml: the key provider is missing");
    let start = "name: a\nprovider: mq\nproviderProperties:";
    assert_eq!(problem(&format!("{start} 1\n")), "manifest.yml: providerProperties is no list");
    assert_eq!(problem(&format!("{start}\n- value: x\n")), "manifest.yml: a property has no propertyName");
    assert_eq!(problem(&format!("{start}\n- propertyName: p\n  type: X\n")), "p: X is no type of a property");
    assert!(problem("name: [\n").starts_with("manifest.yml: line "));
    assert!(problem("- a\n").starts_with("manifest.yml: the key name"));
}
