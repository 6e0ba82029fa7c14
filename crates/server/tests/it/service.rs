//! `service build|show` as whole commands.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use expect_test::{Expect, expect};

use crate::program::{Folder, Server};

const SERVICE: &str = "name: loan
version: 1.0
description: Decides on loans
destination: LOAN.REQUEST
replyDestination: LOAN.REPLY
waitInterval: 10000
userName: app
password: secret
requestStructure: LOANREQ.cpy
ccsid: 819
";
const COPYBOOK: &str = "       01  LOAN-REQUEST.
           05 CUSTOMER-NAME  PIC X(20).
           05 LOAN-AMOUNT    PIC 9(7)V99 COMP-3.
";
const API: &str = "name: loans
basePath: /loans
operations:
  - path: /of/{customer}
    method: POST
    service: loan
    request:
      set:
        customer_name: { path: customer }
";

/// A folder with sources, in which what differs from the good ones has been replaced.
fn sources(changes: &[(&str, &str, &str)]) -> Folder {
    let folder = Folder::new();
    for (name, text) in [("loan/service.yaml", SERVICE), ("loan/LOANREQ.cpy", COPYBOOK), ("api/api.yaml", API)] {
        let of_file = changes.iter().filter(|(file, ..)| *file == name);
        folder.write(name, &of_file.fold(text.to_owned(), |text, (_, old, new)| text.replace(old, new)));
    }
    folder
}

fn run(folder: &Folder, arguments: &[&str]) -> String {
    let arguments: Vec<String> =
        arguments.iter().map(|one| one.replace("DIR", &folder.path().display().to_string())).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    folder.run(&[&["service"], arguments.as_slice()].concat())
}

fn check(folder: &Folder, arguments: &[&str], expected: Expect) {
    expected.assert_eq(&run(folder, arguments));
}

/// What building the service says of a change.
fn refused(file: &str, old: &str, new: &str, expected: Expect) {
    let folder = sources(&[(file, old, new)]);
    check(&folder, &["build", "DIR/loan", "-o", "DIR"], expected);
    assert!(!folder.join("loan.sar").exists());
}

