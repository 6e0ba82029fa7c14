//! Attributes of local queues as the reference of 9.4 lists them: ranges, words and defaults.

use model::definition::attribute::{self, Kind};

use crate::support::{run_script, start, verified};

/// Keyword, least and greatest value, default on distributed platforms.
const NUMBERS: [(&str, u64, u64, u64); 12] = [
    ("DEFPRTY", 0, 9, 0),
    ("BOTHRESH", 0, 999_999_999, 0),
    ("CLWLPRTY", 0, 9, 0),
    ("CLWLRANK", 0, 9, 0),
    ("TRIGDPTH", 1, 999_999_999, 1),
    ("TRIGMPRI", 0, 9, 0),
    ("MAXDEPTH", 0, 999_999_999, 5000),
    ("MAXMSGL", 0, 104_857_600, 4_194_304),
    ("QDEPTHHI", 0, 100, 80),
    ("QDEPTHLO", 0, 100, 20),
    ("QSVCINT", 0, 999_999_999, 999_999_999),
    ("RETINTVL", 0, 999_999_999, 999_999_999),
];

/// Keyword, every word it takes, default first.
const WORDS: [(&str, &[&str]); 22] = [
    ("PUT", &["ENABLED", "DISABLED"]),
    ("GET", &["ENABLED", "DISABLED"]),
    ("DEFPSIST", &["NO", "YES"]),
    ("DEFPRESP", &["SYNC", "ASYNC"]),
    ("DEFREADA", &["NO", "YES", "DISABLED"]),
    ("PROPCTL", &["COMPAT", "ALL", "FORCE", "NONE", "V6COMPAT"]),
    ("ACCTQ", &["QMGR", "ON", "OFF"]),
    ("MONQ", &["QMGR", "OFF", "LOW", "MEDIUM", "HIGH"]),
    ("STATQ", &["QMGR", "ON", "OFF"]),
    ("CLWLUSEQ", &["QMGR", "ANY", "LOCAL"]),
    ("DEFBIND", &["OPEN", "NOTFIXED", "GROUP"]),
    ("DEFSOPT", &["SHARED", "EXCL"]),
    ("DISTL", &["NO", "YES"]),
    ("IMGRCOVQ", &["QMGR", "YES", "NO"]),
    ("TRIGTYPE", &["FIRST", "EVERY", "DEPTH", "NONE"]),
    ("MSGDLVSQ", &["PRIORITY", "FIFO"]),
    ("NPMCLASS", &["NORMAL", "HIGH"]),
    ("QDPMAXEV", &["ENABLED", "DISABLED"]),
    ("QSVCIEV", &["NONE", "HIGH", "OK"]),
    ("SCOPE", &["QMGR", "CELL"]),
    ("STRMQOS", &["BESTEF", "MUSTDUP"]),
    ("USAGE", &["NORMAL", "XMITQ"]),
];

#[test]
fn numbers_are_taken_to_both_ends_of_their_range_and_refused_beyond() {
    let queue_manager = start();
    let shown = run_script(&queue_manager, "DEF QL(A)\nDIS QL(A)").join(" ");
    for (keyword, minimum, maximum, default) in NUMBERS {
        assert!(shown.contains(&format!("{keyword}({default})")), "{keyword}");
        for good in [minimum, maximum] {
            assert_eq!(verified(&format!("ALT QL(A) {keyword}({good})")), "", "{keyword}({good})");
        }
        let beyond = verified(&format!("ALT QL(A) {keyword}({})", maximum + 1));
        assert!(beyond.contains("AMQ8412E"), "{keyword}: {beyond}");
        if minimum > 0 {
            assert!(verified(&format!("ALT QL(A) {keyword}({})", minimum - 1)).contains("AMQ8412E"), "{keyword}");
        }
        assert!(verified(&format!("ALT QL(A) {keyword}(-1)")).contains("AMQ8425E"), "{keyword}");
    }
}

#[test]
fn words_are_those_of_the_reference_and_no_others() {
    let queue_manager = start();
    let shown = run_script(&queue_manager, "DEF QL(A)\nDIS QL(A)").join(" ");
    for (keyword, words) in WORDS {
        assert!(shown.contains(&format!("{keyword}({})", words[0])), "{keyword}");
        for word in words {
            assert_eq!(verified(&format!("ALT QL(A) {keyword}({word})")), "", "{keyword}({word})");
        }
        assert!(verified(&format!("ALT QL(A) {keyword}(FROB)")).contains("AMQ8425E"), "{keyword}");
        let row = attribute::find(Kind::QueueLocal, keyword).unwrap();
        assert_eq!(row.value.words().len(), words.len(), "{keyword}");
    }
}

#[test]
fn what_only_display_knows_cannot_be_set() {
    for keyword in ["CRDATE", "CRTIME", "ALTDATE", "ALTTIME", "CURDEPTH", "IPPROCS", "OPPROCS", "DEFTYPE"] {
        let said = verified(&format!("DEF QL(A) {keyword}(1)"));
        assert!(said.contains("AMQ8427I") && said.contains(keyword), "{keyword}: {said}");
    }
}
