//! Sources of services, and the archives they become.

use std::collections::BTreeMap;
use std::path::Path;

use expect_test::expect;
use tempfile::TempDir;

use crate::archive::ServiceArchive;
use crate::build::{Built, build};
use crate::definition::Kind;
use crate::names::Names;

const REQUEST: &str =
    "       01 LOAN-REQUEST.\n          05 CUST-NAME PIC X(10).\n          05 LOAN-AMOUNT PIC 9(7).\n";
const REPLY: &str = "       01 LOAN-REPLY.\n          COPY PERSON.\n          05 APPROVED PIC X.\n";
const PERSON: &str = "          05 CUST-NAME PIC X(10).\n";
const YAML: &str = "name: loanService\nversion: 1.0\ndescription: Two-way loan check\ndestination: LOAN.REQUEST\n\
    replyDestination: LOAN.REPLY\nwaitInterval: 10000\nrequestStructure: LOANREQ.cpy\nresponseStructure: LOANREP.cpy\n";

#[expect(clippy::disallowed_methods, reason = "temporary files of a test")]
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    folder
}

fn source(yaml: &str) -> TempDir {
    folder(&[("service.yaml", yaml), ("LOANREQ.cpy", REQUEST), ("LOANREP.cpy", REPLY), ("person.cpy", PERSON)])
}

fn service(source: &Path) -> Result<ServiceArchive, String> {
    match build(source).map_err(|error| error.to_string())? {
        Built::Service(archive) => Ok(archive),
        Built::Api(_) => panic!("an API"),
    }
}

/// Without the folder.
fn problem(yaml: &str) -> String {
    let source = source(yaml);
    let told = service(source.path()).expect_err("refused");
    told.strip_prefix(&format!("{}/", source.path().display())).expect("the file comes first").to_owned()
}