#[test]
fn a_source_becomes_an_archive_that_can_be_shown_without_its_password() {
    let folder = sources(&[]);
    let built = run(&folder, &["build", "DIR/loan", "-o", "DIR"]);
    let length = std::fs::metadata(folder.join("loan.sar")).expect("the archive").len();
    assert_eq!(built, format!("exit 0\nout: DIR/loan.sar: service loan, {length} bytes\n"));
    check(
        &folder,
        &["show", "DIR/loan.sar"],
        expect![[r#"
        exit 0
        out: "service": "loan"
        out: "version": "1.0"
        out: "description": "Decides on loans"
        out: "provider": "mq"
        out: "properties":
        out:   "destination": "LOAN.REQUEST"
        out:   "replyDestination": "LOAN.REPLY"
        out:   "waitInterval": "10000"
        out:   "userName": "app"
        out:   "password": "****"
        out:   "requestStructure": "files/LOANREQ.cpy"
        out:   "ccsid": "819"
        out: "entries":
        out:   - "files/LOANREQ.cpy"
        out:   - "manifest.yml"
        out:   - "schemas/loanRequest.json"
    "#]],
    );
    check(
        &folder,
        &["show", "--json", "DIR/loan.sar"],
        expect![[r#"
        exit 0
        out: {"service":"loan","version":"1.0","description":"Decides on loans","provider":"mq","properties":{"destination":"LOAN.REQUEST","replyDestination":"LOAN.REPLY","waitInterval":"10000","userName":"app","password":"****","requestStructure":"files/LOANREQ.cpy","ccsid":"819"},"entries":["files/LOANREQ.cpy","manifest.yml","schemas/loanRequest.json"]}
    "#]],
    );
    // The file, and a name of one's own.
    assert!(
        run(&folder, &["build", "DIR/loan/service.yaml", "--out", "DIR/a.SAR"]).starts_with("exit 0\nout: DIR/a.SAR:")
    );
    assert_eq!(
        std::fs::read(folder.join("a.SAR")).expect("an archive"),
        std::fs::read(folder.join("loan.sar")).expect("an archive"),
        "the same source makes the same bytes"
    );
}

#[test]
fn an_api_becomes_an_archive_that_can_be_shown() {
    let folder = sources(&[]);
    let built = run(&folder, &["build", "DIR/api", "-o", "DIR"]);
    assert!(built.starts_with("exit 0\nout: DIR/loans.aar: API loans, "), "{built}");
    check(
        &folder,
        &["show", "DIR/loans.aar"],
        expect![[r#"
        exit 0
        out: "api": "loans"
        out: "version": "1.0.0"
        out: "description": ""
        out: "basePath": "/loans"
        out: "operations":
        out:   -
        out:     "method": "POST"
        out:     "path": "/of/{customer}"
        out:     "service": "loan"
        out: "entries":
        out:   - "api/of/{customer}/POST/mapping.xml"
        out:   - "api/of/{customer}/POST/request.map"
        out:   - "api/of/{customer}/POST/response.map"
        out:   - "package.xml"
    "#]],
    );
}

#[test]
fn mistakes_are_told_by_file_line_and_property() {
    let yaml = "loan/service.yaml";
    refused(
        yaml,
        "waitInterval",
        "waitIntervall",
        expect![[r#"
        exit 1
        err: quaymaster: DIR/loan/service.yaml: line 6, waitIntervall: there is no such property, did you mean waitInterval?
    "#]],
    );
    refused(
        yaml,
        "10000",
        "ten",
        expect![[r#"
        exit 1
        err: quaymaster: DIR/loan/service.yaml: line 6, waitInterval: it cannot be 'ten': it is no whole number
    "#]],
    );
    refused(
        yaml,
        "destination: LOAN.REQUEST\n",
        "",
        expect![[r#"
        exit 1
        err: quaymaster: DIR/loan/service.yaml: destination: it is required
    "#]],
    );
    refused(
        yaml,
        "version: 1.0",
        "  version: 1.0",
        expect![[r#"
        exit 1
        err: quaymaster: DIR/loan/service.yaml: line 2: mapping values are not allowed in this context
    "#]],
    );
    refused(
        yaml,
        "LOANREQ.cpy",
        "NONE.cpy",
        expect![[r#"
        exit 1
        err: quaymaster: DIR/loan/NONE.cpy: No such file or directory (os error 2)
    "#]],
    );
    refused(
        yaml,
        "ccsid: 819",
        "ccsid: 819\nuse:\n- NOT-THERE",
        expect![[r#"
        exit 1
        err: quaymaster: DIR/loan/service.yaml: line 11, use: 'NOT-THERE' names no alternative of a REDEFINES
    "#]],
    );
    refused(
        "loan/LOANREQ.cpy",
        "X(20)",
        "X(2O)",
        expect![[r#"
        exit 1
        err: quaymaster: DIR/loan/LOANREQ.cpy: line 2, column 34, item CUSTOMER-NAME: PICTURE X(2O): a repetition count is not a usable number
    "#]],
    );
    let folder = sources(&[("api/api.yaml", "path: customer", "path: custom")]);
    check(
        &folder,
        &["build", "DIR/api", "-o", "DIR"],
        expect![[r#"
        exit 1
        err: quaymaster: DIR/api/api.yaml: line 8, operations[0].request.set: the path /of/{customer} has no parameter custom
    "#]],
    );
    let folder = sources(&[("api/api.yaml", "POST", "POSTS")]);
    check(
        &folder,
        &["build", "DIR/api/api.yaml", "-o", "DIR"],
        expect![[r#"
        exit 1
        err: quaymaster: DIR/api/api.yaml: line 5, operations[0].method: 'POSTS' is not valid, expected one of GET, PUT, POST, DELETE, PATCH, HEAD, OPTIONS
    "#]],
    );
}

#[test]
fn what_is_no_source_and_no_place_for_an_archive_is_refused() {
    let folder = sources(&[]);
    check(
        &folder,
        &["build", "DIR/none"],
        expect![[r#"
        exit 1
        err: quaymaster: DIR/none: No such file or directory (os error 2)
    "#]],
    );
    check(
        &folder,
        &["build", "DIR"],
        expect![[r#"
        exit 1
        err: quaymaster: DIR: the directory has neither service.yaml nor api.yaml
    "#]],
    );
    check(
        &folder,
        &["build", "DIR/loan/LOANREQ.cpy"],
        expect![[r#"
        exit 1
        err: quaymaster: DIR/loan/LOANREQ.cpy: expected service.yaml, api.yaml or a file that ends in .properties
    "#]],
    );
    check(
        &folder,
        &["build", "DIR/loan", "-o", "DIR/loan.zip"],
        expect![[r#"
        exit 2
        err: quaymaster: --out: DIR/loan.zip must end in .sar
    "#]],
    );
    check(
        &folder,
        &["build", "DIR/loan", "-o", "DIR/none/"],
        expect![[r#"
        exit 1
        err: quaymaster: --out: there is no directory DIR/none/
    "#]],
    );
    check(
        &folder,
        &["build", "DIR/loan", "-o", "DIR/none/loan.sar"],
        expect![[r#"
        exit 1
        err: quaymaster: cannot write DIR/none/loan.sar: No such file or directory (os error 2)
    "#]],
    );
    check(
        &folder,
        &["show", "DIR/none.sar"],
        expect![[r#"
        exit 1
        err: quaymaster: DIR/none.sar: No such file or directory (os error 2)
    "#]],
    );
    check(
        &folder,
        &["show", "DIR/loan"],
        expect![[r#"
        exit 1
        err: quaymaster: DIR/loan: Is a directory (os error 21)
    "#]],
    );
    check(
        &folder,
        &["show", "DIR/loan/LOANREQ.cpy"],
        expect![[r#"
        exit 1
        err: quaymaster: DIR/loan/LOANREQ.cpy: the archive cannot be unpacked: invalid Zip archive: Could not find EOCD
    "#]],
    );
    let usage = run(&folder, &["build"]);
    assert!(usage.starts_with("exit 2\n"), "{usage}");
}

#[test]
fn an_archive_built_into_the_folder_of_a_server_is_deployed_and_logged() {
    let folder = sources(&[]);
    let server = Server::start(&folder, &[]);
    let built = run(&folder, &["build", "DIR/loan", "-o", "DIR/zosconnect/services/"]);
    assert!(built.starts_with("exit 0\nout: DIR/zosconnect/services/loan.sar: "), "{built}");
    let log = folder.filtered(&server.errors_with("BAQR7043I"));
    let line = "BAQR7043I: service archive DIR/zosconnect/services/loan.sar is installed as loan";
    assert!(log.contains(line), "{log}");
}

#[test]
fn what_a_service_refused_and_what_became_of_a_message_stand_in_the_log() {
    let folder = Folder::new();
    folder.write(
        "mqsc.d/queues.mqsc",
        "DEFINE QLOCAL(RECORDS) BOTHRESH(2) BOQNAME(ASIDE)\nDEFINE QLOCAL(ASIDE)\nDEFINE QLOCAL(REPLIES)\n",
    );
    folder.write("records/R.cpy", COPYBOOK);
    let yaml = "name: records\ndestination: RECORDS\nmessagingAction: mqget\nresponseStructure: R.cpy\n";
    folder.write("records/service.yaml", yaml);
    let yaml = "name: asked\ndestination: ASIDE\nreplyDestination: REPLIES\nwaitInterval: 20\npayload: text\n";
    folder.write("asked/service.yaml", yaml);
    let server = Server::start_with(&folder, &[], &[("MQ_APP_PASSWORD", "app-password")]);
    for name in ["records", "asked"] {
        let built = run(&folder, &["build", &format!("DIR/{name}"), "-o", "DIR/zosconnect/services/"]);
        assert!(built.starts_with("exit 0"), "{built}");
        server.errors_with(&format!("is installed as {name}"));
    }
    let put = folder.run(&["put", "RECORDS", "short"]);
    let id = put.strip_prefix("exit 0\nout: ").unwrap_or_else(|| panic!("{put}")).trim_end();
    let call = |service: &str, headers: &str| {
        let authorization = format!("Authorization: Basic {}\r\n{headers}", STANDARD.encode("app:app-password"));
        server.get(&format!("/zosConnect/services/{service}?action=invoke"), &authorization)
    };
    let ask = |headers: &str| call("records", headers);
    assert_eq!(ask("ibm-mq-md-msgID: 0x:1\r\n"), 400);
    let refused = server.errors_with("a request was refused");
    assert!(refused.contains("BAQR0901W") && refused.contains("records"), "{refused}");
    let says = |sentence: &str, parts: &[&str]| {
        let told = server.errors_with(sentence);
        let line = told.lines().find(|line| line.contains(sentence)).unwrap_or_default();
        for part in parts {
            assert!(line.contains(part), "{part} is not in {line}");
        }
    };
    assert_eq!(ask(""), 500);
    says("a message that cannot be converted was backed out", &[id, "RECORDS", "the record ends"]);
    assert_eq!(ask(""), 500);
    says("a message was moved to the backout queue", &[id, "RECORDS", "ASIDE", "the record ends"]);
    // A request whose wait is over has expired.
    assert_eq!(call("asked", "Content-Type: text/plain\r\n"), 204);
    says("no reply came in time", &["asked", "REPLIES", "wait_ms=20"]);
}
