use std::collections::BTreeMap;
use std::path::Path;

use bytes::Bytes;
use document::package::Package;
use expect_test::expect;
use model::timestamp::Timestamp;
use serde_json::Value;

use super::Interface;
use crate::api::Found;
use crate::api::mapping::{Response, Surroundings};
use crate::archive::conversion::{self, Conversion};
use crate::archive::{ApiArchive, ServiceArchive};
use crate::build::service::Folder;
use crate::build::{Built, build};
use crate::names::Names;

const REPOSITORY: &str = "cicsdev/cics-banking-sample-application-cbsa";
const COMMIT: &str = "46cbda52051d5cded017d72ad653df68b8ec1b60";
const SERVICES: &str = "src/zosconnect_artefacts/services";
const PROPERTIES: &str = "#made by a tool\nname=orders\nprovider=mq\nservicetype=mqTwoWay\nbidiConfigRef=\nccsid=37\n\
    trimOutputTrailingWhitespace=true\nrequestSIName=ORDER.si\nresponseSIName=ORDER.si\n\
    destination=ORDER.REQUEST\nreplyDestination=ORDER.REPLY\nwaitInterval=1000\n";
/// A gap before the price, an area of which the second description is used, and lines that are counted.
const ORDER: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<ns2:message xmlns:ns2="http://www.ibm.com/ims/Transaction" messageName="ORDER">
 <message id="1" name="ORDER">
  <segment id="1" name="COMMAREA" originalName="COMMAREA">
   <field name="Order" originalName="ORDER_REQUEST" included="Y" path="Order">
    <startPos>1</startPos><bytes>47</bytes><applicationDatatype datatype="STRUCT"/>
    <field name="LINE_COUNT" originalName="LINE_COUNT" included="N" path="Order.LINE_COUNT" dependedOn="true">
     <startPos>1</startPos><bytes>2</bytes>
     <marshaller isNativeInteger="N"/><applicationDatatype datatype="SHORT" precision="4"/>
    </field>
    <field name="customer" originalName="CUSTOMER" included="Y" path="Order.customer" codepageConversion="Y">
     <startPos>3</startPos><bytes>5</bytes><applicationDatatype datatype="CHAR"/>
    </field>
    <field name="SECRET" originalName="SECRET" included="N" path="Order.SECRET" defaultValue="S" isHex="false">
     <startPos>8</startPos><bytes>1</bytes><applicationDatatype datatype="CHAR"/>
    </field>
    <field name="total" originalName="VALUE" included="Y" path="Order.total">
     <startPos>11</startPos><bytes>3</bytes>
     <marshaller isSigned="Y"><typeConverter>PACKEDDECIMAL</typeConverter></marshaller>
     <applicationDatatype datatype="DECIMAL" precision="5" scale="2"/>
    </field>
    <field name="DAY" originalName="DAY" included="N" path="Order.DAY">
     <startPos>14</startPos><bytes>4</bytes><marshaller isSigned="N"><typeConverter>ZONEDDECIMAL</typeConverter></marshaller>
     <applicationDatatype datatype="DECIMAL" precision="4" scale="0"/>
    </field>
    <field name="date" originalName="DAY_GROUP" included="Y" path="Order.date" redefines="DAY">
     <startPos>14</startPos><bytes>4</bytes><applicationDatatype datatype="STRUCT"/>
     <field name="day" originalName="DAY" included="Y" path="Order.date.day">
      <startPos>14</startPos><bytes>2</bytes><marshaller isSigned="N"><typeConverter>ZONEDDECIMAL</typeConverter></marshaller>
      <applicationDatatype datatype="DECIMAL" precision="2" scale="0"/>
     </field>
     <field name="month" originalName="MONTH" included="Y" path="Order.date.month">
      <startPos>16</startPos><bytes>2</bytes><marshaller isSigned="N"><typeConverter>ZONEDDECIMAL</typeConverter></marshaller>
      <applicationDatatype datatype="DECIMAL" precision="2" scale="0"/>
     </field>
    </field>
    <field name="lines" originalName="LINES" included="Y" path="Order.lines" dependsOn="LINE_COUNT"
      dependsOnPath="Order.LINE_COUNT" minOccurs="1" maxOccurs="3">
     <startPos>18</startPos><bytes>30</bytes><applicationDatatype datatype="ARRAY"/>
     <field name="article" originalName="ARTICLE" included="Y" path="Order.lines.article">
      <bytes>6</bytes><marshaller encoding="UTF-16BE"/><applicationDatatype datatype="CHAR"/>
     </field>
     <field name="pieces" originalName="PIECES" included="Y" path="Order.lines.pieces">
      <bytes>4</bytes><marshaller isNativeInteger="Y"/><applicationDatatype datatype="UINT"/>
     </field>
    </field>
   </field>
  </segment>
 </message>
