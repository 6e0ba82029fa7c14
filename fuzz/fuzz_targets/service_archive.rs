//! A service archive as a client uploads it or a person drops it in: unpacked, its manifest read, its service made. The second
//! half of the input takes the place of entries, so that not only the zip file is tried.

#![no_main]

use std::collections::BTreeMap;

use document::package::Package;
use libfuzzer_sys::fuzz_target;
use service::archive::{ApiArchive, ServiceArchive};
use service::names::Names;

fuzz_target!(|data: &[u8]| {
    look(data);
    // Entries separated by a zero byte: manifest, copybook, schema.
    let mut package = Package::default();
    for (name, content) in
        ["manifest.yml", "files/A.cpy", "files/copy/B", "schemas/s.json"].iter().zip(data.split(|byte| *byte == 0))
    {
        package.insert(name, content.to_vec()).expect("a name of ours");
    }
    if let Ok(archive) = package.write() {
        look(&archive);
    }
});

fn look(archive: &[u8]) {
    if let Ok(archive) = ServiceArchive::read(archive) {
        let _ = archive.content(&Names::default(), &BTreeMap::new());
        let written = archive.write().expect("what was read is within the limits");
        assert_eq!(ServiceArchive::read(&written).as_ref(), Ok(&archive));
    }
    let _ = ApiArchive::read(archive);
}
