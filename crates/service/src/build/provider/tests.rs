//! A project of provider 3.0 that adds and finds articles: its service and its API.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use bytes::Bytes;
use expect_test::expect;
use model::timestamp::Timestamp;
use serde_json::Value;

use super::{of_template, with_variables};
use crate::api::Found;
use crate::api::mapping::{Response, Surroundings};
use crate::archive::interface::tests::agree;
use crate::archive::{ApiArchive, ServiceArchive};
use crate::build::{Built, build};
use crate::names::Names;

const DOCUMENT: &str = "openapi: 3.0.0\ninfo:\n  title: Article store\n  version: '2.0'\nservers:\n- url: /\npaths:\n\
    \x20 /store/articles:\n    post:\n      operationId: addArticle\n      summary: Adds an article\n      responses: {}\n\
    \x20 /store/articles/{code}:\n    get:\n      operationId: findArticle\n      responses: {}\n";
const GET_REQUEST: &str = "---\nversion: \"1.2\"\nmappings:\n- message:\n    mappings:\n    - ARTICLE_IN:\n        required: false\n\
    \x20       nullable: false\n        mappings:\n        - IN-COMMAND:\n            template: \"FIND\"\n        - IN-CODE:\n\
    \x20           template: \"{{$pathParameters.code}}\"\n";
const POST_REQUEST: &str = "mappings:\n- message:\n    mappings:\n    - ARTICLE_IN:\n        mappings:\n        - IN-COMMAND:\n\
    \x20           template: \"ADD\"\n        - IN-CODE:\n            template: \"{{$substring($body.code, 0, 2)}}-{{$body.number}}\"\n";
const FOUND: &str = "version: \"1.2\"\nmappings:\n- body:\n    mappings:\n    - article:\n        required: true\n\
    \x20       template: \"{{$zosAssetResponse.message.\\\"ARTICLE_OUT\\\".\\\"OUT-CODE\\\"}}\"\n";
const NOT_FOUND: &str = "mappings:\n- body:\n    mappings:\n    - why:\n        template: \"No {{$apiRequest.pathParameters.code}}. {{$error.message}}\"\n";
const CHOICES: &str = "version: 1\nresponse_200.yaml:\n\
    \x20 condition: \"$contains($zosAssetResponse.message.\\\"ARTICLE_OUT\\\".\\\"OUT-TEXT\\\", 'OK') = true\"\n\
    \x20 httpStatusCode: 200\nresponse_404.yaml:\n  condition: true\n  httpStatusCode: 404\n";

/// An interface of fields with their bytes; the first two are binary.
fn interface(record: &str, fields: &[(&str, usize)]) -> String {
    let length: usize = fields.iter().map(|(_, bytes)| bytes).sum();
    let mut text = format!(
        "<m:message xmlns:m=\"urn:x\"><message id=\"1\"><segment id=\"1\" name=\"S\"><field name=\"{record}\" originalName=\"{record}\" \
         included=\"Y\"><startPos>1</startPos><bytes>{length}</bytes><applicationDatatype datatype=\"STRUCT\"/>"
    );
    let mut at = 1;
    for (index, (name, bytes)) in fields.iter().enumerate() {
        let kind = if index < 2 {
            "<marshaller isNativeInteger=\"N\"/><applicationDatatype datatype=\"SHORT\" precision=\"3\"/>"
        } else {
            "<applicationDatatype datatype=\"CHAR\"/>"
        };
        let _ = write!(
            text,
            "<field name=\"{name}\" originalName=\"{name}\" included=\"Y\"><startPos>{at}</startPos><bytes>{bytes}</bytes>{kind}</field>"
        );
        at += bytes;
    }
    text + "</field></segment></message></m:message>"
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    #[expect(clippy::disallowed_methods, reason = "temporary files of a test")]
    std::fs::create_dir_all(path.parent().expect("a folder"))
        .and_then(|()| std::fs::write(&path, text))
        .unwrap_or_else(|error| panic!("{name}: {error}"));
}

