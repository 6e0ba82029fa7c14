//! `dmpmqmsg` and `runmqdlq`: messages to files and back, from queue to queue, and off a dead-letter queue by rules.

use expect_test::expect;

use crate::program::{Folder, Server, command, eventually, finish, shown};

const IDENTIFIER: &str = "0123456789abcdef0123456789abcdef0123456789abcdef";

/// Three messages on DEV.QUEUE.1: one persistent with an identifier, one of bytes, one of low priority.
fn three(folder: &Folder) {
    let put = |words: &[&str]| {
        let said = folder.run(words);
        assert!(said.starts_with("exit 0\n"), "{said}");
    };
    put(&["put", "DEV.QUEUE.1", "first", "--persistent", "--message-id", IDENTIFIER, "--reply-to", "DEV.QUEUE.3"]);
    let bytes = folder.write("bytes", "\u{0}~\"\u{1}").display().to_string();
    put(&["put", "DEV.QUEUE.1", "--binary", "--file", &bytes]);
    put(&["put", "DEV.QUEUE.1", "third", "--priority", "1"]);
}

fn bodies(folder: &Folder, queue: &str) -> Vec<String> {
    let said = folder.run(&["browse", queue, "--json"]);
    let lines = said.lines().filter_map(|line| line.strip_prefix("out: "));
    let read = |line: &str| {
        let message: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let text = message["body"].as_str().or(message["bodyBase64"].as_str()).unwrap_or_default().to_owned();
        format!("{text} {} {}", message["persistent"], message["priority"])
    };
    lines.map(read).collect()
}

fn depth(folder: &Folder, queue: &str) -> String {
    folder.run(&["depth", queue]).trim_start_matches("exit 0\nout: ").trim_end().to_owned()
}

#[test]
fn messages_go_into_a_file_and_come_back_with_their_descriptors() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    three(&folder);
    let before = bodies(&folder, "DEV.QUEUE.1");
    let descriptor = folder.run(&["browse", "DEV.QUEUE.1", "--json", "--count", "1"]);
    for style in ["-dp", "-dA", "-da", "-diw10"] {
        let file = folder.join("messages.txt").display().to_string();
        let copied = folder.run(&["dmpmqmsg", "-m", "QM1", "-i", "DEV.QUEUE.1", "-F", &file, style]);
        assert_eq!(
            copied,
            "exit 0\nerr: Read    - Files:    0  Messages:    3  Bytes:        14\n\
             err: Written - Files:    1  Messages:    3  Bytes:        14\n"
        );
        assert_eq!(depth(&folder, "DEV.QUEUE.1"), "3", "-i leaves the messages");
        let loaded = folder.run(&["dmpmqmsg", "-q", "-o", "DEV.QUEUE.2", "-f", &file]);
        assert_eq!(loaded, "exit 0\n", "{style}");
        assert_eq!(bodies(&folder, "DEV.QUEUE.2"), before, "{style}");
        assert_eq!(folder.run(&["browse", "DEV.QUEUE.2", "--json", "--count", "1"]), descriptor, "{style}");
        folder.run(&["mqsc", "CLEAR QLOCAL(DEV.QUEUE.2)"]);
    }
    let file = folder.join("messages.txt").display().to_string();
    let refused = folder.run(&["dmpmqmsg", "-i", "DEV.QUEUE.1", "-f", &file]);
    assert!(refused.starts_with("exit 1\nerr: quaymaster: DIR/messages.txt exists; -F replaces it"), "{refused}");
    assert!(folder.run(&["dmpmqmsg", "-q", "-I", "DEV.QUEUE.1", "-F", &file]).starts_with("exit 0"));
    assert_eq!(depth(&folder, "DEV.QUEUE.1"), "0", "-I removes the messages");
    assert!(folder.read("messages.txt").starts_with("* DMPMQMSG Version:"));
}