</ns2:message>
"#;

const JSON: &str = r#"{"Order":{"customer":"ADA","total":-1.25,"date":{"day":7,"month":12},"lines":[{"article":"X1","pieces":2},{"article":"YYY","pieces":70000}]}}"#;
/// The count, ADA, the hidden item's initial value, the gap, the total, the date, and two lines.
const RECORD: &[u8] = b"\x00\x02\xC1\xC4\xC1\x40\x40\xE2\x40\x40\x00\x12\x5D\xF0\xF7\xF1\xF2\
    \x00X\x001\x00 \x00\x00\x00\x02\x00Y\x00Y\x00Y\x00\x01\x11\x70";

#[expect(clippy::disallowed_methods, reason = "temporary files of a test")]
fn project(properties: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("service-interfaces")).expect("made");
    std::fs::write(folder.path().join("service-interfaces/ORDER.si"), ORDER).expect("written");
    std::fs::write(folder.path().join("service.properties"), properties).expect("written");
    folder
}

fn of_source(folder: &Path) -> Result<ServiceArchive, String> {
    match build(folder).map_err(|error| error.to_string())? {
        Built::Service(archive) => Ok(archive),
        Built::Api(_) => panic!("an API"),
    }
}

/// Both ways.
fn converts(archive: &ServiceArchive) {
    let content = archive.content(&Names::default(), &BTreeMap::new()).expect("a service");
    let transformation = content.service.transformation.expect("converts");
    let mut record = Vec::new();
    transformation.request.expect("a request").encode(JSON.as_bytes(), &mut record).expect("encoded");
    assert_eq!(record, RECORD);
    let mut json = Vec::new();
    transformation.response.expect("a response").decode(RECORD, &mut json).expect("decoded");
    assert_eq!(String::from_utf8(json).expect("text"), JSON);
}

