//! `zconbt`: the command line of the build toolkit, as the report shows it.

use std::process::Command;

use expect_test::expect;

use crate::program::{Folder, shown};

const SWAGGER: &str = include_str!("../../../build-toolkit/tests/it/vectors/seed-figures/swagger.json");
const PROPERTIES: &str = include_str!("../../../build-toolkit/tests/it/vectors/seed-figures/APIRPERF.properties");

/// A folder with the description and the properties in it, and `zconbt` called there by one of its names.
fn called(folder: &Folder, name: &str, arguments: &[&str]) -> String {
    let links = folder.join("bin").display().to_string();
    folder.run(&["links", &links]);
    let output = Command::new(folder.join("bin").join(name)).args(arguments).current_dir(folder.path()).output();
    folder.filtered(&shown(&output.expect("the link runs")))
}

fn prepared() -> Folder {
    let folder = Folder::new();
    folder.write("bt/swagger.json", SWAGGER);
    folder.write("APIRPERF.properties", &PROPERTIES.replace("=swagger.json", "=bt/swagger.json"));
    folder
}

#[test]
fn the_command_line_of_the_report_makes_members_log_and_archive() {
    let folder = prepared();
    let told = called(&folder, "zconbt.zos", &["-p", "APIRPERF.properties", "-f", "APIPERF.ara"]);
    expect![[r#"
        exit 0
        out: BAQB0000I: The build toolkit of Quaymaster, version VERSION.
        out: BAQB0008I: Making the archive of an API requester, configured by APIRPERF.properties.
        out: BAQB0040I: The API requester is named zCEE-API-requester-Performance-Remote-API_1.0.0, as the API with the title zCEE API requester Performance Remote API has the version 1.0.0.
        out: BAQB0015I: Processing the operation (operationId: VaryPayload, relativePath: /apirRemote/varyRespPayload, method: POST).
        out: BAQB0016I: Processed the operation (operationId: VaryPayload, relativePath: /apirRemote/varyRespPayload, method: POST).
        out: Total 1 operation(s) (success: 1, ignored: 0) in the API description file: swagger.json
        out: ------ Operations processed ------
        out: operationId: VaryPayload, basePath: /APIrequesterPerformanceRemoteAPI, relativePath: /apirRemote/varyRespPayload, method: POST
        out: - request data structure : PER00Q01
        out: - response data structure : PER00P01
        out: - api info file           : PER00I01
        out: BAQB0009I: Made the archive APIPERF.ara of the API requester zCEE-API-requester-Performance-Remote-API_1.0.0.
    "#]]
    .assert_eq(&told);
    for file in ["out/PER00Q01", "out/PER00P01", "out/PER00I01", "logs/VaryPayload.log", "APIPERF.ara"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    let archive = std::fs::read(folder.join("APIPERF.ara")).expect("read");
    let archive = build_toolkit::archive::read(&archive).expect("an archive");
    assert_eq!(archive.name, "zCEE-API-requester-Performance-Remote-API_1.0.0");
}

#[test]
fn options_are_taken_as_the_original_takes_them() {
    let folder = prepared();
    let told = called(&folder, "zconbt", &["-p=APIRPERF.properties", "-f=A.ara", "-od", "made", "-v"]);
    assert!(told.starts_with("exit 0\n") && told.contains("out/PER00Q01"), "{told}");
    assert!(folder.join("made/A.ara").is_file(), "{told}");
    let told = called(&folder, "zconbt", &["-p", "APIRPERF.properties", "-od=."]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    assert!(folder.join("zCEE-API-requester-Performance-Remote-API_1.0.0.ara").is_file(), "{told}");
    assert!(folder.run(&["zconbt", "-h"]).starts_with("exit 0\n"));
    assert!(folder.run(&["zconbt", "-p", "x"]).starts_with("exit 2\n"));
    assert!(called(&folder, "zconbt", &["-p", "APIRPERF.properties", "-f", "A.zip"]).starts_with("exit 2\n"));
}

#[test]
fn what_is_wrong_is_told_and_nothing_is_made() {
    let folder = prepared();
    let told = called(&folder, "zconbt", &["-p", "none.properties", "-f", "A.ara"]);
    assert!(told.starts_with("exit 1\n") && told.contains("BAQB0903E: cannot read none.properties"), "{told}");
    folder.write("bad.properties", "language=C\nconnectionref=x\n");
    let told = called(&folder, "zconbt", &["-p", "bad.properties", "-f", "A.ara"]);
    assert!(told.starts_with("exit 2\n") && told.contains("nearest one is connectionRef"), "{told}");
    folder.write("bt/swagger.json", &SWAGGER.replace("\"type\":\"object\"", "\"type\":\"null\""));
    let told = called(&folder, "zconbt", &["-p", "APIRPERF.properties", "-f", "A.ara", "--strict"]);
    assert!(told.starts_with("exit 1\n") && told.contains("BAQB0902W"), "{told}");
    assert!(!folder.join("A.ara").exists());
    assert!(!folder.join("out").exists() && !folder.join("logs").exists());
}

#[test]
fn the_same_name_makes_archives_of_services_from_properties_and_directories() {
    let folder = Folder::new();
    folder.write("REQ.cpy", "       01 REQ.\n         05 A PIC X(4).\n");
    folder.write("loan.properties", "provider=mq\nname=loan\nversion=1.0\ndestination=Q1\nrequestStructure=REQ.cpy\n");
    let told = called(&folder, "zconbt", &["-p", "loan.properties", "-f", "loan.sar"]);
    assert!(told.starts_with("exit 0\n") && told.contains("BAQB0009I"), "{told}");
    folder.write("loan/service.yaml", "name: loan\nversion: 1.0\ndestination: Q1\nrequestStructure: REQ.cpy\n");
    folder.write("loan/REQ.cpy", "       01 REQ.\n         05 A PIC X(4).\n");
    let told = called(&folder, "zconbt", &["-pd", "loan", "-f", "other.sar"]);
    assert!(told.starts_with("exit 0\n") && folder.join("other.sar").is_file(), "{told}");
}
