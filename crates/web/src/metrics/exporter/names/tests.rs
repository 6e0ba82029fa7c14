use std::collections::HashSet;

use super::NAMES;

#[test]
fn no_name_stands_for_two_values() {
    let mut seen = HashSet::new();
    for named in NAMES.iter() {
        let prefix = if named.is_of_queues() { "queue" } else { "qmgr" };
        // One value may have one name in both columns.
        let names: HashSet<_> = [named.exporter, named.image].into_iter().flatten().collect();
        for name in names {
            assert!(name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_')), "{name}");
            assert!(seen.insert((prefix, name)), "{name}");
        }
        assert!(named.image.is_none() || !named.is_of_queues(), "the image shows no queues");
    }
    assert_eq!(NAMES.len(), 116);
}
