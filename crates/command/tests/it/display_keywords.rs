//! Keywords of DISPLAY that choose objects or groups of attributes, and find here what there is.

use crate::support::{run_script, start};

/// The names that a DISPLAY shows, in order.
fn check(display: &str, expected: &[&str]) {
    let queue_manager = start();
    run_script(
        &queue_manager,
        "DEFINE QLOCAL(K.A) CLUSTER(INVENTORY)
         DEFINE QLOCAL(K.B) CLUSNL(LISTED)
         DEFINE QLOCAL(K.C)
         DEFINE QALIAS(K.D) TARGET(K.A) CLUSTER(INVENTORY2)
         DEFINE TOPIC(K.T) TOPICSTR('t') CLUSTER(INVENTORY)
         DEFINE TOPIC(K.U) TOPICSTR('u')
         DEFINE QALIAS(K.E) TARGET(K.T) TARGTYPE(TOPIC)
         DEFINE SUB(K.S) TOPICSTR('t') DEST(K.A)",
    );
    let lines = run_script(&queue_manager, display);
    let names = lines.iter().filter_map(|line| line.split("(K.").nth(1)?.split(')').next()).collect::<Vec<_>>();
    assert_eq!(names, expected, "{display}\n{}", lines.join("\n"));
}

#[test]
fn objects_of_a_cluster_are_those_that_name_it() {
    check("DISPLAY QUEUE(K.*) CLUSTER(INVENTORY)", &["A"]);
    check("DISPLAY QUEUE(K.*) CLUSTER(INV*)", &["A", "D"]);
    check("DISPLAY QUEUE(K.*) CLUSTER(*)", &["A", "D"]);
    check("DISPLAY QUEUE(K.*) CLUSNL(LISTED)", &["B"]);
    check("DISPLAY QALIAS(K.*) CLUSTER(INVENTORY2)", &["D"]);
    check("DISPLAY TOPIC(K.*) CLUSTER(INVENTORY)", &["T"]);
    check("DISPLAY QUEUE(K.*) CLUSTER", &["A", "B", "C", "D", "E"]);
}

#[test]
fn aliases_are_chosen_by_the_type_of_their_target() {
    check("DISPLAY QALIAS(K.*) TARGTYPE(ALL)", &["D", "E"]);
    check("DISPLAY QALIAS(K.*) TARGTYPE(TOPIC)", &["E"]);
    check("DISPLAY QUEUE(K.*) TARGTYPE(QUEUE)", &["D"]);
    check("DISPLAY QUEUE(K.*) TARGTYPE(ALL)", &["A", "B", "C", "D", "E"]);
}

#[test]
fn information_of_clusters_adds_nothing() {
    check("DISPLAY QUEUE(K.*) CLUSINFO", &["A", "B", "C", "D", "E"]);
    check("DISPLAY TOPIC(K.*) CLUSINFO", &["T", "U"]);
}

#[test]
fn groups_of_attributes_are_shown_under_their_name() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QLOCAL(K.A) MONQ(HIGH)\nDEFINE SUB(K.S) TOPICSTR('t') DEST(K.A)");
    let monitored = run_script(&queue_manager, "DISPLAY QSTATUS(K.A) MONITOR").join("\n");
    assert!(monitored.contains("MONQ(HIGH)") && monitored.contains("LPUTDATE("), "{monitored}");
    assert!(!monitored.contains("CURDEPTH"), "{monitored}");
    let summary = run_script(&queue_manager, "DISPLAY SUB(K.S) SUMMARY").join("\n");
    assert!(summary.contains("SUB(K.S)") && !summary.contains("SUBUSER"), "{summary}");
}
