//! Archives of APIs that the API toolkit made.

use super::ApiArchive;
use document::package::Package;

const PACKAGE: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<zosConnectApi xmlns="http://www.ibm.com/zosConnect/2.0/zosConnectApi" id="enquiry">
    <apiSpec title="Enquiry" basePath="/enquiry" description="Finds accounts" version="1.0.0">
        <path relativePath="/accounts/{number}">
            <method type="GET" zosConnectServiceRef="findAccount" httpXformFile="api/accounts/{number}/GET/mapping.xml" operationId="getAccount"></method>
        </path>
        <apiDoc docType="SWAGGER">api-docs/swagger.json</apiDoc>
    </apiSpec>
</zosConnectApi>"#;
const MAPPING: &str = r#"<ns2:ZosConnectServiceMapping xmlns:ns2="http://www.ibm.com/zosConnect/2.0/zosConnectServiceMapping" mappingSpecVersion="1.0">
    <mappingContext basePath="/enquiry" relativePath="/accounts/{number}" method="GET" serviceName="findAccount" defaultResponseCode="200"/>
    <requestMessage><mappingRootModel type="MSL" location="api/accounts/{number}/GET/request.map"/></requestMessage>
    <responseMessages code="200" description="OK"/>
</ns2:ZosConnectServiceMapping>"#;
const MAP: &str = r#"<mappingRoot xmlns="http://www.ibm.com/2008/ccl/Mapping"><mappingDeclaration name="GET.accounts">
    <input path="$rootInput/HTTPRequest"/><output path="$rootOutput/Account"/>
    <passthrough><input path="Body/Account"/><output path="."/></passthrough>
</mappingDeclaration></mappingRoot>"#;

fn archive(package_xml: &str, mapping: &str) -> Result<ApiArchive, String> {
    let mut package = Package::default();
    let mut add = |name: &str, text: &str| package.insert(name, text.as_bytes().to_vec()).expect("a name");
    add("package.xml", package_xml);
    add("api-docs/swagger.json", r#"{"swagger":"2.0","info":{"title":"Enquiry","version":"1.0.0"},"paths":{}}"#);
    add("api/accounts/{number}/GET/mapping.xml", mapping);
    add("api/accounts/{number}/GET/request.map", MAP);
    ApiArchive::read(&package.write().expect("written")).map_err(|error| error.to_string())
}

#[test]
fn an_archive_of_the_toolkit_is_read() {
    let api = archive(PACKAGE, MAPPING).expect("an API").definition;
    assert_eq!((&*api.name, &*api.title, &*api.base_path), ("enquiry", "Enquiry", "/enquiry"));
    assert_eq!(api.document.expect("a document")["swagger"], "2.0");
    let [operation] = api.operations.as_slice() else { panic!("one operation") };
    assert_eq!((operation.method, &*operation.service, operation.responses[0].code), ("GET", "findAccount", 200));
    assert!(operation.request.passes_body && operation.request.statements.is_empty());
    assert!(operation.responses[0].mapping.passes_body);
}

#[test]
fn what_cannot_be_carried_out_is_refused() {
    let several = MAPPING.replace(
        "<responseMessages code=\"200\" description=\"OK\"/>",
        "<responseMessages code=\"404\"/><responseMessages code=\"500\"/>",
    );
    let problem = archive(PACKAGE, &several).expect_err("refused");
    assert_eq!(
        problem,
        "api/accounts/{number}/GET/mapping.xml: there are several responseMessages and none is the default"
    );
    let requester = PACKAGE.replace("id=\"enquiry\"", "id=\"enquiry\" packageType=\"requester\"");
    assert_eq!(
        archive(&requester, MAPPING).expect_err("refused"),
        "package.xml: it is the archive of an API requester"
    );
    let no_map = MAPPING.replace("request.map", "other.map");
    assert_eq!(
        archive(PACKAGE, &no_map).expect_err("refused"),
        "the archive has no entry api/accounts/{number}/GET/other.map"
    );
    assert!(archive("<a/>", MAPPING).expect_err("refused").contains("expected <zosConnectApi>"));
}
