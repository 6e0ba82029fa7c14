//! An API requester from a description to a deployment: `zconbt`, the folder, `config import` of the report's server.

use crate::program::{Folder, Server};

const SWAGGER: &str = include_str!("../../../build-toolkit/tests/it/vectors/seed-figures/swagger.json");
const SERVER_XML: &str = r#"<server description="z/OS Connect EE 3.0. Polling not enabled.">
    <config updateTrigger="mbean"></config>
    <featureManager><feature>zosconnect:apiRequester-1.0</feature></featureManager>
    <httpEndpoint id="defaultHttpEndpoint" enabled="true" host="127.0.0.1" httpPort="2222"/>
    <zosconnect_zosConnectManager requireAuth="false" requireSecure="false"/>
    <zosconnect_endpointConnection id="Server2Ref" host="localhost" port="3188"/>
</server>"#;

#[test]
fn an_archive_of_zconbt_in_the_folder_of_a_server_is_deployed_with_the_published_message() {
    let folder = Folder::new();
    let directory = folder.path().display().to_string();
    folder.write("APIRPERF.json", SWAGGER);
    let properties = format!(
        "apiDescriptionFile={directory}/APIRPERF.json\nlanguage=COBOL\ndataStructuresLocation={directory}/out\n\
         apiInfoFileLocation={directory}/out\nlogFileDirectory={directory}/out\nrequesterPrefix=PER\n\
         connectionRef=Server2Ref\n"
    );
    let properties = folder.write("APIRPERF.properties", &properties).display().to_string();
    let server = Server::start(&folder, &[]);
    let archive = format!("{directory}/zosconnect/apiRequesters/APIPERF.ara");
    let built = folder.run(&["zconbt", "-p", &properties, "-f", &archive]);
    assert!(built.contains("BAQB0009I"), "{built}");
    let log = server.errors_with("BAQR1102I");
    let line = "BAQR1102I: API requester archive APIPERF.ara is installed and API requester \
        zCEE-API-requester-Performance-Remote-API_1.0.0 is deployed successfully.";
    assert!(log.contains(line), "{log}");
}

#[test]
fn the_reports_server_xml_becomes_a_file_that_check_accepts() {
    let folder = Folder::new();
    let xml = folder.write("server.xml", SERVER_XML).display().to_string();
    let toml = folder.join("imported.toml").display().to_string();
    let said = folder.run(&["config", "import", &xml, "--out", &toml]);
    assert!(said.starts_with("exit 0\n"), "{said}");
    let text = folder.read("imported.toml");
    for line in
        ["[endpoint_connections.Server2Ref]", "port = 3188", "http = \"127.0.0.1:2222\"", "require_auth = false"]
    {
        assert!(text.lines().any(|known| known == line), "{text}");
    }
    let checked = folder.run(&["config", "check", &toml]);
    assert!(checked.starts_with("exit 0\n"), "{checked}");
}
