//! Servers whose queue managers are members of one queue-sharing group, on a PostgreSQL of their own.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use expect_test::expect;

use crate::postgres::Database;
use crate::program::{Folder, Server, eventually};

/// The data directory of a member, with the group's configuration.
pub(crate) fn member(database: &Database, queue_manager: &str) -> Folder {
    let folder = Folder::new();
    let url = &database.url;
    folder.write(
        "quaymaster.toml",
        &format!("[server]\nqueue_managers = ['{queue_manager}']\n[group]\nname = 'QSG1'\ndatabase = '{url}'\n"),
    );
    folder
}

#[test]
fn the_tables_of_a_group_are_made_once_and_for_one_group() {
    let database = Database::empty();
    let folder = member(&database, "QM1");
    expect![[r#"
        exit 0
        out: The database has the tables of group QSG1.
    "#]]
    .assert_eq(&folder.run(&["group", "create"]));
    expect![[r#"
        exit 0
        out: {"group":"QSG1"}
    "#]]
    .assert_eq(&folder.run(&["group", "create", "--json"]));
    expect![[r#"
        exit 1
        err: quaymaster: the database belongs to the group QSG1, not to QSG2
    "#]]
    .assert_eq(&folder.run(&["group", "create", "QSG2"]));
    expect![[r#"
        exit 1
        err: quaymaster: name the group, or set group.name in the configuration
    "#]]
    .assert_eq(&Folder::new().run(&["group", "create"]));
}

#[test]
fn a_message_of_one_server_is_got_from_the_other_and_outlives_both() {
    let database = Database::empty();
    let (first, second) = (member(&database, "QM1"), member(&database, "QM2"));
    first.run(&["group", "create"]);
    let servers = (Server::start(&first, &["--qmgr", "QM1"]), Server::start(&second, &["--qmgr", "QM2"]));
    let done = first.run_with(&["runmqsc", "QM1"], ORDERS);
    assert!(done.starts_with("exit 0"), "{done}");
    eventually("the members know each other", || {
        let members = first.run(&["mqsc", "QM1", "DISPLAY GROUP"]);
        members.contains("QMNAME(QM1)") && members.contains("QMNAME(QM2)")
    });
    eventually("the other member knows the queue", || {
        second.run(&["mqsc", "QM2", "DISPLAY QLOCAL(ORDERS) QSGDISP"]).contains("QSGDISP(SHARED)")
    });

    first.run(&["put", "-m", "QM1", "ORDERS", "from the first", "--persistent"]);
    expect![[r#"
        exit 0
        out: from the first
    "#]]
    .assert_eq(&second.run(&["get", "-m", "QM2", "ORDERS"]));

    first.run(&["put", "-m", "QM1", "ORDERS", "for later", "--persistent"]);
    drop(servers);
    let _again = Server::start(&second, &["--qmgr", "QM2"]);
    expect![[r#"
        exit 0
        out: for later
    "#]]
    .assert_eq(&second.run(&["get", "-m", "QM2", "ORDERS"]));
}

/// The value of a sample, by its name with all its labels.
fn sample(page: &str, name: &str) -> f64 {
    let value = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.unwrap_or_else(|| panic!("{name} is not in\n{page}")).parse().expect("a number")
}

#[test]
fn the_metrics_of_a_member_show_its_group_its_batches_and_the_peer_that_it_has_recovered() {
    let database = Database::empty();
    let (first, second) = (member(&database, "QM1"), member(&database, "QM2"));
    first.run(&["group", "create"]);
    let one = Server::start(&first, &["--qmgr", "QM1"]);
    let two = Server::start_with(&second, &["--qmgr", "QM2"], &[("MQ_APP_PASSWORD", "app-password")]);
    let done = first.run_with(&["runmqsc", "QM1"], ORDERS);
    assert!(done.starts_with("exit 0"), "{done}");
    eventually("the other member knows the queue", || {
        second.run(&["mqsc", "QM2", "DISPLAY QLOCAL(ORDERS)"]).starts_with("exit 0")
    });
    first.run(&["put", "-m", "QM1", "ORDERS", "one", "--persistent"]);
    let scrape = |server: &Server| server.answer("metrics", "/metrics", "");

    let page = scrape(&one);
    let of_one = |name: &str, labels: &str| format!("{name}{{qmgr=\"QM1\",group=\"QSG1\"{labels}}}");
    let is = |page: &str, name: &str, labels: &str| sample(page, &of_one(name, labels));
    assert_eq!(is(&page, "quaymaster_group_database_reachable", ",database=\"home\""), 1.0);
    assert_eq!(is(&page, "quaymaster_group_member_state", ",state=\"active\""), 1.0);
    assert!(is(&page, "quaymaster_group_epoch", "") >= 1.0);
    let lane = ",database=\"home\",lane=\"lasting\"";
    let batches = is(&page, "quaymaster_group_batch_duration_seconds_count", lane);
    assert!(batches >= 1.0 && is(&page, "quaymaster_group_operations_total", lane) >= batches, "{page}");
    assert!(is(&page, "quaymaster_group_batch_duration_seconds_sum", lane) > 0.0);
    assert_eq!(is(&page, "quaymaster_group_unknown_outcomes_total", &format!("{lane},outcome=\"repeated\"")), 0.0);
    eventually("beats, hints and observations are shown", || {
        let page = scrape(&one);
        is(&page, "quaymaster_group_members", ",state=\"active\"") == 2.0
            && is(&page, "quaymaster_group_round_trip_seconds", ",database=\"home\"") > 0.0
            && is(&page, "quaymaster_group_hints_sent_total", ",kind=\"wait\"") > 0.0
            && is(&page, "quaymaster_group_hints_received_total", ",kind=\"wait\"") > 0.0
            && is(&page, "quaymaster_group_peers_unheard", "") == 0.0
    });
    // Both show the whole depth, and say that it is the group's.
    let depth = |qmgr: &str| format!("quaymaster_queue_depth{{qmgr=\"{qmgr}\",queue=\"ORDERS\",group=\"QSG1\"}}");
    eventually("both members show the depth", || {
        sample(&scrape(&one), &depth("QM1")) == 1.0 && sample(&scrape(&two), &depth("QM2")) == 1.0
    });

    // QM2 receives the message with a lock, and is killed: QM1 gives it back.
    second.run(&[
        "mqsc",
        "QM2",
        "SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(GET, BROWSE, INQ)",
    ]);
    let app = format!("Authorization: Basic {}\r\n", STANDARD.encode("app:app-password"));
    let received = two.post("/api/v1/qmgr/QM2/queue/ORDERS/deliveries", &app, r#"{"max": 1, "lock": "300s"}"#);
    assert!(received.contains("\"token\""), "{received}");
    assert_eq!(is(&scrape(&one), "quaymaster_group_recoveries_total", ",database=\"home\""), 0.0);
    two.signal("KILL");
    eventually("the killed member is recovered", || {
        let page = scrape(&one);
        is(&page, "quaymaster_group_members", ",state=\"failed\"") == 1.0
            && is(&page, "quaymaster_group_recoveries_total", ",database=\"home\"") == 1.0
            && is(&page, "quaymaster_group_recovered_messages_total", ",database=\"home\"") == 1.0
    });
}

/// What the administrator gets, whose password is `admin-password`.
fn resource(server: &Server, path: &str) -> serde_json::Value {
    let admin = format!("Authorization: Basic {}\r\n", STANDARD.encode("admin:admin-password"));
    let answer = server.answer("http", path, &admin);
    let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"))
}

/// The texts of the checks or problems whose `member` is this.
fn texts(value: &serde_json::Value, member: &str, is: &str) -> Vec<String> {
    let all = value.as_array().expect("a list").iter();
    let some = all.filter(|one| one[member] == is);
    some.map(|one| one["text"].as_str().expect("text").to_owned()).collect()
}

#[test]
fn the_group_resource_the_problems_and_the_doctor_say_the_same_of_a_member_that_was_killed() {
    let database = Database::empty();
    let (first, second) = (member(&database, "QM1"), member(&database, "QM2"));
    first.run(&["group", "create"]);
    let one = Server::start_with(&first, &["--qmgr", "QM1"], &[("MQ_ADMIN_PASSWORD", "admin-password")]);
    let two = Server::start(&second, &["--qmgr", "QM2"]);
    first.run_with(&["runmqsc", "QM1"], ORDERS);
    first.run(&["put", "-m", "QM1", "ORDERS", "an order", "--persistent"]);
    let get = |path: &str| resource(&one, path);
    let group = || get("/api/v1/qmgr/QM1/group");
    eventually("both members live", || {
        let group = group();
        let members = group["members"].as_array().expect("members");
        members.len() == 2 && members.iter().all(|member| member["state"] == "ACTIVE" && member["isHeard"] == true)
    });
    let seen = group();
    assert_eq!((&seen["name"], &seen["member"], &seen["hasDatabase"]), (&"QSG1".into(), &"QM1".into(), &true.into()));
    let itself = &seen["members"][0];
    assert_eq!((&itself["isSelf"], &itself["version"]), (&true.into(), &env!("CARGO_PKG_VERSION").into()), "{itself}");
    assert!(itself["host"].as_str().is_some_and(|host| !host.is_empty()), "{itself}");
    let home = &seen["databases"][0];
    assert_eq!((&home["isReached"], &home["engine"]), (&true.into(), &"PostgreSQL".into()), "{home}");
    assert!(home["operations"].as_u64() >= Some(1) && home["commitMilliseconds"].as_f64() > Some(0.0), "{home}");
    let structure = &seen["structures"][0];
    assert_eq!(
        (&structure["name"], &structure["queues"], &structure["messages"]),
        (&"APP1".into(), &1.into(), &1.into())
    );

    two.signal("KILL");
    eventually("the killed member is recovered", || group()["members"][1]["state"] == "FAILED");
    eventually("it is a problem", || {
        let problems = get("/api/v1/qmgr/QM1/problems");
        !texts(&problems["problems"], "rule", "group-member").is_empty()
    });
    let seen = group();
    assert_eq!(seen["members"][1]["recovery"]["by"], "QM1", "{seen}");
    let of_page = texts(&seen["checks"], "subject", "member");
    let doctor = json(&first.run(&["doctor", "--json"]));
    assert_eq!(of_page, texts(&doctor["checks"], "subject", "member"));
    assert!(of_page[1].starts_with("QM2 has failed, and was recovered"), "{of_page:?}");
    for subject in ["standby", "disk", "schema", "encryption", "maintenance"] {
        assert_eq!(texts(&seen["checks"], "subject", subject), texts(&doctor["checks"], "subject", subject));
    }
    let problems = get("/api/v1/qmgr/QM1/problems");
    assert_eq!(texts(&problems["problems"], "rule", "group-member"), [format!("{}.", of_page[1])]);
    let standby = texts(&problems["problems"], "rule", "group-standby");
    assert!(standby[0].starts_with("synchronous_standby_names is empty"), "{standby:?}");

    let queues = get("/api/v1/qmgr/QM1/queues?columns=name,disposition,structure&where=structure=APP1");
    assert_eq!(queues["rows"], serde_json::json!([["ORDERS", "shared", "APP1"]]), "{queues}");
    let private = get("/api/v1/qmgr/QM1/queues?columns=name&where=disposition=shared&sort=-structure");
    assert_eq!(private["rows"], serde_json::json!([["ORDERS"]]), "{private}");
}

#[test]
fn a_database_that_is_away_is_told_alike_by_the_group_resource_the_problems_and_the_doctor() {
    let database = Database::to_be_killed();
    let folder = member(&database, "QM1");
    folder.run(&["group", "create"]);
    let server = Server::start_with(&folder, &["--qmgr", "QM1"], &[("MQ_ADMIN_PASSWORD", "admin-password")]);
    let get = |path: &str| resource(&server, path);
    eventually("the member has joined", || get("/api/v1/qmgr/QM1/group")["databases"][0]["isReached"] == true);
    database.server.kill("KILL");
    eventually("the database is away, and it is said why", || {
        let group = get("/api/v1/qmgr/QM1/group");
        group["databases"][0]["trouble"].as_str().is_some_and(|why| why.contains("refused"))
    });
    let group = get("/api/v1/qmgr/QM1/group");
    assert_eq!((&group["schemaVersion"], &group["members"][0]["name"]), (&serde_json::Value::Null, &"QM1".into()));
    let of_page = texts(&group["checks"], "subject", "database");
    assert!(of_page[0].starts_with("the database of the group does not answer: "), "{of_page:?}");
    assert_eq!(texts(&json(&folder.run(&["doctor", "--json"]))["checks"], "subject", "database"), of_page);
    eventually("it is an error", || {
        let problems = get("/api/v1/qmgr/QM1/problems");
        let texts = texts(&problems["problems"], "rule", "group-database");
        texts.first().is_some_and(|text| text.starts_with("The database of the group does not answer: "))
    });
    let metrics = server.answer("metrics", "/metrics", "");
    let reached = "quaymaster_group_database_reachable{qmgr=\"QM1\",group=\"QSG1\",database=\"home\"}";
    assert_eq!(sample(&metrics, reached), 0.0);
}

#[test]
fn the_metrics_of_a_server_without_a_group_know_none() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let page = server.answer("metrics", "/metrics", "");
    assert!(page.contains("quaymaster_queue_depth{") && !page.contains("group"), "{page}");
}

/// As `member`, where the structure APP2 has a database of its own.
fn member_with_structure(home: &Database, own: &Database, queue_manager: &str) -> Folder {
    let folder = member(home, queue_manager);
    let configuration = folder.read("quaymaster.toml");
    folder.write("quaymaster.toml", &format!("{configuration}[group.structures.APP2]\ndatabase = '{}'\n", own.url));
    folder
}

#[test]
fn a_queue_moves_to_a_database_of_its_own_also_when_the_server_that_moves_it_is_killed() {
    let (home, own) = (Database::empty(), Database::empty());
    let (first, second) = (member_with_structure(&home, &own, "QM1"), member_with_structure(&home, &own, "QM2"));
    let created = first.run(&["group", "create"]);
    assert!(created.starts_with("exit 0"), "{created}");
    let (one, two) = (Server::start(&first, &["--qmgr", "QM1"]), Server::start(&second, &["--qmgr", "QM2"]));
    let script = "DEFINE CFSTRUCT(APP1) CFLEVEL(5) RECOVER(YES)\nDEFINE CFSTRUCT(APP2) CFLEVEL(5) RECOVER(YES)\n\
                  DEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP1)\nDEFINE QLOCAL(OTHER) QSGDISP(SHARED) CFSTRUCT(APP1)\n";
    let done = first.run_with(&["runmqsc", "QM1"], script);
    assert!(done.starts_with("exit 0"), "{done}");
    expect![[r#"
        exit 0
        out: QUA0020I: The queue is in the database of the structure.
    "#]]
    .assert_eq(&first.run(&["group", "move", "OTHER", "--structure", "APP2"]));
    let is_known =
        |queue: &str| second.run(&["mqsc", "QM2", &format!("DISPLAY QLOCAL({queue})")]).starts_with("exit 0");
    eventually("the other member knows the queues", || is_known("ORDERS") && is_known("OTHER"));
    for number in ["1", "2", "3"] {
        let put = first.run(&["put", "-m", "QM1", "ORDERS", number, "--persistent"]);
        assert!(put.starts_with("exit 0"), "{put}");
    }

    // A member that stands still with the queue open keeps the move waiting.
    let spawn = |folder: &Folder, arguments: &[&str]| {
        let mut command = crate::program::command();
        command.args(arguments).env("QUAYMASTER_DATA", folder.path()).spawn().expect("the binary starts")
    };
    let correlation = "41".repeat(24);
    let wait = ["get", "-m", "QM2", "--correlation-id", &correlation, "--wait", "120s", "ORDERS"];
    let mut waits = spawn(&second, &wait);
    eventually("a get waits", || {
        second.run(&["mqsc", "QM2", "DISPLAY QSTATUS(ORDERS) IPPROCS"]).contains("IPPROCS(1)")
    });
    two.signal("STOP");
    let mut moves = spawn(&first, &["group", "move", "ORDERS", "--structure", "APP2"]);
    let mut expected = vec!["1".to_owned(), "2".to_owned(), "3".to_owned()];
    eventually("puts are inhibited", || {
        let next = (expected.len() + 1).to_string();
        let put = first.run(&["put", "-m", "QM1", "ORDERS", &next, "--persistent"]);
        if put.starts_with("exit 0") {
            expected.push(next);
            return false;
        }
        put.contains("2051")
    });
    one.signal("KILL");
    two.signal("CONT");
    // It sees for six seconds that the other one shows no life.
    let has_moved = (0..3000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        second.run(&["mqsc", "QM2", "DISPLAY QLOCAL(ORDERS) CFSTRUCT"]).contains("CFSTRUCT(APP2)")
    });
    assert!(has_moved, "the other member ends the move: {}", two.errors_with(""));
    for child in [&mut waits, &mut moves] {
        let _ = child.kill();
        child.wait().expect("ends");
    }
    for number in expected {
        assert_eq!(second.run(&["get", "-m", "QM2", "ORDERS", "--wait", "10s"]), format!("exit 0\nout: {number}\n"));
    }
    let left = second.run(&["get", "-m", "QM2", "ORDERS"]);
    assert!(!left.starts_with("exit 0"), "nothing came twice: {left}");
}

#[test]
fn a_server_ends_a_queue_manager_that_has_lost_a_structure_with_cfconlos_terminate() {
    let database = Database::of_group_to_be_killed("QSG1");
    let folder = member(&database, "QM1");
    folder.write(
        "quaymaster.toml",
        &format!(
            "[server]\nqueue_managers = ['QM1']\n[group]\nname = 'QSG1'\npatience_seconds = 1\ndatabase = '{}'\n",
            database.url
        ),
    );
    let _server = Server::start(&folder, &["--qmgr", "QM1"]);
    let script = "DEFINE CFSTRUCT(APP1) CFCONLOS(TERMINATE)\nDEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP1)\n";
    let done = folder.run_with(&["runmqsc", "QM1"], script);
    assert!(done.starts_with("exit 0"), "{done}");
    assert!(folder.run(&["dspmq", "-m", "QM1"]).contains("Running"));
    database.server.kill("KILL");
    eventually("the queue manager ends", || folder.run(&["dspmq", "-m", "QM1"]).contains("Ended"));
    database.server.start_again();
    let started = folder.run(&["strmqm", "QM1"]);
    assert!(started.starts_with("exit 0"), "{started}");
}

/// The lines that begin so, without columns that differ from run to run.
fn lines<'a>(text: &'a str, beginning: &str) -> Vec<&'a str> {
    text.lines().filter(|line| line.starts_with(beginning)).collect()
}

/// The first line of an answer's standard output, as JSON.
fn json(text: &str) -> serde_json::Value {
    let line = lines(text, "out: ").first().copied().unwrap_or_default();
    serde_json::from_str(line.trim_start_matches("out: ")).unwrap_or_else(|error| panic!("{error}: {text}"))
}

const ORDERS: &str =
    "DEFINE CFSTRUCT(APP1) CFLEVEL(5) RECOVER(YES)\nDEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP1)\n";

#[test]
fn an_operator_sees_a_group_joins_it_and_leaves_it() {
    let database = Database::empty();
    let (first, second) = (member(&database, "QM1"), member(&database, "QM2"));
    let none = first.run(&["group", "status"]);
    assert!(none.contains("exit 1") && none.contains("`quaymaster group create` makes them"), "{none}");
    first.run(&["group", "create"]);
    let joined = first.run(&["group", "join"]);
    assert!(joined.starts_with("exit 0"), "{joined}");
    assert!(joined.contains("QM1 is member 1 of QSG1, and takes part when its server starts"), "{joined}");
    let checked = json(&second.run(&["group", "join", "--check", "--json"]));
    assert_eq!((checked["member"].as_str(), checked["number"].is_null()), (Some("QM2"), true));

    let server = Server::start(&first, &["--qmgr", "QM1"]);
    first.run_with(&["runmqsc", "QM1"], ORDERS);
    for number in 0..3 {
        first.run(&["put", "-m", "QM1", "ORDERS", &format!("order {number}"), "--persistent"]);
    }
    let status = second.run(&["group", "status"]);
    // The PostgreSQL of the tests has no standby and no fsync.
    assert!(status.starts_with("exit 4"), "{status}");
    assert!(status.contains("Group QSG1, tables of version 1"), "{status}");
    assert_eq!(lines(&status, "out: QM1").len(), 1, "{status}");
    assert!(lines(&status, "out: ORDERS")[0].split_whitespace().eq(["out:", "ORDERS", "3", "21"]), "{status}");
    assert!(status.contains("warning  standby: synchronous_standby_names is empty"), "{status}");
    let status = json(&second.run(&["group", "status", "--json"]));
    let one = &status["members"][0];
    assert_eq!(
        (one["name"].as_str(), one["state"].as_str(), one["number"].as_i64()),
        (Some("QM1"), Some("ACTIVE"), Some(1))
    );
    assert!(one["secondsSinceBeat"].as_f64().is_some_and(|seconds| seconds < 3.0), "{one}");
    assert_eq!(status["queues"][0]["name"], "ORDERS");

    expect![[r#"
        exit 1
        err: quaymaster: QM1 lives: end its queue manager first
    "#]]
    .assert_eq(&second.run(&["group", "leave", "QM1", "--force"]));
    expect![[r#"
        exit 0
        out: Nothing is stuck in group QSG1.
    "#]]
    .assert_eq(&second.run(&["group", "repair"]));
    server.terminate();
    expect![[r#"
        exit 0
        out: QM1 is no member of QSG1 any more; number 1 is free.
    "#]]
    .assert_eq(&second.run(&["group", "leave", "QM1"]));
    expect![[r#"
        exit 1
        err: quaymaster: the group has no member QM1
    "#]]
    .assert_eq(&second.run(&["group", "leave", "QM1"]));
    expect![[r#"
        exit 0
        out: The tables of group QSG1 have version 1 or later.
    "#]]
    .assert_eq(&second.run(&["group", "upgrade"]));
}

#[test]
fn a_member_that_was_killed_alone_is_mended_by_hand() {
    let database = Database::empty();
    let folder = member(&database, "QM1");
    folder.run(&["group", "create"]);
    let server = Server::start(&folder, &["--qmgr", "QM1"]);
    folder.run_with(&["runmqsc", "QM1"], ORDERS);
    folder.run(&["put", "-m", "QM1", "ORDERS", "an order", "--persistent"]);
    server.signal("KILL");
    drop(server);
    database.run("UPDATE queue_depth SET messages = messages + 2");

    expect![[r#"
        exit 4
        out: members    member QM1 shows no life, and no peer recovers it: end its epoch, and give back what it holds
        out: depths     the depth of ORDERS is wrong by 2 messages and 0 bytes: count it
        out: Nothing was changed. Do it with --apply.
    "#]]
    .assert_eq(&folder.run(&["group", "repair"]));
    expect![[r#"
        exit 0
        out: members    member QM1 shows no life, and no peer recovers it: end its epoch, and give back what it holds
        out: depths     the depth of ORDERS is wrong by 2 messages and 0 bytes: count it
        out: Mended members: 1.
        out: Mended depths: 1.
    "#]]
    .assert_eq(&folder.run(&["group", "repair", "--apply"]));
    let status = json(&folder.run(&["group", "status", "--json"]));
    assert_eq!(
        (status["members"][0]["state"].as_str(), status["queues"][0]["messages"].as_i64()),
        (Some("FAILED"), Some(1))
    );

    let _again = Server::start(&folder, &["--qmgr", "QM1"]);
    expect![[r#"
        exit 0
        out: an order
    "#]]
    .assert_eq(&folder.run(&["get", "-m", "QM1", "ORDERS"]));
}

#[test]
fn a_doctor_looks_at_configuration_server_and_group() {
    let database = Database::empty();
    let folder = member(&database, "QM1");
    let ill = folder.run(&["doctor"]);
    assert!(ill.starts_with("exit 1") && ill.contains("error    group: the database has no tables"), "{ill}");
    folder.run(&["group", "create"]);
    let _server = Server::start(&folder, &["--qmgr", "QM1"]);
    let well = folder.run(&["doctor"]);
    assert!(well.starts_with("exit 4"), "{well}");
    for line in [
        "ok       configuration: DIR/quaymaster.toml is valid",
        "ok       server: all queue managers that should run do run",
        "ok       queues: QM1 has no queue that needs attention",
        "warning  standby: ",
        "ok       member: QM1 lives",
        "ok       privileges: ",
        "ok       old transactions: ",
    ] {
        assert!(well.contains(line), "{line} is missing: {well}");
    }
    let bare = Folder::new().run(&["doctor", "--json"]);
    let said: Vec<_> =
        json(&bare)["checks"].as_array().expect("checks").iter().map(|check| check["subject"].clone()).collect();
    assert_eq!(said, ["configuration", "space", "server", "group"]);
}

/// Persistent messages for a private queue of the other member, whose process is killed while it delivers them.
#[test]
fn messages_for_a_queue_of_a_member_that_is_killed_again_and_again_arrive_once() {
    const ROUNDS: usize = 5;
    const EACH: usize = 25;
    let database = Database::empty();
    let (first, second) = (member(&database, "QM1"), member(&database, "QM2"));
    first.run(&["group", "create"]);
    let _one = Server::start(&first, &["--qmgr", "QM1"]);
    let two = Server::start(&second, &["--qmgr", "QM2"]);
    let script = "DEFINE CFSTRUCT(APP1) CFLEVEL(5) RECOVER(YES)\n\
        DEFINE QLOCAL(SYSTEM.QSG.TRANSMIT.QUEUE) QSGDISP(SHARED) CFSTRUCT(APP1) USAGE(XMITQ)\n\
        ALTER QMGR IGQ(ENABLED)\n\
        DEFINE QREMOTE(TO.STOCK) RNAME(STOCK) RQMNAME(QM2)\n";
    let done = first.run_with(&["runmqsc", "QM1"], script);
    assert!(done.starts_with("exit 0"), "{done}");
    let done = second.run_with(&["runmqsc", "QM2"], "DEFINE QLOCAL(STOCK)\nALTER QMGR IGQAUT(ONLYIGQ)\n");
    assert!(done.starts_with("exit 0"), "{done}");
    eventually("the members know each other", || first.run(&["mqsc", "QM1", "DISPLAY GROUP"]).contains("QMNAME(QM2)"));
    let depth = |folder: &Folder, queue_manager: &str, queue: &str| -> Option<usize> {
        let said = folder.run(&["mqsc", queue_manager, &format!("DISPLAY QLOCAL({queue}) CURDEPTH")]);
        said.split_once("CURDEPTH(")?.1.split_once(')')?.0.parse().ok()
    };
    drop(two);
    for round in 0..ROUNDS {
        for number in 0..EACH {
            let put = first.run(&["put", "-m", "QM1", "TO.STOCK", &format!("{round}.{number}"), "--persistent"]);
            assert!(put.starts_with("exit 0"), "{put}");
        }
        let server = Server::start(&second, &["--qmgr", "QM2"]);
        // Some have arrived, and others are on their way, most often.
        eventually("messages arrive", || depth(&second, "QM2", "STOCK").is_some_and(|depth| depth > round * EACH));
        drop(server);
    }
    let _again = Server::start(&second, &["--qmgr", "QM2"]);
    eventually("all have arrived", || depth(&second, "QM2", "STOCK") == Some(ROUNDS * EACH));
    eventually("nothing is on its way", || depth(&second, "QM2", "SYSTEM.QSG.TRANSMIT.QUEUE") == Some(0));
    let mut arrived = Vec::new();
    for _ in 0..ROUNDS * EACH {
        let got = second.run(&["get", "-m", "QM2", "STOCK"]);
        arrived.push(got.lines().find_map(|line| line.strip_prefix("out: ")).expect("a message").to_owned());
    }
    let mut wanted: Vec<String> =
        (0..ROUNDS).flat_map(|round| (0..EACH).map(move |number| format!("{round}.{number}"))).collect();
    arrived.sort();
    wanted.sort();
    assert_eq!(arrived, wanted, "each once");
}
