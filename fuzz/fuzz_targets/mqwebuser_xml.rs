//! Any bytes as the configuration of an mqweb server; what is imported is TOML.
#![no_main]

use configuration_import::{Source, Surroundings, import};
use libfuzzer_sys::fuzz_target;

struct Nothing;

impl Surroundings for Nothing {
    fn environment(&self, name: &str) -> Option<String> {
        (name == "A").then(|| "${B}${env.A}".to_owned())
    }
    fn included(&self, _: &str) -> Option<Vec<u8>> {
        None
    }
}

fuzz_target!(|contents: &[u8]| {
    for name in ["mqwebuser.xml", "bootstrap.properties"] {
        if let Ok(imported) = import(&[Source { name, contents }], &Nothing) {
            let text = imported.to_toml();
            assert!(text.parse::<toml::Table>().is_ok(), "{text}");
        }
    }
});