/// Files of the project, below `src/main`, and others in place of them.
fn project(others: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let head = [("LL", 2), ("ZZ", 2), ("TRANCODE", 8)];
    let request = interface("ARTICLE_IN", &[&head[..], &[("IN-COMMAND", 4), ("IN-CODE", 5)]].concat());
    let response = interface("ARTICLE_OUT", &[&head[..2], &[("OUT-TEXT", 6), ("OUT-CODE", 5)]].concat());
    let asset = "version: 1.0\ntype: \"imsTransaction-1.0\"\ndescription: \"\"\nproviderProperties:\n  language: \"COBOL\"\n\
        \x20 transactionCode: \"ARTTRAN\"\n  connectionRef: \"imsConn\"\n";
    let operation = "---\nversion: 1\nzasset: \"articles\"\n";
    let (get, post) = ("operations/%2Fstore%2Farticles%2F%7Bcode%7D/get", "operations/%2Fstore%2Farticles/post");
    let mut files = vec![
        ("api/openapi.yaml".to_owned(), DOCUMENT),
        ("zosAssets/articles/zosAsset.yaml".to_owned(), asset),
        ("zosAssets/articles/providerFiles/request.dai".to_owned(), request.as_str()),
        ("zosAssets/articles/providerFiles/response.dai".to_owned(), response.as_str()),
    ];
    for (place, request) in [(get, GET_REQUEST), (post, POST_REQUEST)] {
        let all = [
            ("operation", operation),
            ("request", request),
            ("response_200", FOUND),
            ("response_404", NOT_FOUND),
            ("response_mapping", CHOICES),
        ];
        files.extend(all.map(|(name, text)| (format!("{place}/{name}.yaml"), text)));
    }
    for (name, text) in files.iter().map(|(name, text)| (name.as_str(), *text)).chain(others.iter().copied()) {
        write(&folder.path().join("src/main"), name, text);
    }
    folder
}

fn api(folder: &Path) -> Result<ApiArchive, String> {
    match build(folder).map_err(|error| error.to_string())? {
        Built::Api(archive) => Ok(archive),
        Built::Service(_) => panic!("a service"),
    }
}

fn service(folder: &Path) -> Result<ServiceArchive, String> {
    match build(&folder.join("src/main/zosAssets/articles")).map_err(|error| error.to_string())? {
        Built::Service(archive) => Ok(archive),
        Built::Api(_) => panic!("an API"),
    }
}