#[test]
fn a_load_that_fails_puts_nothing_of_its_unit() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    let file = folder.write("bad.txt", "* QLOAD\nN\nS \"one\"\n\nN\nS \"two\"\n\nN\nX 0\n").display().to_string();
    let said = folder.run(&["dmpmqmsg", "-o", "DEV.QUEUE.1", "-f", &file]);
    expect![[r#"
        exit 1
        err: quaymaster: DIR/bad.txt, line 9: expected pairs of hexadecimal digits
    "#]]
    .assert_eq(&said);
    assert_eq!(depth(&folder, "DEV.QUEUE.1"), "0");
    // With a unit of one message each, those before the mistake are put.
    assert!(folder.run(&["dmpmqmsg", "-t", "1", "-o", "DEV.QUEUE.1", "-f", &file]).starts_with("exit 1"));
    assert_eq!(bodies(&folder, "DEV.QUEUE.1").len(), 2);
}

#[test]
fn a_selection_moves_what_it_names_and_leaves_the_rest() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    for number in 1..=6 {
        folder.run(&["put", "DEV.QUEUE.1", &format!("message {number}")]);
    }
    let moved = |arguments: &[&str], queue: &str| {
        let said = folder.run(&[&["dmpmqmsg", "-q"], arguments].concat());
        assert_eq!(said, "exit 0\n", "{arguments:?}");
        bodies(&folder, queue).iter().map(|body| body.chars().nth(8).expect("a digit")).collect::<String>()
    };
    assert_eq!(moved(&["-i", "DEV.QUEUE.1", "-o", "DEV.QUEUE.2", "-r", "2#2"], "DEV.QUEUE.2"), "23");
    assert_eq!(moved(&["-I", "DEV.QUEUE.1", "-o", "DEV.QUEUE.3", "-s", "message 4"], "DEV.QUEUE.3"), "4");
    assert_eq!(moved(&["-I", "DEV.QUEUE.1", "-o", "DEV.QUEUE.3", "-r", "..2"], "DEV.QUEUE.3"), "412");
    assert_eq!(moved(&["-I", "DEV.QUEUE.1", "-o", "DEV.QUEUE.3", "-S", "5"], "DEV.QUEUE.3"), "41236");
    assert_eq!(moved(&["-I", "DEV.QUEUE.1", "-o", "DEV.QUEUE.3", "-T", "5"], "DEV.QUEUE.1"), "5");
    assert_eq!(moved(&["-i", "DEV.QUEUE.2", "-p", "-o", "DEV.QUEUE.1", "-T-5"], "DEV.QUEUE.1"), "523");
    assert_eq!(depth(&folder, "DEV.QUEUE.2"), "0", "-p removes what it copies");
    let file = folder.join("one%n").display().to_string();
    moved(&["-i", "DEV.QUEUE.1", "-f", &file, "-dp"], "DEV.QUEUE.1");
    assert!(folder.read("one3").ends_with("S \"message 3\"\n\n"));
    folder.run(&["mqsc", "CLEAR QLOCAL(DEV.QUEUE.1)"]);
    assert_eq!(moved(&["-o", "DEV.QUEUE.1", "-f", &file], "DEV.QUEUE.1"), "523");
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let folder = Folder::new();
    for (arguments, part) in [
        (&["-o", "Q"][..], "name a source"),
        (&["-i", "A", "-o", "B", "-f", "c"], "too many queues or files"),
        (&["-i", "A", "-I", "B"], "cannot be used with"),
        (&["-i", "A", "-d", "z"], "'z' is not a letter of -d"),
        (&["-i", "A", "-d", "Ap"], "only one of A, p and t"),
        (&["-i", "A", "-r", "x"], "'x' is not a range"),
        (&["-i", "A", "-T", "old"], "'old' is not an age"),
        (&["-i", "A", "-g", "z1"], "is not a key"),
        (&["-i", "A", "-P", "utf-8"], "expected CCSID or CCSID:ENCODING"),
        (&["-f", "in", "-C", "a", "-o", "Q"], "take the context of a source queue"),
        (&["-i", "A", "-c"], "--channel, --ccdt or the variable MQSERVER"),
        (&["-i", "A", "--url", "https://localhost"], "REST has no units of work"),
    ] {
        let said = folder.run(&[&["dmpmqmsg"], arguments].concat());
        assert!(said.starts_with("exit 2\n") && said.contains(part), "{arguments:?}: {said}");
    }
    assert!(folder.run(&["dmpmqmsg", "-?"]).starts_with("exit 0\n"));
}

