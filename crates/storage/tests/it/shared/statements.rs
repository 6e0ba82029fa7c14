//! Each statement has a plan that finds its rows by an index, on an empty table and on a long queue.

use crate::postgres::Database;

/// Of a group, or a handful of rows at an administrator's request.
const SMALL: &[&str] = &[
    "members",
    "fence_member",
    "fence_lanes",
    "prepared_units",
    "decided_units",
    "definition_version",
    "secret",
    "set_address",
];

/// When a queue is deleted, cleared or moved: over all messages that are held.
const WALKS: &[&str] = &["is_held", "may_delete", "delete_queue", "seal_queue"];

const TABLES: &[&str] = &[
    "message",
    "message_part",
    "queue_depth",
    "queue_lane",
    "queue_open",
    "queue_state",
    "lane",
    "request",
    "connection_tag",
];

/// Name, text and plan of each.
fn plans(database: &Database) -> Vec<(String, String, String)> {
    let settings = "SET enable_sort = off; SET enable_bitmapscan = off; SET enable_seqscan = off; SET enable_hashjoin = off; \
                    SET enable_mergejoin = off; \
                    SET plan_cache_mode = force_generic_plan; SET jit = off;";
    storage::shared::explained()
        .into_iter()
        .map(|(name, text)| {
            let parameters = (1..30).rev().find(|number| text.contains(&format!("${number}"))).unwrap_or(0);
            let arguments = vec!["NULL"; parameters].join(", ");
            let arguments = if parameters > 0 { format!("({arguments})") } else { String::new() };
            let rows = database
                .run(&format!("{settings} PREPARE {name} AS {text}; EXPLAIN (COSTS OFF) EXECUTE {name}{arguments}"));
            let plan = rows.into_iter().flatten().flatten().collect::<Vec<_>>().join("\n");
            (name.to_owned(), text.to_owned(), plan)
        })
        .collect()
}

/// Rows of the tables below grow without bound, also those that only an older snapshot sees.
fn every_index_scan_has_a_condition(plan: &str) -> bool {
    let scans = plan.split("->").filter(|node| node.contains("Index Scan") || node.contains("Index Only Scan"));
    let mut unbounded = scans.filter(|node| !node.contains("Index Cond:"));
    unbounded.all(|node| {
        !TABLES.iter().any(|table| node.contains(&format!(" on {table} ")) || node.contains(&format!(" on {table}\n")))
    })
}

fn check(database: &Database, when: &str) {
    for (name, text, plan) in plans(database) {
        if SMALL.contains(&name.as_str()) {
            continue;
        }
        for table in
            ["message", "queue_depth", "queue_lane", "queue_open", "queue_state", "lane", "request", "connection_tag"]
        {
            assert!(!plan.contains(&format!("Seq Scan on {table}")), "{name} scans {table} {when}:\n{plan}");
        }
        assert!(
            WALKS.contains(&name.as_str()) || every_index_scan_has_a_condition(&plan),
            "{name} walks over a whole index {when}:\n{plan}"
        );
        // By all of its key: a lane's row has had as many versions as there were transactions.
        let version = match name.as_str() {
            "settle" | "open_again" => "version = c.v))",
            _ => "",
        };
        let by_owner = plan.contains("message_by_owner") && text.contains("m.rank = t.r");
        assert!(!by_owner, "{name} walks over all that the member holds {when}:\n{plan}");
        let scans = plan.contains("Index Cond")
            && plan.lines().any(|line| line.contains("Index Cond") && line.ends_with(version));
        assert!(scans || version.is_empty(), "{name} walks over the versions of a row {when}:\n{plan}");
        let by_batch = name != "enter" || plan.contains("batch = ($4 - 1)))");
        assert!(by_batch, "{name} walks over the versions of a lane's row {when}:\n{plan}");
        for costly in ["Sort", "Bitmap", "Hash Join"] {
            assert!(!plan.contains(costly), "{name} has a {costly} {when}:\n{plan}");
        }
    }
}

#[test]
fn statements_find_their_rows_by_an_index_on_an_empty_table_and_on_a_long_queue() {
    let database = Database::of_group("QSG1");
    check(&database, "on empty tables");
    database.run("ANALYZE");
    check(&database, "on empty tables that were analysed");
    database.run(
        "INSERT INTO message (queue, rank, position, persistent, arrived, length, parts, message_key, correlation_key, \
         message_id, correlation_id, group_id, sequence, segment, flags, head, body) \
         SELECT 1, 0, n, true, n, 10, 0, n, n, '\\x00', '\\x00', '\\x00', 1, 0, 0, '\\x00', '\\x00' \
         FROM generate_series(1, 100000) AS t(n); ANALYZE",
    );
    check(&database, "on a long queue");
    // As a vacuum leaves them when a snapshot keeps all that is dead.
    database.run("UPDATE pg_class SET reltuples = 0, relpages = greatest(relpages, 10000) WHERE relnamespace = 'public'::regnamespace");
    check(&database, "on tables in which all is dead");
}

/// A lane has made messages available `opened` times, at last at these places (in milliseconds). `from` is where a look began, and
/// `known` how often the lane had done so when the look's mark was set.
fn has_missed(database: &Database, opened: i64, lowest: &[u64], from: Option<u64>, known: i64) -> bool {
    let place = |at: &u64| format!("04{:016x}", at << 22);
    let lowest: String = lowest.iter().map(place).collect();
    let from = from.as_ref().map_or_else(String::new, place);
    let texts = storage::shared::explained();
    let (_, text) = texts.iter().find(|(name, _)| *name == "opened").expect("it is there");
    let rows = database.run(&format!(
        "DELETE FROM queue_depth; INSERT INTO queue_lane VALUES (7, 1, 0) ON CONFLICT DO NOTHING; \
         INSERT INTO queue_depth VALUES (7, 1, 0, 3, 0, 0, {opened}, '\\x{lowest}'); PREPARE o AS {text}; \
         EXECUTE o('{{7}}', ARRAY['\\x{from}'::bytea], '{{7}}', '{{1}}', '{{0}}', '{{{known}}}')"
    ));
    let row = rows.first().expect("the lane has a row");
    row[5].as_deref() == Some("t")
}

#[test]
fn a_look_has_missed_what_was_opened_before_its_beginning_since_its_mark_was_set() {
    let database = Database::of_group("QSG1");
    let missed = |opened, lowest: &[u64], known| has_missed(&database, opened, lowest, Some(950), known);
    assert!(!missed(3, &[10], 3));
    assert!(!missed(5, &[10, 950, 2000], 3));
    assert!(missed(5, &[10, 949, 2000], 3));
    assert!(!has_missed(&database, 5, &[10, 949, 2000], None, 3));
}

#[test]
fn a_mark_older_than_what_a_lane_remembers_or_than_a_lane_that_lost_its_count_rests_on_nothing() {
    let database = Database::of_group("QSG1");
    let missed = |opened, lowest: &[u64], known| has_missed(&database, opened, lowest, Some(950), known);
    assert!(missed(5, &[2000], 3));
    assert!(missed(2, &[2000, 2000], 3));
    assert!(missed(4, &[], 3));
}