#[test]
fn requests_and_answers_of_a_project_go_to_the_record_of_its_asset_and_back() {
    let folder = project(&[]);
    let archive = service(folder.path()).expect("built");
    let archive = ServiceArchive::read(&archive.write().expect("written")).expect("read");
    assert_eq!(archive.manifest.name, "articles");
    let queues = ["destination", "replyDestination"].map(|name| archive.manifest.property(name));
    assert_eq!(queues, [Some("ARTTRAN"), Some("ARTTRAN.REPLY")]);
    let content = archive.content(&Names::default(), &BTreeMap::new()).expect("a service");
    let schema = content.request_schema.expect("a schema");
    let transformation = content.service.transformation.expect("converts");
    let (request, response) =
        (transformation.request.expect("a request"), transformation.response.expect("a response"));
    let api = api(folder.path()).expect("built");
    let api = ApiArchive::read(&api.write().expect("written")).expect("read").definition;
    assert_eq!((&*api.name, &*api.base_path, &*api.version), ("Article-store", "/store", "2.0"));
    let mut shown = String::new();
    for (method, path, body, reply) in [
        ("GET", "/articles/A%201", "", "OK    A 1  "),
        ("GET", "/articles/B", "", "NONE       "),
        ("POST", "/articles", r#"{"code":"XYZ","number":7}"#, "ADDOK XY-7 "),
    ] {
        let Found::Operation(operation, path) = api.find(method, path) else { panic!("{method} {path}") };
        let path: Vec<(&str, Cow<'_, str>)> = path;
        let (header, body) = (|_: &str| None, Bytes::copy_from_slice(body.as_bytes()));
        let surroundings = Surroundings {
            path: &path,
            query: &[],
            header: &header,
            nothing: &Bytes::new(),
            body: &body,
            now: Timestamp(0),
        };
        let json = operation.map_request(&surroundings, Some(&schema)).expect("mapped");
        let mut record = Vec::new();
        request.encode(&json, &mut record).expect("encoded");
        let text = |bytes: &[u8]| {
            let mut text = String::new();
            codepage::decode(37, bytes, &mut text).expect("text");
            text
        };
        let _ = write!(shown, "{} {:?} {:?}", operation.operation_id, &record[..4], text(&record[4..]));
        let mut record = vec![0, 15, 0, 0];
        codepage::encode(37, reply, &mut record).expect("encoded");
        let mut json = Vec::new();
        response.decode(&record, &mut json).expect("decoded");
        let answer = Response::answer(&operation.responses, &json.into(), false, &surroundings).expect("answered");
        let _ = writeln!(shown, " -> {} {}", answer.0, String::from_utf8_lossy(&answer.1));
    }
    expect![[r#"
        findArticle [0, 21, 0, 0] "ARTTRAN FINDA 1  " -> 200 {"article":"A 1"}
        findArticle [0, 21, 0, 0] "ARTTRAN FINDB    " -> 404 {"why":"No B. "}
        addArticle [0, 21, 0, 0] "ARTTRAN ADD XY-7 " -> 200 {"article":"XY-7"}
    "#]]
    .assert_eq(&shown);
    let document = api.document.expect("a document");
    assert_eq!(document["servers"][0]["url"], "/store");
    let paths: Vec<&String> = document["paths"].as_object().into_iter().flat_map(serde_json::Map::keys).collect();
    assert_eq!(paths, ["/articles", "/articles/{code}"]);
}

#[test]
fn what_a_project_says_that_is_not_read_is_named_with_its_file() {
    let get = "operations/%2Fstore%2Farticles%2F%7Bcode%7D/get";
    let request = format!("{get}/request.yaml");
    let choices = format!("{get}/response_mapping.yaml");
    let other = DOCUMENT.replace("/store/articles/{code}", "/stock/{code}");
    for (name, text, problem) in [
        (&*request, "mappings:\n- message:\n    existsIfEmpty: x\n", "existsIfEmpty is not supported"),
        (&*request, "mappings:\n- message:\n    template: \"{{$nothing(1)}}\"\n", "nothing"),
        (&*request, "mappings:\n- message:\n    template: a\n    expression: b\n", "cannot both be given"),
        (&*choices, "response_200.yaml:\n  condition: true\n", "httpStatusCode"),
        (&*choices, "response_200.yaml:\n  condition: false\n  httpStatusCode: 200\n", "no response is ever chosen"),
        ("operations/%2Fstock%2F%7Bcode%7D/get/operation.yaml", "zasset: a\n", "no first part in common"),
    ] {
        let told = api(project(&[(name, text), ("api/openapi.yaml", &other)]).path()).expect_err(problem);
        assert!(told.contains(problem), "{told}");
    }
    for (text, problem) in [
        ("type: cicsChannel-1.1\n", "'cicsChannel-1.1' is not supported, expected imsTransaction or cicsCommarea"),
        ("type: imsTransaction-1.0\nproviderProperties: {}\n", "transactionCode: it is required"),
        (
            "type: imsTransaction-1.0\nproviderProperties:\n  transactionCode: A\n  language: PLI\n",
            "'PLI' is not supported",
        ),
    ] {
        let told = service(project(&[("zosAssets/articles/zosAsset.yaml", text)]).path()).expect_err(problem);
        assert!(told.contains(problem), "{told}");
    }
}

#[test]
fn loops_of_a_project_make_an_object_for_each_element() {
    let body = "mappings:\n- body:\n    mappings:\n    - list:\n        foreach:\n          input: $zosAssetResponse.message.ARTICLE_OUT\n\
        \x20         mappings:\n          - code:\n              template: \"{{$item.'OUT-CODE'}}\"\n";
    let file = "operations/%2Fstore%2Farticles/post/response_200.yaml";
    let api = api(project(&[(file, body)]).path()).expect("built").definition;
    let Found::Operation(operation, _) = api.find("POST", "/articles") else { panic!("no operation") };
    let surroundings = Surroundings {
        path: &[],
        query: &[],
        header: &|_| None,
        nothing: &Bytes::new(),
        body: &Bytes::new(),
        now: Timestamp(0),
    };
    let answer = br#"{"message":{"ARTICLE_OUT":[{"OUT-CODE":"A","OUT-TEXT":"OK"},{"OUT-CODE":"B"}]}}"#;
    let mapped = operation.responses[0].mapping.clone();
    let only = [Response { when: None, code: 200, mapping: mapped }];
    let (_, made) = Response::answer(&only, &Bytes::from_static(answer), false, &surroundings).expect("answered");
    let made: Value = serde_json::from_slice(&made).expect("JSON");
    assert_eq!(made, serde_json::json!({ "list": [{ "code": "A" }, { "code": "B" }] }));
}

#[test]
fn templates_become_expressions_with_the_variables_of_requests() {
    for (template, expected) in [
        ("DELETE", "'DELETE'"),
        ("", "''"),
        ("{{$body.a}}", "$body.a"),
        ("it's {{a}}{{b}}.", r"'it\'s ' & (a) & (b) & '.'"),
        ("{{a", "'{{a'"),
    ] {
        assert_eq!(of_template(template, false), expected);
    }
    for (text, expected) in [
        ("$body.a & '$body' & \"\\\"$body\"", "$apiRequest.body.a & '$body' & \"\\\"$body\""),
        ("$bodyguard & $headers.`X-$body`", "$bodyguard & $apiRequest.headers.`X-$body`"),
        ("$contains($pathParameters.id, 'é$')", "$contains($apiRequest.pathParameters.id, 'é$')"),
    ] {
        assert_eq!(with_variables(text), expected);
    }
}

/// The phonebook of IVTNO, from its own unchanged files.
#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn the_public_phonebook_is_built_and_answers() {
    const COMMIT: &str = "77e5a0a2a8595ec5352ddf5fe1247afb7bb066a8";
    let files = public_files::of_github("zosconnect/sample-ims-api", COMMIT, &["finish/src/main"]).join("finish");
    let asset = files.join("src/main/zosAssets/phonebook");
    let Built::Service(service) = build(&asset).expect("built") else { panic!("an API") };
    let content = service.content(&Names::default(), &BTreeMap::new()).expect("a service");
    let schema = content.request_schema.expect("a schema");
    // Members and bounds are those of the schemas that IBM's tool made.
    let public = std::fs::read(asset.join("providerFiles/gen/requestSchema.json")).expect("a schema");
    let public: Value = serde_json::from_slice(&public).expect("JSON");
    let fields = |schema: &Value| -> Vec<(String, Value)> {
        let members = &schema["properties"]["message"]["properties"]["IVTNO_INPUT-MSG"]["properties"];
        let bounds = ["type", "maxLength", "minimum", "maximum"];
        let members = members.as_object().expect("members").iter();
        members.map(|(name, one)| (name.clone(), bounds.iter().map(|bound| one[*bound].clone()).collect())).collect()
    };
    assert_eq!(fields(&schema), fields(&public));
    let transformation = content.service.transformation.expect("converts");
    let (request, response) =
        (transformation.request.expect("a request"), transformation.response.expect("a response"));
    let api = api(&files).expect("built").definition;
    assert_eq!((&*api.base_path, api.operations.len()), ("/phonebook", 4));
    let contact = r#"{"firstName":"Ada","lastName":"LAST1","extension":"8-111-1111","zipCode":"D01/R01"}"#;
    let row = "LAST1     Ada       8-111-1111D01/R01";
    for (method, path, body, command, message, status, answer) in [
        ("GET", "/contacts/LAST1", "", "DISPLAY ", "ENTRY WAS DISPLAYED", 200, contact),
        ("POST", "/contacts", contact, "ADD     ", "ENTRY WAS ADDED", 201, contact),
        ("PUT", "/contacts/LAST1", contact, "UPDATE  ", "ENTRY WAS UPDATED", 200, contact),
        ("DELETE", "/contacts/LAST1", "", "DELETE  ", "ENTRY WAS DELETED", 200, contact),
        (
            "GET",
            "/contacts/LAST1",
            "",
            "DISPLAY ",
            "SPECIFIED PERSON WAS NOT FOUND",
            404,
            r#"{"message":"Contact with last name LAST1 was not found in phonebook."}"#,
        ),
        ("PUT", "/contacts/LAST1", contact, "UPDATE  ", "INVALID", 500, r#"{"message":"INVALID"}"#),
    ] {
        let Found::Operation(operation, path) = api.find(method, path) else { panic!("{method} {path}") };
        let body = Bytes::copy_from_slice(body.as_bytes());
        let surroundings = Surroundings {
            path: &path,
            query: &[],
            header: &|_| None,
            nothing: &Bytes::new(),
            body: &body,
            now: Timestamp(0),
        };
        let json = operation.map_request(&surroundings, Some(&schema)).expect("mapped");
        let mut record = Vec::new();
        request.encode(&json, &mut record).expect("encoded");
        let mut text = String::new();
        codepage::decode(37, &record[4..], &mut text).expect("text");
        assert_eq!((record.len(), &text[..28]), (59, &*format!("IVTNO     {command}LAST1     ")), "{method}");
        let mut reply = vec![0, 93, 0, 0];
        codepage::encode(37, &format!("{message:40}{command}{row}0001"), &mut reply).expect("encoded");
        let mut json = Vec::new();
        response.decode(&reply, &mut json).expect("decoded");
        let made = Response::answer(&operation.responses, &json.into(), false, &surroundings).expect("answered");
        let (expected, found): (Value, Value) =
            (serde_json::from_str(answer).expect("JSON"), serde_json::from_slice(&made.1).expect("JSON"));
        assert_eq!((made.0, found), (status, expected), "{method} {message}");
    }
}

/// Services of CICS COMMAREAs and IMS transactions, and the API before them, from the unchanged files of a public bank.
#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn the_public_bank_is_built_and_answers() {
    const COMMIT: &str = "b9c661415e9ab7648695fa9538cddc2f0ba0fe88";
    let project = public_files::of_github("IBM/Bank-of-Z", COMMIT, &["src/api/src/main"]).join("src/api");
    let assets = project.join("src/main/zosAssets");
    let mut services = BTreeMap::new();
    for entry in std::fs::read_dir(&assets).expect("assets") {
        let folder = entry.expect("an entry").path();
        if !folder.is_dir() {
            continue;
        }
        let Built::Service(archive) = build(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}")) else {
            panic!("an API")
        };
        let content = archive.content(&Names::default(), &BTreeMap::new()).expect("a service");
        let name = archive.manifest.name.clone();
        for (side, schema) in [("request", &content.request_schema), ("response", &content.response_schema)] {
            let public = std::fs::read(folder.join(format!("providerFiles/gen/{side}Schema.json"))).expect("a schema");
            let mut public: Value = serde_json::from_slice(&public).expect("JSON");
            // The provider of CICS tells an abend beside the area.
            public["properties"].as_object_mut().expect("members").shift_remove("abendCode");
            agree(&public, schema.as_ref().expect("a schema"), &format!("{name} {side}"));
        }
        services.insert(name, content);
    }
    assert_eq!(services.len(), 14);
    let api = api(&project).expect("built").definition;
    assert_eq!((&*api.base_path, api.operations.len()), ("/api", 17));
    let mut shown = String::new();
    let customer = r#"{"title":"Mrs","firstName":"Ada","lastName":"Byron","dateOfBirth":"1815-12-10","phoneNumber":"7",
        "address":{"addressLine1":"12 St James Square","city":"London","postalCode":"SW1","country":"UK"}}"#;
    for (method, path, query, body, reply) in [
        (
            "POST",
            "/customers",
            "",
            customer,
            r#"{"commarea":{"CRECUSTZ":{"COMM-SUCCESS":"Y","COMM-KEY":{"COMM-SORTCODE":987654,"COMM-NUMBER":7}}}}"#,
        ),
        (
            "GET",
            "/customers/7",
            "",
            "",
            r#"{"commarea":{"INQCUSTZ":{"INQCUST-INQ-SUCCESS":"Y","INQCUST-CUSTNO":7,"INQCUST-NAME":{"INQCUST-FIRST-NAME":"Ada","INQCUST-LAST-NAME":"Byron"}}}}"#,
        ),
        ("GET", "/customers/8", "", "", r#"{"commarea":{"INQCUSTZ":{"INQCUST-INQ-SUCCESS":"N"}}}"#),
        ("PUT", "/customers/7", "", customer, r#"{"commarea":{"UPDCUST":{"COMM-UPD-SUCCESS":"Y"}}}"#),
        ("DELETE", "/customers/7", "", "", r#"{"commarea":{"DELCUSZ":{"COMM-DEL-SUCCESS":"Y"}}}"#),
        (
            "GET",
            "/customers/7/accounts",
            "",
            "",
            r#"{"commarea":{"INQACCCZ":{"ACCOUNT-DETAILS":[{"COMM-ACCNO":12345678,"COMM-ACC-TYPE":"ISA"}]}}}"#,
        ),
        (
            "GET",
            "/accounts",
            "",
            "",
            r#"{"commarea":{"INQACCS":{"ACCOUNT-DETAILS":[{"COMM-ACCNO":12345678,"COMM-ACC-TYPE":"MORTGAGE"}]}}}"#,
        ),
        (
            "GET",
            "/accounts/12345678",
            "",
            "",
            r#"{"commarea":{"INQACC-COMMAREA":{"INQACC-ACCNO":12345678,"INQACC-ACC-TYPE":"ISA"}}}"#,
        ),
        (
            "GET",
            "/accounts/12345678/balances",
            "",
            "",
            r#"{"commarea":{"INQACC-COMMAREA":{"INQACC-AVAIL-BAL":-12.50}}}"#,
        ),
        (
            "POST",
            "/accounts/678/deposit",
            "",
            r#"{"amount":12.50,"sortCode":"987654"}"#,
            r#"{"commarea":{"PAYDBCRZ":{"COMM-SUCCESS":"Y","COMM-ACCNO":"00000678","COMM-AV-BAL":112.50,"COMM-ACT-BAL":112.50}}}"#,
        ),
        (
            "GET",
            "/accounts/987654-678/transactions",
            "limit=2",
            "",
            r#"{"commarea":{"INQTRANL-COMMAREA":{"INQTRANL-SUCCESS":"Y","INQTRANL-TOTAL-COUNT":2,"INQTRANL-TRANSACTIONS":[{"INQTRANL-TRAN-ID":"T1","INQTRANL-TRAN-SORTCODE":987654,"INQTRANL-TRAN-ACCNO":678,"INQTRANL-TRAN-AMOUNT":-5},{"INQTRANL-TRAN-ID":"T2"}]}}}"#,
        ),
        (
            "GET",
            "/accounts/987654-678/transactions/987654-678-20261127-120000-5",
            "",
            "",
            r#"{"commarea":{"INQTRAND-COMMAREA":{"INQTRAND-FOUND":"N"}}}"#,
        ),
        ("GET", "/ims/customers/7", "", "", r#"{"message":{"OUTPUT-AREA":{"CUSTID-OUT":"7","FIRSTNAME-OUT":"Ada"}}}"#),
        (
            "PUT",
            "/ims/customers/7",
            "",
            customer,
            r#"{"message":{"OUTPUT-AREA":{"MSG-OUT":"00000000000000000000000000000000"}}}"#,
        ),
        (
            "GET",
            "/ims/customers/7/accounts",
            "",
            "",
            r#"{"message":{"OUTPUT-AREA":{"ACCOUNT-SUMMARY":[{"ACCID-AS":9,"ACCTYPE-AS":"S","BALANCE-AS":1.5}]}}}"#,
        ),
        ("GET", "/ims/accounts/9", "", "", r#"{"message":{"OUTPUT-AREA":{"ACCOUNT-SUMMARY":[{"ACCID-AS":9}]}}}"#),
        (
            "GET",
            "/ims/accounts/9/balances",
            "",
            "",
            r#"{"message":{"OUTPUT-AREA":{"ACCOUNT-SUMMARY":[{"BALANCE-AS":1.5}]}}}"#,
        ),
        (
            "POST",
            "/ims/accounts/7/9/deposit",
            "",
            r#"{"amount":12.50}"#,
            r#"{"message":{"OUTPUT-AREA":{"MSG-OUT":"OK","ACCOUNT-SUMMARY":[{"ACCID-AS":9,"BALANCE-AS":14}]}}}"#,
        ),
    ] {
        let Found::Operation(operation, values) = api.find(method, path) else { panic!("{method} {path}") };
        let service = &services[&operation.service];
        let query: Vec<(String, String)> =
            query.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect();
        let (nothing, body) = (service.service.empty_request(), Bytes::copy_from_slice(body.as_bytes()));
        let (now, header) = (Timestamp(0), |_: &str| None);
        let surroundings =
            Surroundings { path: &values, query: &query, header: &header, nothing: &nothing, body: &body, now };
        let json = operation.map_request(&surroundings, service.request_schema.as_ref());
        let json = json.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        let transformation = service.service.transformation.as_ref().expect("converts");
        let response = transformation.response.as_ref().expect("a response");
        let mut record = Vec::new();
        let encoded = transformation.request.as_ref().expect("a request").encode(&json, &mut record);
        encoded.unwrap_or_else(|error| panic!("{method} {path}: {error}: {}", String::from_utf8_lossy(&json)));
        let mut answer = Vec::new();
        response.encode(reply.as_bytes(), &mut answer).unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        let mut json = Vec::new();
        response.decode(&answer, &mut json).unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        let (code, json) =
            Response::answer(&operation.responses, &json.into(), false, &surroundings).expect("answered");
        let mut text = String::new();
        codepage::decode(37, &record, &mut text).expect("text");
        let text: Vec<&str> =
            text.split(|one: char| one.is_whitespace() || one.is_control()).filter(|part| !part.is_empty()).collect();
        let _ = writeln!(
            shown,
            "{method} {path}: {} {} {:?}\n    {code} {}",
            operation.service,
            record.len(),
            text.join(" ").chars().take(90).collect::<String>(),
            String::from_utf8_lossy(&json)
        );
    }
    expect![[r#"
        POST /customers: CRECUST 403 "0000000000000000Mrs 101218157 12 St James Square London SW1 UK 0000000000000000000"
            201 {"customerId":"7","sortCode":"987654"}
        GET /customers/7: INQCUST 403 "0000000007 00000000 0000000000000000000"
            200 {"customerId":"7","title":"","firstName":"Ada","lastName":"Byron","dateOfBirth":"0-0-0","phoneNumber":"","address":{"addressLine1":"","addressLine2":"","city":"","postalCode":"","country":""},"customerStatus":"","createdDate":"0-0-0T00:00:00Z"}
        GET /customers/8: INQCUST 403 "0000000008 00000000 0000000000000000000"
            404 {"code":"NOT_FOUND","message":"Customer not found"}
        PUT /customers/7: UPDCUST 399 "7 Mrs Ada Byron 000000007 12 St James Square London SW1 UK 0000000000000000000"
            200 {"customerId":"","title":"","firstName":"","lastName":"","dateOfBirth":"0-0-0","phoneNumber":"","address":{"addressLine1":"","addressLine2":"","city":"","postalCode":"","country":""},"customerStatus":"","createdDate":"0-0-0T00:00:00Z"}
        DELETE /customers/7: DELCUS 399 "9876540000000007 00000000 0000000000000000000"
            204 
        GET /customers/7/accounts: INQACCCU 21 "0000000007"
            200 {"accounts":[{"accountId":"12345678","accountType":"ISA","currency":"GBP","accountNumber":"12345678","sortCode":"","status":"ACTIVE"}],"totalCount":1}
        GET /accounts: INQACCS 10 ""
            200 {"accounts":[{"accountId":"12345678","accountType":"LOAN","currency":"GBP","accountNumber":"12345678","sortCode":"","status":"ACTIVE","customerId":""}],"totalCount":1}
        GET /accounts/12345678: INQACC 103 "000000000000000012345678 0000000000000000000000000000000000000000000000000{00000000000{"
            200 {"accountId":"12345678","accountType":"SAVINGS","currency":"GBP","accountNumber":"12345678","sortCode":"0","status":"ACTIVE","openingDate":"0-0-0","customerId":"0"}
        GET /accounts/12345678/balances: INQACC 103 "000000000000000012345678 0000000000000000000000000000000000000000000000000{00000000000{"
            200 {"balanceType":"AVAILABLE","amount":-12.5,"currency":"GBP","creditDebitIndicator":"DEBIT","dateTime":"0-0-0T00:00:00Z"}
        POST /accounts/678/deposit: DBCRFUN 132 "0000067800000000125{98765400000000000{00000000000{ 0"
            201 {"accountId":"00000678","availableBalance":112.5,"actualBalance":112.5}
        GET /accounts/987654-678/transactions: INQTRANL 14551 "ITRL9876540000067820200101203012310020000000000000 000000000000000000000000000000000000000"
            200 {"transactions":[{"transactionId":"T1","accountId":"987654-678","amount":5,"currency":"GBP","creditDebitIndicator":"DEBIT","status":"BOOKED","bookingDateTime":"0-0-0","transactionInformation":""}],"totalCount":2,"limit":0,"offset":0}
        GET /accounts/987654-678/transactions/987654-678-20261127-120000-5: INQTRAND 191 "ITRD9876540000067820261127120000000000000005 0000000000000000000000000000000000000000 0000"
            404 {"code":"NOT_FOUND","message":"Transaction not found"}
        GET /ims/customers/7: IBGCUDAT 21 "IBGCUDAT7"
            200 {"customerId":"7","firstName":"Ada","lastName":"","phoneNumber":"","address":{"addressLine1":"","city":"","postalCode":""},"customerStatus":"ACTIVE"}
        PUT /ims/customers/7: IBSCUDAT 250 "³ IBSCUDAT Byron Ada 12 St James Square London SW1 7"
            200 {"customerId":"0","firstName":"","lastName":"","phoneNumber":"","address":{"addressLine1":"","addressLine2":"","city":"","postalCode":"","country":"USA"}}
        GET /ims/customers/7/accounts: IBACSUM 21 "IBACSUM 7"
            200 {"accounts":[{"accountId":"9","accountType":"CURRENT","currency":"USD","status":"ACTIVE","customerId":"7"}]}
        GET /ims/accounts/9: IBACSUM 21 "IBACSUM 9"
            200 {"accountId":"[9]","accountType":"CURRENT","currency":"USD","status":"ACTIVE"}
        GET /ims/accounts/9/balances: IBACSUM 21 "IBACSUM 9"
            200 {"balanceType":"AVAILABLE","amount":[1.5],"currency":"USD","dateTime":"1970-01-01T00:00:00.000Z"}
        POST /ims/accounts/7/9/deposit: IBTRAN 56 "IBTRAN 9 12.50 D7"
            201 {"accountId":"[9]","availableBalance":[14],"actualBalance":[14]}
    "#]].assert_eq(&shown);
}
