//! Descriptions of APIs, and properties files: whatever becomes an archive is read back the same way it was written.

#![no_main]

use build_toolkit::archive;
use build_toolkit::build::{Input, Location, Sink, build};
use build_toolkit::options;
use libfuzzer_sys::fuzz_target;

/// Counts bytes, so that members are made and not kept.
struct Counter(usize);

impl Sink for Counter {
    fn file(&mut self, _: Location, name: &str, content: &[u8]) -> std::io::Result<()> {
        assert!(!name.contains('/') && !name.is_empty(), "{name:?}");
        self.0 += content.len();
        Ok(())
    }

    fn line(&mut self, line: &str) {
        assert!(!line.contains('\n'), "{line:?}");
    }

    fn progress(&mut self, done: usize, all: usize) {
        assert!(done <= all);
    }
}

const REQUIRED: &str = "apiDescriptionFile=a.json\ndataStructuresLocation=o\napiInfoFileLocation=o\nlogFileDirectory=o\n\
    connectionRef=c\n";

fuzz_target!(|data: (u8, &str, &str)| {
    let (choice, properties, description) = data;
    let is_yaml = choice & 1 == 1;
    let _ = options::parse(properties.as_bytes());
    let (language, level) = [("COBOL", "4.3"), ("PLI", "4.3"), ("COBOL", "5.0"), ("COBOL", "4.1"), ("PLI", "5.0")]
        [usize::from(choice >> 1) % 5];
    let chosen = format!("{REQUIRED}language={language}\nmappingLevel={level}\n");
    let options = options::parse(chosen.as_bytes()).expect("properties");
    let input = Input {
        options: &options,
        description_name: if is_yaml { "a.yaml" } else { "a.json" },
        description: description.as_bytes(),
        strict: false,
    };
    if let Ok((made, summary)) = build(&input, &mut Counter(0)) {
        let archive = archive::read(&made).expect("what was made is read");
        assert_eq!(archive.operations.len(), summary.processed.len());
    }
});
