//! Archives of API requesters, as a zip file and as the entries that matter.

#![no_main]

use build_toolkit::archive;
use document::package::Package;
use libfuzzer_sys::fuzz_target;

const SPEC: &str = "<zosConnectApi id='a' packageType='requester'><apiSpec><path relativePath='/x'>\
    <method type='GET' operationId='x' httpXformFile='api/mapping.xml'/></path></apiSpec></zosConnectApi>";

fuzz_target!(|data: (&[u8], &str, &str)| {
    let (zip, package_xml, binding) = data;
    let _ = archive::read(zip);
    for spec in [package_xml, SPEC] {
        let mut package = Package::default();
        for (name, content) in [
            ("package.xml", spec),
            ("api/mapping.xml", "<m><mappingContext serviceName='x'/></m>"),
            ("quaymaster/x.json", binding),
        ] {
            package.insert(name, content.to_owned()).expect("named");
        }
        let _ = archive::read(&package.write().expect("packed"));
    }
});