#[test]
fn an_interface_becomes_a_copybook_with_gaps_and_unique_names() {
    let interface = Interface::read(ORDER.as_bytes()).expect("read");
    expect![[r#"
        01 ORDER-REQUEST.
         02 LINE-COUNT PIC S9(4) COMP.
         02 CUSTOMER PIC X(5).
         02 SECRET PIC X(1).
         02 FILLER PIC X(2).
         02 VALUE-2 PIC S9(3)V9(2) COMP-3.
         02 DAY PIC 9(4).
         02 DAY-GROUP REDEFINES DAY.
          03 DAY-2 PIC 9(2).
          03 MONTH PIC 9(2).
         02 LINES OCCURS 1 TO 3 TIMES DEPENDING ON LINE-COUNT.
          03 ARTICLE PIC N(3) USAGE NATIONAL.
          03 PIECES PIC 9(9) COMP-5.
    "#]]
    .assert_eq(&interface.copybook);
}

#[test]
fn a_project_of_the_api_toolkit_becomes_a_service() {
    let archive = of_source(project(PROPERTIES).path()).expect("built");
    let archive = ServiceArchive::read(&archive.write().expect("written")).expect("read");
    let entries: Vec<&str> = archive.entries().collect();
    assert!(entries.contains(&"files/ORDER.si"), "{entries:?}");
    converts(&archive);
    let content = archive.content(&Names::default(), &BTreeMap::new()).expect("a service");
    let schema = content.request_schema.expect("a schema");
    let members = schema["properties"]["Order"]["properties"].as_object().expect("members");
    assert_eq!(members.keys().collect::<Vec<_>>(), ["customer", "total", "date", "lines"]);
}

#[test]
fn what_a_project_says_that_is_not_done_is_named() {
    for (property, problem) in [
        ("trimOutputLeadingWhitespace=true", "trimOutputLeadingWhitespace: 'true' is not supported"),
        ("executableName=PROG", "executableName: there is no such property"),
        ("provider=rest", "provider: 'rest' is not supported, expected mq or cics"),
    ] {
        let told = of_source(project(&format!("{PROPERTIES}{property}\n")).path()).expect_err("refused");
        assert!(told.ends_with(problem), "{told}");
    }
}

#[test]
fn an_archive_of_the_api_toolkit_is_deployed_as_it_is() {
    let manifest = "Manifest-Version: 1.0\nname: orders\nprovider: mq\nproviderProperties:\n";
    let mut manifest = manifest.to_owned();
    for (name, value) in [
        ("dataXformType", "WALKER_VISITOR"),
        ("wvServiceFile", r"files/service\orders.xml"),
        ("wvRequestInterfaceFile", r"files/interfaces\ORDER.si"),
        ("wvResponseInterfaceFile", r"files/interfaces\ORDER.si"),
        ("destination", "ORDER.REQUEST"),
        ("replyDestination", "ORDER.REPLY"),
        ("waitInterval", "1000"),
    ] {
        manifest += &format!("- propertyName: '{name}'\n  value: '{value}'\n  type: 'STRING'\n");
    }
    let archive = |code_page: &str| {
        let mut package = Package::default();
        let service = format!("<service><serviceName>orders</serviceName><ccsid>{code_page}</ccsid></service>");
        for (name, text) in [
            ("manifest.yml", manifest.as_str()),
            ("files/interfaces/ORDER.si", ORDER),
            ("files/service/orders.xml", &service),
        ] {
            package.insert(name, Bytes::copy_from_slice(text.as_bytes())).expect("inserted");
        }
        ServiceArchive::read(&package.write().expect("written")).expect("read")
    };
    converts(&archive("IBM037"));
    let Err(problem) = archive("IBM9999").content(&Names::default(), &BTreeMap::new()) else { panic!("converted") };
    assert_eq!(problem.to_string(), "ccsid: the code page 'IBM9999' is not supported");
}

#[test]
fn what_no_copybook_can_describe_is_refused_by_the_name_of_its_field() {
    for (from, to, problem) in [
        (
            r#"encoding="UTF-16BE""#,
            r#"encoding="UTF-8""#,
            "the field article: the encoding UTF-8 is not supported for 6 bytes",
        ),
        (r#"datatype="UINT""#, r#"datatype="XML""#, "the field pieces: its type 'XML' is not supported for 4 bytes"),
        ("<startPos>8<", "<startPos>7<", "the field SECRET: it lies over the field before it, and redefines none"),
        ("<bytes>30<", "<bytes>31<", "the field lines: 31 bytes do not hold 3 elements"),
        ("<bytes>30<", "<bytes>33<", "the field lines: its fields have 10 of its 11 bytes, and no positions"),
        (
            r#"isHex="false""#,
            r#"isHex="true""#,
            "the field SECRET: its initial value X'S' is given in bytes, which is not supported",
        ),
        (r#"dependsOn="LINE_COUNT""#, "", "the field lines: nothing says how many of 1 to 3 elements there are"),
        (r#"redefines="DAY""#, r#"redefines="CUSTOMER""#, "the field date: other fields stand between CUSTOMER and it"),
        ("<segment", "<segments", "the XML is damaged"),
    ] {
        assert!(ORDER.contains(from), "{from}");
        let told = Interface::read(ORDER.replacen(from, to, 1).as_bytes()).err().unwrap_or_default();
        assert!(told.starts_with(problem), "{told}");
    }
}

#[test]
fn a_length_that_is_not_that_of_its_type_is_an_error() {
    let text = ORDER.replacen(r#"precision="5" scale="2""#, r#"precision="7" scale="2""#, 1);
    let folder = project(PROPERTIES);
    #[expect(clippy::disallowed_methods, reason = "temporary files of a test")]
    std::fs::write(folder.path().join("service-interfaces/ORDER.si"), text).expect("written");
    let told = of_source(folder.path()).expect_err("refused");
    let problem = "the field VALUE-2 would have 4 bytes at position 11, which is not what the interface says";
    assert!(told.ends_with(problem), "{told}");
}

#[test]
fn a_program_of_cics_is_reached_by_the_queues_of_its_name() {
    let properties: String = PROPERTIES
        .lines()
        .filter(|line| !["destination", "replyDestination", "waitInterval"].iter().any(|name| line.starts_with(name)))
        .map(|line| format!("{}\n", line.replace("provider=mq", "provider=cics\nexecutableName=ORDPROG\ntransid=")))
        .collect();
    let archive = of_source(project(&properties).path()).expect("built");
    converts(&archive);
    let all = ["provider", "destination", "replyDestination", "waitInterval"];
    let set = all.map(|name| archive.manifest.property(name).unwrap_or(&archive.manifest.provider));
    assert_eq!(set, ["mq", "ORDPROG", "ORDPROG.REPLY", "10000"]);
    let told = of_source(project(&properties.replace("=ORDPROG", "=")).path()).expect_err("refused");
    assert!(told.contains("destination: it is required"), "{told}");
    // A channel's only container is a level of JSON.
    let channel = ORDER.replacen("messageName", "serviceType=\"CICS_CHANNEL\" messageName", 1);
    let wrapper = Interface::read(channel.as_bytes()).expect("read").wrapper;
    assert_eq!(wrapper, ["COMMAREA", "Order"]);
}

/// Archives that IBM's toolkit made of public CICS services, as they are, with the APIs before them.
#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn public_archives_of_cics_services_are_deployed_as_they_are() {
    const CLAIMS: (&str, &str) =
        ("zosconnect/zosconnect-sample-cobol-apirequester", "d4fa75e7c57a99b84efabf1b35d2eb5dc8724485");
    let (bank, claims) = ("etc/install/springBootUI", "artifacts");
    let files = [
        public_files::of_github(REPOSITORY, COMMIT, &[bank]).join(bank),
        public_files::of_github(CLAIMS.0, CLAIMS.1, &[claims]).join(claims),
    ];
    let folders = [files[0].join("sarfiles"), files[0].join("aarfiles"), files[1].clone()];
    let (mut services, mut apis) = (BTreeMap::new(), Vec::new());
    for path in folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder")) {
        let path = path.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("a file");
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("sar") => {
                let archive = ServiceArchive::read(&bytes).unwrap_or_else(|error| panic!("{path:?}: {error}"));
                let content = archive.content(&Names::default(), &BTreeMap::new());
                let content = content.unwrap_or_else(|error| panic!("{path:?}: {error}"));
                services.insert(archive.manifest.name, content);
            }
            Some("aar") => {
                apis.push(ApiArchive::read(&bytes).unwrap_or_else(|error| panic!("{path:?}: {error}")).definition);
            }
            _ => {}
        }
    }
    assert_eq!((services.len(), apis.len()), (11, 11));
    for api in &apis {
        for operation in &api.operations {
            assert!(services.contains_key(&operation.service), "{} {}", api.name, operation.operation_id);
        }
    }
    // An enquiry, and a claim through a container, from the request of the API to the bytes of the program and back.
    let queues = |name: &str| ["destination", "replyDestination"].map(|queue| services[name].properties[queue].clone());
    assert_eq!(queues("CSaccenq"), ["INQACC", "INQACC.REPLY"]);
    assert_eq!(queues("CICSClaimsService"), ["CLAIMCI0", "CLAIMCI0.REPLY"]);
    // The program answers with what it got, or with the bytes of another JSON.
    let called = |method: &str, path: &str, query: &[(&str, &str)], body: &str, reply: Option<&str>| {
        let api = apis.iter().find(|api| path.starts_with(&format!("{}/", api.base_path))).expect("an API");
        let Found::Operation(operation, values) = api.find(method, &path[api.base_path.len()..]) else {
            panic!("{method} {path}")
        };
        let service = &services[&operation.service];
        let query: Vec<_> = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let (nothing, body) = (service.service.empty_request(), Bytes::copy_from_slice(body.as_bytes()));
        let body = if body.is_empty() { nothing.clone() } else { body };
        let (now, header) = (Timestamp(0), |_: &str| None);
        let surroundings =
            Surroundings { path: &values, query: &query, header: &header, nothing: &nothing, body: &body, now };
        let json = operation.map_request(&surroundings, service.request_schema.as_ref()).expect("mapped");
        let transformation = service.service.transformation.as_ref().expect("converts");
        let response = transformation.response.as_ref().expect("a response");
        let mut record = Vec::new();
        transformation.request.as_ref().expect("a request").encode(&json, &mut record).expect("encoded");
        let mut answer = record.clone();
        if let Some(reply) = reply {
            answer.clear();
            response.encode(reply.as_bytes(), &mut answer).expect("encoded");
        }
        let mut json = Vec::new();
        response.decode(&answer, &mut json).expect("decoded");
        let answer = Response::answer(&operation.responses, &json.into(), false, &surroundings).expect("answered");
        let mut text = String::new();
        codepage::decode(37, &record, &mut text).expect("text");
        (text, answer.0, serde_json::from_slice::<Value>(&answer.1).expect("JSON"))
    };
    let (record, code, json) = called("GET", "/inqaccz/enquiry/12345678", &[], "", None);
    assert_eq!((code, &json["InqAcc"]["InqAccAccno"]), (200, &serde_json::json!(12_345_678)), "{json}");
    assert_eq!((record.len(), &record[20..28]), (103, "12345678"), "{record:?}");
    let reply = r#"{"CICSClaimsServiceOperationResponse":{"CLAIMCI0_CONT":{"RSP_CLAIM_CONTAINER":{"RSP_CLAIM_RECORD":{"ClaimID":"C0000007",
        "RSP_CLAIM_DETAILS":{"ClaimType":"DRUG","ClaimAmount":100.0,"ClaimStatus":"OKAY"}},"CICSResponseCode":0,
        "OutputMessage":"SUCCESS: CLAIM RECORD UPDATED FOR C0000007"}}}}"#;
    let query = [("claimID", "C0000007"), ("claimStatus", "OKAY")];
    let (record, code, json) = called("PUT", "/cics/health/claim/status", &query, "", Some(reply));
    assert_eq!((record.len(), &record[..8], &record[76..]), (81, "C0000007", "OKAYU"), "{record:?}");
    let answered = &json["CICSClaimsServiceOperationResponse"]["CLAIMCI0_CONT"]["RSP_CLAIM_CONTAINER"];
    assert_eq!((code, &answered["CICSResponseCode"]), (200, &serde_json::json!(0)), "{json}");
    assert_eq!(answered["RSP_CLAIM_RECORD"]["RSP_CLAIM_DETAILS"]["ClaimStatus"], "OKAY", "{json}");
}