#[test]
fn messages_move_over_a_channel_as_the_user_of_the_channel() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    folder.run(&["put", "DEV.QUEUE.1", "through a channel"]);
    let passwords = folder.join("initial-passwords").display().to_string();
    let file = folder.join("messages").display().to_string();
    let mq = server.address("mq");
    let far = ["--channel", "DEV.ADMIN.SVRCONN", "--mq", &mq, "--user", "admin", "--password-file", &passwords];
    let run = |arguments: &[&str]| folder.run(&[&["dmpmqmsg", "-q"], arguments, &far].concat());
    assert_eq!(run(&["-I", "DEV.QUEUE.1", "-f", &file]), "exit 0\n");
    assert_eq!(depth(&folder, "DEV.QUEUE.1"), "0");
    assert_eq!(run(&["-o", "DEV.QUEUE.2", "-f", &file]), "exit 0\n");
    assert_eq!(bodies(&folder, "DEV.QUEUE.2"), ["through a channel false 0"]);
    // As MQ programs do, by MQSERVER.
    let (host, port) = mq.rsplit_once(':').expect("an address");
    let mut process = command();
    process
        .args(["dmpmqmsg", "-q", "-c", "-u", "admin", "-i", "DEV.QUEUE.2", "-dp"])
        .env("MQSERVER", format!("DEV.ADMIN.SVRCONN/TCP/{host}({port})"))
        .env("QUAYMASTER_PASSWORD", folder.password("admin"));
    let said = shown(&finish(process, ""));
    assert!(said.starts_with("exit 0\n") && said.contains("S \"through a channel\""), "{said}");
}

/// A queue that is full, and a message for it on the dead-letter queue with a dead-letter header, as the queue manager puts one
/// whose report or trigger cannot be delivered: here loaded from a file, with MQDLH in front.
fn dead_letter(folder: &Folder, queue: &str, reason: u32, body: &str) {
    dead_letter_of(folder, "A USR app\n", queue, reason, body);
}

/// As `dead_letter`, with the lines of a message file that say whose the message is.
fn dead_letter_of(folder: &Folder, identity: &str, queue: &str, reason: u32, body: &str) {
    let pad =
        |text: &str, length: usize| format!("{text:<length$}").bytes().map(|b| format!("{b:02X}")).collect::<String>();
    let header = [
        "444C4820".to_owned(),
        "00000001".to_owned(),
        format!("{reason:08X}"),
        pad(queue, 48),
        pad("QM1", 48),
        "00000111".to_owned(),
        format!("{:08X}", 1208),
        pad("MQSTR", 8),
        "00000006".to_owned(),
        pad("a program", 28),
        pad("20260101", 8),
        pad("12000000", 8),
    ];
    let data = pad(body, body.len());
    let text = format!(
        "* QLOAD\nA VER 2\nA ENC 273\nA CCS 1208\nA FMT MQDEAD\nA PER 1\n{identity}X {}{data}\n",
        header.concat()
    );
    let file = folder.write("dead.txt", &text).display().to_string();
    let said = folder.run(&["dmpmqmsg", "-q", "-o", "DEV.DEAD.LETTER.QUEUE", "-f", &file, "-C", "I"]);
    assert_eq!(said, "exit 0\n");
}

fn rules(folder: &Folder, text: &str) -> String {
    folder.run_with(&["runmqdlq"], text)
}

#[test]
fn rules_put_again_forward_discard_and_leave() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    dead_letter(&folder, "DEV.QUEUE.1", 2053, "again");
    dead_letter(&folder, "NO.SUCH.QUEUE", 2085, "forward");
    dead_letter(&folder, "NO.SUCH.QUEUE", 2085, "keep header");
    dead_letter(&folder, "OLD.QUEUE", 2035, "discard");
    dead_letter(&folder, "DEV.QUEUE.3", 2051, "stays");
    folder.run(&["put", "DEV.DEAD.LETTER.QUEUE", "without a header"]);
    let said = rules(
        &folder,
        "* Rules of the test\nWAIT(NO) RETRYINT(1)\nREASON(MQRC_Q_FULL) ACTION(RETRY)\n\
         DESTQ(NO.*) REASON(MQRC_UNKNOWN_OBJECT_NAME) ACTION(FWD) FWDQ(DEV.QUEUE.2) HEADER(NO) +\n  USERID('app')\n\
         DESTQ(OLD.*) ACTION(DISCARD)\n",
    );
    expect![[r#"
        exit 0
        out: DEV.DEAD.LETTER.QUEUE: 1 discarded, 1 put again, 2 forwarded, 2 left.
        err: quaymaster: a message of the queue has no dead-letter header; such messages stay on the queue
    "#]]
    .assert_eq(&said);
    assert_eq!(bodies(&folder, "DEV.QUEUE.1"), ["again true 0"]);
    assert_eq!(bodies(&folder, "DEV.QUEUE.2"), ["forward true 0", "keep header true 0"]);
    assert_eq!(depth(&folder, "DEV.DEAD.LETTER.QUEUE"), "2");
    let said = rules(&folder, "WAIT(NO)\nDESTQ(DEV.QUEUE.3) ACTION(FWD) FWDQ(DEV.QUEUE.3) HEADER(YES)\n");
    assert!(
        said.starts_with("exit 0\nout: DEV.DEAD.LETTER.QUEUE: 0 discarded, 0 put again, 1 forwarded, 1 left."),
        "{said}"
    );
    let kept = folder.run(&["browse", "DEV.QUEUE.3", "--json"]);
    assert!(kept.contains("\"format\":\"MQDEAD\""), "{kept}");
}

#[test]
fn a_rule_that_fails_is_tried_again_and_then_the_next_one() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    folder.run(&["mqsc", "ALTER QLOCAL(DEV.QUEUE.1) PUT(DISABLED)"]);
    dead_letter(&folder, "DEV.QUEUE.1", 2051, "nowhere to go");
    let said = rules(
        &folder,
        "WAIT(NO) RETRYINT(0)\nDESTQ(DEV.QUEUE.1) ACTION(RETRY) RETRY(3)\nREASON(MQRC_PUT_INHIBITED) ACTION(FWD) FWDQ(DEV.QUEUE.2) HEADER(NO)\n",
    );
    assert!(said.contains("0 discarded, 0 put again, 1 forwarded, 0 left"), "{said}");
    assert_eq!(said.matches("2051 (MQRC_PUT_INHIBITED)").count(), 3, "{said}");
    assert_eq!(bodies(&folder, "DEV.QUEUE.2"), ["nowhere to go true 0"]);
}