#[test]
fn a_directory_becomes_an_archive_with_manifest_schemas_and_copybooks() {
    let source = source(YAML);
    let built = service(source.path()).expect("built");
    let archive = ServiceArchive::read(&built.write().expect("written")).expect("read");
    assert_eq!(archive, built);
    let entries: Vec<&str> = archive.entries().collect();
    expect![[r#"
        [
            "files/LOANREP.cpy",
            "files/LOANREQ.cpy",
            "files/copy/PERSON",
            "manifest.yml",
            "schemas/loanServiceRequest.json",
            "schemas/loanServiceResponse.json",
        ]
    "#]]
    .assert_debug_eq(&entries);
    expect![[r#"
        ---
        "Manifest-Version": "1.0"
        "name": "loanService"
        "provider": "mq"
        "factoryPid": "mq"
        "requestSchema":
          "value": "file:///schemas/loanServiceRequest.json"
          "type": "JSONSchema"
        "responseSchema":
          "value": "file:///schemas/loanServiceResponse.json"
          "type": "JSONSchema"
        "providerProperties":
          -
            "propertyName": "destination"
            "value": "LOAN.REQUEST"
            "type": "STRING"
          -
            "propertyName": "replyDestination"
            "value": "LOAN.REPLY"
            "type": "STRING"
          -
            "propertyName": "waitInterval"
            "value": "10000"
            "type": "STRING"
          -
            "propertyName": "requestStructure"
            "value": "files/LOANREQ.cpy"
            "type": "FILE"
          -
            "propertyName": "responseStructure"
            "value": "files/LOANREP.cpy"
            "type": "FILE"
        "providerObjects": []
        "version": "1.0"
        "description": "Two-way loan check"
    "#]]
    .assert_eq(&archive.manifest.to_yaml());
}

#[test]
fn the_service_of_an_archive_converts_by_its_copybooks() {
    let archive = service(source(YAML).path()).expect("built");
    let content = archive.content(&Names::default(), &BTreeMap::new()).expect("a service");
    assert!(content.service.provider.kind.is_two_way());
    let transformation = content.service.transformation.expect("converts");
    let mut record = Vec::new();
    let request = transformation.request.expect("a request");
    request.encode(br#"{"cust_name":"ADA","loan_amount":17}"#, &mut record).expect("encoded");
    assert_eq!(record, b"\xC1\xC4\xC1\x40\x40\x40\x40\x40\x40\x40\xF0\xF0\xF0\xF0\xF0\xF1\xF7");
    let mut json = Vec::new();
    let response = transformation.response.expect("a response");
    response.decode(b"\xC1\xC4\xC1\x40\x40\x40\x40\x40\x40\x40\xE3", &mut json).expect("decoded");
    assert_eq!(json, br#"{"cust_name":"ADA","approved":"T"}"#);
    let schema = content.request_schema.expect("a schema");
    assert_eq!(schema["properties"]["loan_amount"]["maximum"], 9_999_999);
}

#[test]
fn an_operation_name_wraps_both_directions_and_their_schemas() {
    let archive = service(source(&format!("{YAML}operationName: checkLoan\n")).path()).expect("built");
    let content = archive.content(&Names::default(), &BTreeMap::new()).expect("a service");
    let (request, response) = (content.request_schema.expect("one"), content.response_schema.expect("one"));
    assert_eq!(request["properties"]["checkLoan"]["properties"]["cust_name"]["type"], "string");
    assert_eq!(response["properties"]["checkLoanResponse"]["properties"]["approved"]["type"], "string");
    assert!(request["$schema"].is_string() && request["properties"]["checkLoan"]["$schema"].is_null());
    let mut record = Vec::new();
    let structure = content.service.transformation.and_then(|it| it.request).expect("a request");
    structure.encode(br#"{"checkLoan":{"loan_amount":1}}"#, &mut record).expect("encoded");
    assert!(structure.encode(br#"{"loan_amount":1}"#, &mut record).is_err());
}

#[test]
fn a_properties_file_builds_the_same_archive() {
    let properties = "provider=mq\nname=loanService\nversion=1.0\ndescription=Two-way loan check\n\
        destination=LOAN.REQUEST\nreplyDestination=LOAN.REPLY\nwaitInterval=10000 \nrequestStructure=LOANREQ.cpy\n\
        responseStructure=LOANREP.cpy\n";
    let folder = folder(&[
        ("loan.properties", properties),
        ("LOANREQ.cpy", REQUEST),
        ("LOANREP.cpy", REPLY),
        ("PERSON.CPY", PERSON),
    ]);
    let built = service(&folder.path().join("loan.properties")).expect("built");
    let mut expected = service(source(YAML).path()).expect("built").manifest;
    expected.properties.sort_by(|one, other| one.name.cmp(&other.name));
    assert_eq!(built.manifest, expected);
}

#[test]
fn an_alternative_may_be_one_of_the_request_or_of_the_reply() {
    let alternative = |text: &str, item: &str| format!("{text}          05 SECOND-{item} REDEFINES {item} PIC X(7).\n");
    let files = |names: &str| {
        folder(&[
            ("service.yaml", &format!("{YAML}use: {names}\n")),
            ("LOANREQ.cpy", &alternative(REQUEST, "LOAN-AMOUNT")),
            (
                "LOANREP.cpy",
                &REPLY.replace(
                    "05 APPROVED PIC X.",
                    "05 APPROVED PIC X(7).\n          05 SECOND-APPROVED REDEFINES APPROVED PIC 9(7).",
                ),
            ),
            ("person.cpy", PERSON),
        ])
    };
    let archive = service(files("SECOND-LOAN-AMOUNT, SECOND-APPROVED").path()).expect("built");
    let content = archive.content(&Names::default(), &BTreeMap::new()).expect("a service");
    let (request, response) = (content.request_schema.expect("one"), content.response_schema.expect("one"));
    assert_eq!(request["properties"]["second_loan_amount"]["type"], "string");
    assert_eq!(response["properties"]["second_approved"]["type"], "integer");
    let neither = service(files("SECOND-APPROVED, SECOND").path()).expect_err("refused");
    assert!(neither.ends_with("service.yaml: line 9, use: 'SECOND' names no alternative of a REDEFINES"), "{neither}");
}

#[test]
fn records_of_gnucobol_on_a_pc_have_both_byte_orders() {
    let yaml = "name: a\ndestination: Q\nrequestStructure: R.cpy\nccsid: 819\nbyteOrder: little\ncompByteOrder: big\n\
        float: ieee\nsync: natural\nasciiSign: letters\ndecimalComma: true\n";
    let copybook = "       01 R.\n          05 A PIC 9(4) COMP.\n          05 B PIC 9(4) COMP-5.\n          05 C COMP-2.\n\
        \x20         05 D PIC S9(2).\n          05 E PIC 9,9.\n";
    let archive = service(folder(&[("service.yaml", yaml), ("R.cpy", copybook)]).path()).expect("built");
    let content = archive.content(&Names::default(), &BTreeMap::new()).expect("a service");
    let mut record = Vec::new();
    let request = content.service.transformation.and_then(|it| it.request).expect("a request");
    request.encode(br#"{"a":1,"b":1,"c":1.5,"d":-12,"e":2.5}"#, &mut record).expect("encoded");
    assert_eq!(record, b"\x00\x01\x01\x00\0\0\0\0\0\0\xF8\x3F1K2,5");
}

#[test]
fn a_compiler_sets_all_at_once_and_what_is_stated_beside_it_counts() {
    let copybook = "       01 R.\n          05 N PIC 9(2) COMP.\n          05 B PIC 9(4) COMP.\n          05 C PIC 9(4) COMP-5.\n\
        \x20         05 F COMP-2.\n          05 T PIC X(2).\n";
    let record = |settings: &str| {
        let yaml = format!("name: a\ndestination: Q\nrequestStructure: R.cpy\n{settings}");
        let archive = service(folder(&[("service.yaml", &yaml), ("R.cpy", copybook)]).path()).expect("built");
        let content = archive.content(&Names::default(), &BTreeMap::new()).expect("a service");
        let (ccsid, text_ccsid) = (content.service.provider.ccsid.0, content.service.provider.receive_text_ccsid);
        let request = content.service.transformation.and_then(|it| it.request).expect("a request");
        let mut record = Vec::new();
        request.encode(br#"{"n":1,"b":1,"c":1,"f":1.5,"t":"ab"}"#, &mut record).expect("encoded");
        (record, ccsid, text_ccsid)
    };
    let float = b"\0\0\0\0\0\0\xF8\x3Fab";
    let of_pc = |head: &[u8]| ([head, float].concat(), 819, 819);
    assert_eq!(record("compiler: gnucobol\n"), of_pc(b"\x01\x00\x01\x01\x00"));
    assert_eq!(record("compiler: gnucobol-ibm\n"), of_pc(b"\x00\x01\x00\x01\x01\x00"));
    let of_z_os = (b"\x00\x01\x00\x01\x00\x01\x41\x18\0\0\0\0\0\0\x81\x82".to_vec(), 37, 37);
    assert_eq!(record("compiler: enterprise\n"), of_z_os);
    assert_eq!(record(""), of_z_os);
    let stated = record("compiler: gnucobol\nccsid: 1047\nbyteBinary: false\nreceiveTextCCSID: 1252\n");
    assert_eq!(
        (&stated.0[..2], &stated.0[stated.0.len() - 2..], stated.1, stated.2),
        (&b"\0\x01"[..], &b"\x81\x82"[..], 1047, 1252)
    );
    expect!["service.yaml: line 4, compiler: 'cobc' is not valid, expected one of enterprise, gnucobol, gnucobol-ibm"]
        .assert_eq(&problem("name: a\ndestination: Q\nrequestStructure: R.cpy\ncompiler: cobc\n"));
}

#[test]
fn each_direction_has_its_own_names_omitted_items_defaults_and_alternatives() {
    let copybook = "       01 R.\n          05 CUST-NAME PIC X(3).\n          05 INNER PIC X(2).\n          05 BODY PIC X(2).\n\
        \x20         05 NUMBERS REDEFINES BODY PIC 9(2).\n          05 COUNTRY PIC X(2).\n";
    let yaml = "name: a\ndestination: Q\nreplyDestination: Q\nwaitInterval: 1\nrequestStructure: R.cpy\nresponseStructure: R.cpy\n\
        ccsid: 819\nrequestRename:\n  CUST-NAME: customer\nrequestOmit: [INNER]\nrequestDefault: { COUNTRY: GB, INNER: zz }\n\
        requestRedefines: NUMBERS\nresponseRename: CUST-NAME=who, COUNTRY=land\nresponseRedefines: all\n";
    let archive = service(folder(&[("service.yaml", yaml), ("R.cpy", copybook)]).path()).expect("built");
    let content = archive.content(&Names::default(), &BTreeMap::new()).expect("a service");
    let transformation = content.service.transformation.expect("records");
    let mut record = Vec::new();
    let request = transformation.request.expect("a request");
    request.encode(br#"{"customer":"ada","numbers":7}"#, &mut record).expect("encoded");
    assert_eq!(record, b"adazz07GB");
    let mut json = Vec::new();
    transformation.response.expect("a response").decode(b"adaxx12FR", &mut json).expect("decoded");
    assert_eq!(String::from_utf8_lossy(&json), r#"{"who":"ada","inner":"xx","body":"12","numbers":12,"land":"FR"}"#);
    let schema = content.request_schema.expect("a schema");
    let names: Vec<_> = schema["properties"].as_object().expect("members").keys().cloned().collect();
    assert_eq!(names, ["customer", "numbers", "country"]);
    let yaml = "name: a\ndestination: Q\nrequestStructure: R.cpy\nrequestOmit: NOWHERE\n";
    let refused = service(folder(&[("service.yaml", yaml), ("R.cpy", copybook)]).path()).expect_err("refused");
    assert!(refused.to_string().ends_with("R.cpy: there is no item 'NOWHERE'"), "{refused}");
}

#[test]
fn a_field_chooses_the_alternative_of_each_message() {
    let copybook = "       01 R.\n          05 KIND PIC X.\n          05 PERSON.\n             10 NAME PIC X(4).\n\
        \x20         05 FIRM REDEFINES PERSON.\n             10 FIRM-NUMBER PIC 9(4).\n";
    let yaml = |choices: &str| {
        format!(
            "name: a\ndestination: Q\nreplyDestination: Q\nwaitInterval: 1\nrequestStructure: R.cpy\nresponseStructure: R.cpy\n\
             ccsid: 819\nresponseChoiceField: KIND\n{choices}"
        )
    };
    let built = |text: &str| service(folder(&[("service.yaml", text), ("R.cpy", copybook)]).path());
    let archive = built(&yaml("responseChoices: { F: FIRM, \"*\": PERSON }\n")).expect("built");
    let content = archive.content(&Names::default(), &BTreeMap::new()).expect("a service");
    let transformation = content.service.transformation.expect("records");
    let response = transformation.response.expect("a response");
    let decoded = |record: &[u8]| {
        let mut json = Vec::new();
        response.decode(record, &mut json).expect("decoded");
        String::from_utf8(json).expect("UTF-8")
    };
    assert_eq!(decoded(b"F0042"), r#"{"kind":"F","firm":{"firm_number":42}}"#);
    assert_eq!(decoded(b"PAda "), r#"{"kind":"P","person":{"name":"Ada"}}"#);
    let members = |schema: Option<serde_json::Value>| -> Vec<String> {
        schema.expect("a schema")["properties"].as_object().expect("members").keys().cloned().collect()
    };
    assert_eq!(members(content.response_schema), ["kind", "firm", "person"]);
    assert_eq!(members(content.request_schema), ["kind", "person"]);
    let refused = |choices: &str| built(&yaml(choices)).expect_err("refused");
    assert!(refused("").ends_with("responseChoices: it is required beside responseChoiceField"), "{}", refused(""));
    let told = refused("responseChoices: { FF: FIRM }\n");
    assert!(told.contains("R.cpy: the alternatives cannot be chosen so: the item KIND cannot hold FF"), "{told}");
    let told = refused("responseChoices: { F: NOWHERE }\n");
    assert!(told.ends_with("'NOWHERE' names no alternative of a REDEFINES"), "{told}");
}

#[test]
fn names_of_jndi_pass_and_the_server_says_what_they_stand_for() {
    let yaml = "name: a\nconnectionFactory: jms/cf1\ndestination: jms/request-queue\nmessagingAction: mqput\n";
    let archive = service(source(yaml).path()).expect("built");
    assert!(archive.content(&Names::default(), &BTreeMap::new()).is_err(), "no queue has such a name");
    let mut names = Names::default();
    names.queues.insert("jms/request-queue".to_owned(), crate::names::Queue::Name("Q".to_owned()));
    let content = archive.content(&names, &BTreeMap::new()).expect("a service");
    assert_eq!(content.service.provider.kind, Kind::Put);
    let overrides = BTreeMap::from([("messagingAction".to_owned(), "mqget".to_owned())]);
    let content = archive.content(&names, &overrides).expect("a service");
    assert_eq!(content.service.provider.kind, Kind::Get);
}

#[test]
fn mistakes_are_told_by_file_line_and_property() {
    expect!["service.yaml: line 2, destinatoin: there is no such property, did you mean destination?"]
        .assert_eq(&problem("name: a\ndestinatoin: Q\n"));
    expect!["service.yaml: destination: it is required"].assert_eq(&problem("name: a\n"));
    expect!["service.yaml: line 6, waitInterval: it cannot be '10s': it is no whole number"]
        .assert_eq(&problem(&YAML.replace("10000", "10s")));
    expect!["service.yaml: line 9, messagingAction: it cannot be used with replyDestination"]
        .assert_eq(&problem(&format!("{YAML}messagingAction: mqput\n")));
    expect!["service.yaml: line 1, name: 'a/b' is not a valid service name: it has a character that is not allowed in names of files or URLs"]
        .assert_eq(&problem(&YAML.replace("loanService", "a/b")));
    expect!["service.yaml: the key name is missing"].assert_eq(&problem("destination: Q\n"));
    expect!["service.yaml: line 3, names: 'x' is not valid, expected one of assistant, cobol, underscore"]
        .assert_eq(&problem("name: a\ndestination: Q\nnames: x\n"));
    expect!["service.yaml: line 9, ccsid: the code page 'EBCDIC-X' is not supported"]
        .assert_eq(&problem(&format!("{YAML}ccsid: EBCDIC-X\n")));
    expect!["service.yaml: line 9, language: 'PLI' is not supported, expected COBOL"]
        .assert_eq(&problem(&format!("{YAML}language: PLI\n")));
    expect!["service.yaml: line 9, showCounters: 'maybe' is neither true nor false"]
        .assert_eq(&problem(&format!("{YAML}showCounters: maybe\n")));
    expect!["service.yaml: line 9, currency: it is one character that COBOL allows as CURRENCY SIGN"]
        .assert_eq(&problem(&format!("{YAML}currency: N\n")));
    expect!["service.yaml: line 9, use: expected a list of texts"]
        .assert_eq(&problem(&format!("{YAML}use:\n- a: b\n")));
    expect!["../LOANREQ.cpy: the file has to lie in the directory of the source"]
        .assert_eq(&problem("name: a\ndestination: Q\nrequestStructure: ../LOANREQ.cpy\n"));
    expect!["service.yaml: line 2: the key \"name\" is given twice"].assert_eq(&problem("name: a\nname: b\n"));
    expect!["service.yaml: line 2, provider: 'rest' is not supported, expected mq or cics"]
        .assert_eq(&problem("name: a\nprovider: rest\ndestination: Q\n"));
    let missing = problem("name: a\ndestination: Q\nrequestStructure: NONE.cpy\n");
    assert!(missing.starts_with("NONE.cpy: "), "{missing}");
}

#[test]
fn a_copybook_of_a_partitioned_data_set_is_read_in_its_code_page() {
    let mut member = Vec::new();
    for line in ["       01 R.", "          05 A PIC 9(3)."] {
        codepage::encode(1047, &format!("{line:<80}"), &mut member).expect("encoded");
    }
    let yaml = "name: a\ndestination: Q\nrequestStructure: R\nlanguageStructureCodePage: IBM-1047\n";
    let folder = folder(&[("service.yaml", yaml)]);
    #[expect(clippy::disallowed_methods, reason = "a temporary file of a test")]
    std::fs::write(folder.path().join("R"), member).expect("written");
    let archive = service(folder.path()).expect("built");
    let content = archive.content(&Names::default(), &BTreeMap::new()).expect("a service");
    assert_eq!(content.request_schema.expect("one")["properties"]["a"]["maximum"], 999);
}