/// Every interface of a public project, against the schemas that IBM's toolkit made of them.
#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn schemas_of_public_interfaces_are_those_of_the_api_toolkit() {
    let files = public_files::of_github(REPOSITORY, COMMIT, &[SERVICES]);
    let mut seen = 0;
    for project in std::fs::read_dir(files.join(SERVICES)).expect("projects") {
        let project = project.expect("an entry").path();
        let name = project.file_name().expect("a name").to_string_lossy().into_owned();
        let Ok(mut interfaces) = std::fs::read_dir(project.join("service-interfaces")) else { continue };
        let interface = interfaces.next().expect("an interface").expect("an entry").path();
        let interface = interface.strip_prefix(&project).expect("below").to_string_lossy().into_owned();
        let mut conversion = Conversion::default();
        for property in ["requestStructure", "responseStructure"] {
            conversion.set(conversion::find(property).expect("known"), &interface).expect("set");
        }
        let compiled = conversion.compile(&Folder(project.clone())).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (side, direction) in [("Request", compiled.request), ("Response", compiled.response)] {
            let file = project.join(format!("bin/schemas/{name}{side}.json"));
            let public: Value = serde_json::from_slice(&std::fs::read(file).expect("a schema")).expect("JSON");
            agree(&public, &direction.expect("a direction").schema, &format!("{name} {side}"));
            seen += 1;
        }
    }
    assert_eq!(seen, 20);
}

/// Same members with the same types and bounds.
pub(crate) fn agree(public: &Value, ours: &Value, place: &str) {
    assert_eq!(public["type"], ours["type"], "{place}");
    for bound in ["maxLength", "minimum", "maximum", "minItems", "maxItems"] {
        // A request may have fewer elements than a fixed table.
        let is_shorter = bound == "minItems" && ours[bound].is_null() && public[bound] == public["maxItems"];
        if let Some(number) = public[bound].as_f64().filter(|_| !is_shorter) {
            assert_eq!(ours[bound].as_f64(), Some(number), "{place} {bound}");
        }
    }
    let members = |schema: &Value| {
        schema["properties"].as_object().map(|members| members.keys().cloned().collect::<Vec<_>>()).unwrap_or_default()
    };
    assert_eq!(members(public), members(ours), "{place}");
    for member in members(public) {
        agree(&public["properties"][&member], &ours["properties"][&member], &format!("{place} {member}"));
    }
    if public["items"].is_object() {
        agree(&public["items"], &ours["items"], &format!("{place} elements"));
    }
}