#[test]
fn a_handler_that_waits_takes_messages_as_they_come_and_a_kill_loses_none() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    let table = folder.write("table", "WAIT(YES)\nREASON(*) ACTION(RETRY)\n").display().to_string();
    let start = || {
        let mut process = command();
        process.args(["runmqdlq", "--rules", &table]).env("QUAYMASTER_DATA", folder.path());
        process.spawn().expect("starts")
    };
    for round in 1..=3 {
        let mut handler = start();
        dead_letter(&folder, "DEV.QUEUE.1", 2053, "one more");
        if round < 3 {
            // Killed at any moment: the message is on one of the two queues.
            handler.kill().expect("killed");
        } else {
            eventually("every message put again", || depth(&folder, "DEV.QUEUE.1") == "3");
            handler.kill().expect("killed");
        }
        handler.wait().expect("ends");
        // What the killed handler had not committed is backed out when the server notices.
        let both = || ["DEV.QUEUE.1", "DEV.DEAD.LETTER.QUEUE"].map(|queue| depth(&folder, queue).parse::<u32>());
        let total = || both().into_iter().map(|depth| depth.expect("a number")).sum::<u32>();
        eventually(&format!("{round} messages on both queues"), || total() == round);
    }
    assert_eq!(depth(&folder, "DEV.DEAD.LETTER.QUEUE"), "0");
}

#[test]
fn rules_are_checked_without_a_server_and_mistakes_have_a_line() {
    let folder = Folder::new();
    let good = folder.write("good", "ACTION(IGNORE)\n").display().to_string();
    assert_eq!(
        folder.run(&["runmqdlq", "--check", "--rules", &good]),
        "exit 0\nout: The rules table is valid. Rules: 1.\n"
    );
    expect![[r#"
        exit 2
        err: quaymaster: line 2: a rule needs ACTION
    "#]]
    .assert_eq(&rules(&folder, "* nothing\nREASON(2053)\n"));
    assert!(folder.run_with(&["runmqdlq", "-f", &good], "").starts_with("exit 20\n"));
}

/// Identity context of a user whose name begins with the 12 characters `twelve.chars`, and of that user.
fn identity(user: &str) -> String {
    let (first, rest) = user.split_at(user.len().min(12));
    let mut token = format!("{:02X}", rest.len());
    token.extend(rest.bytes().map(|byte| format!("{byte:02X}")));
    match rest {
        "" => format!("A USR {first}\n"),
        _ => format!("A USR {first}\nA ACC {token:0<62}19\n"),
    }
}

#[test]
fn a_rule_with_putaut_ctx_puts_with_the_authority_of_the_whole_user_of_each_message() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mqsc = |command: &str| {
        let done = folder.run(&["mqsc", command]);
        assert!(done.starts_with("exit 0\n"), "{done}");
    };
    mqsc("DEFINE QLOCAL(OF.TWELVE)");
    mqsc("SET AUTHREC PROFILE(OF.TWELVE) OBJTYPE(QUEUE) PRINCIPAL('twelve.chars') AUTHADD(PUT,SETALL)");
    let rule = "WAIT(NO)\nACTION(RETRY) PUTAUT(CTX)\n";
    let passwords = folder.join("initial-passwords").display().to_string();
    let mq = server.address("mq");
    let far = ["--channel", "DEV.ADMIN.SVRCONN", "--mq", &mq, "--user", "admin", "--password-file", &passwords];
    let put_back = |said: &str, expected: &str| {
        let line = format!("exit 0\nout: DEV.DEAD.LETTER.QUEUE: 0 discarded, {expected}.");
        assert!(said.starts_with(&line), "{expected}: {said}");
    };
    for door in [&[][..], &far] {
        let handle = || folder.run_with(&[&["runmqdlq", "DEV.DEAD.LETTER.QUEUE"], door].concat(), rule);
        dead_letter_of(&folder, &identity("twelve.chars"), "OF.TWELVE", 2053, "allowed");
        put_back(&handle(), "1 put again, 0 forwarded, 0 left");
        assert_eq!(depth(&folder, "OF.TWELVE"), "1");
        for user in ["app", "twelve.chars.and.more", " "] {
            dead_letter_of(&folder, &identity(user), "OF.TWELVE", 2053, "not allowed");
            put_back(&handle(), "0 put again, 0 forwarded, 1 left");
            assert_eq!(depth(&folder, "OF.TWELVE"), "1", "as user '{user}'");
            // The handler itself may.
            let by_handler = folder.run_with(&["runmqdlq"], "WAIT(NO)\nACTION(DISCARD)\n");
            assert!(by_handler.contains("1 discarded"), "{by_handler}");
        }
        mqsc("CLEAR QLOCAL(OF.TWELVE)");
    }
    // Names that MQOD has no room for can be named on the server's own machine alone.
    mqsc("SET AUTHREC PROFILE(OF.TWELVE) OBJTYPE(QUEUE) PRINCIPAL('twelve.chars.and.more') AUTHADD(PUT,SETALL)");
    dead_letter_of(&folder, &identity("twelve.chars.and.more"), "OF.TWELVE", 2053, "of the longer name");
    let said = folder.run_with(&[&["runmqdlq"], &far[..]].concat(), rule);
    put_back(&said, "0 put again, 0 forwarded, 1 left");
    assert!(said.contains("more than 12 characters"), "{said}");
    put_back(&rules(&folder, rule), "1 put again, 0 forwarded, 0 left");
    assert_eq!(bodies(&folder, "OF.TWELVE"), ["of the longer name true 0"]);
}

#[test]
fn rules_work_over_a_channel_as_the_user_of_the_channel() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    dead_letter(&folder, "DEV.QUEUE.1", 2053, "again");
    dead_letter(&folder, "NO.SUCH.QUEUE", 2085, "forward");
    dead_letter(&folder, "OLD.QUEUE", 2035, "discard");
    dead_letter(&folder, "DEV.QUEUE.3", 2051, "stays");
    let table = "WAIT(NO)\nREASON(MQRC_Q_FULL) ACTION(RETRY)\n\
                 DESTQ(NO.*) ACTION(FWD) FWDQ(DEV.QUEUE.2) HEADER(NO)\nDESTQ(OLD.*) ACTION(DISCARD)\n";
    // As MQ programs do, by MQSERVER; the queue manager says which queue is its dead-letter queue.
    let mq = server.address("mq");
    let (host, port) = mq.rsplit_once(':').expect("an address");
    let by = |user: &str| {
        let mut process = command();
        process
            .args(["runmqdlq", "-c", "-u", user])
            .env("MQSERVER", format!("DEV.ADMIN.SVRCONN/TCP/{host}({port})"))
            .env("QUAYMASTER_PASSWORD", folder.password(user));
        shown(&finish(process, table))
    };
    assert!(!by("app").starts_with("exit 0\n"), "the channel is the administrator's");
    assert_eq!(depth(&folder, "DEV.DEAD.LETTER.QUEUE"), "4");
    expect![[r#"
        exit 0
        out: DEV.DEAD.LETTER.QUEUE: 1 discarded, 1 put again, 1 forwarded, 1 left.
    "#]]
    .assert_eq(&by("admin"));
    assert_eq!(bodies(&folder, "DEV.QUEUE.1"), ["again true 0"]);
    assert_eq!(bodies(&folder, "DEV.QUEUE.2"), ["forward true 0"]);
    assert_eq!(depth(&folder, "DEV.DEAD.LETTER.QUEUE"), "1");
}
