//! DISPLAY TPSTATUS, SBSTATUS, PUBSUB and CLEAR TOPICSTR.

use bytes::Bytes;
use expect_test::expect;
use model::authority::Principal;
use model::descriptor::MessageDescriptor;
use model::options::{ObjectDescriptor, ObjectKind, OpenOptions, PutFlags, PutOptions};
use model::subscribe::{SubscribeFlags, SubscriptionDescriptor};
use queue_manager::Connection;

use crate::support::{administrator, connect, run_script, start, transcript_on, wait_for};

/// Opens a topic string and retains a publication on it.
fn retain(connection: &Connection, topic_string: &str) {
    let object =
        ObjectDescriptor { object: ObjectKind::Topic, topic_string: topic_string.to_owned(), ..Default::default() };
    wait_for(async {
        let handle = connection.open(&administrator(), &object, OpenOptions::OUTPUT).await.unwrap().handle;
        let options = PutOptions { flags: PutFlags::RETAIN, context: None };
        connection.put(handle, MessageDescriptor::default(), &options, Bytes::from("1:0")).await.unwrap();
    });
}

/// A publisher that is open and has retained one publication, and a subscriber without a name.
fn publish(connection: &Connection) {
    retain(connection, "sport/football");
    wait_for(async {
        let descriptor = SubscriptionDescriptor {
            flags: SubscribeFlags::CREATE | SubscribeFlags::MANAGED,
            topic_string: "sport/#".to_owned(),
            ..SubscriptionDescriptor::default()
        };
        connection.subscribe(&administrator(), &descriptor, None).await.unwrap();
    });
}

#[test]
fn topic_strings_show_what_they_inherit_and_who_uses_them() {
    let queue_manager = start();
    run_script(
        &queue_manager,
        "DEF TOPIC(SPORT) TOPICSTR('sport') DEFPRTY(7) DURSUB(NO)\nDEF QL(Q)\nDEF SUB(S) TOPICSTR('sport/football') DEST(Q)",
    );
    let connection = connect(&queue_manager, administrator(), "program");
    publish(&connection);
    let script = "DISPLAY TPSTATUS('sport/football')\n\
                  DIS TPSTATUS('sport/+') PUBCOUNT SUBCOUNT\n\
                  DIS TPSTATUS('#') WHERE(RETAINED EQ YES) ADMIN\n\
                  DIS TPSTATUS('sport/football') TYPE(PUB)\n\
                  DIS TPSTATUS('sport/football') TYPE(SUB)\n\
                  DIS TPSTATUS('opera')\n\
                  DIS TPSTATUS('sport') TYPE(PUB)\n\
                  DIS PUBSUB\n\
                  DIS PUBSUB TYPE(PARENT)\n\
                  CLEAR TOPICSTR('sport/football') CLRTYPE(RETAINED)\n\
                  DIS TPSTATUS('sport/football') RETAINED\n\
                  CLEAR TOPICSTR('sport/#') CLRTYPE(RETAINED)\n\
                  CLEAR TOPICSTR('sport')";
    expect![[r#"
        > DISPLAY TPSTATUS('sport/football')
        AMQ8754I: Display topic status details.
           TOPICSTR(sport/football)                ADMIN( )
           CLROUTE(NONE)                           CLUSTER( )
           COMMINFO( )                             DEFPRESP(SYNC)
           DEFPRTY(7)                              DEFPSIST(NO)
           DURSUB(NO)                              MCAST(DISABLED)
           MDURMDL(SYSTEM.DURABLE.MODEL.QUEUE)     MNDURMDL(SYSTEM.NDURABLE.MODEL.QUEUE)
           NPMSGDLV(ALLAVAIL)                      PMSGDLV(ALLDUR)
           PUB(ENABLED)                            PUBCOUNT(1)
           PUBSCOPE(ALL)                           RETAINED(YES)
           SUB(ENABLED)                            SUBCOUNT(1)
           SUBSCOPE(ALL)                           USEDLQ(YES)
        > DIS TPSTATUS('sport/+') PUBCOUNT SUBCOUNT
        AMQ8754I: Display topic status details.
           TOPICSTR(sport/#)                       ADMIN( )
           PUBCOUNT(0)                             SUBCOUNT(1)
        AMQ8754I: Display topic status details.
           TOPICSTR(sport/football)                ADMIN( )
           PUBCOUNT(1)                             SUBCOUNT(1)
        > DIS TPSTATUS('#') WHERE(RETAINED EQ YES) ADMIN
        AMQ8754I: Display topic status details.
           TOPICSTR(sport/football)                ADMIN( )
           RETAINED(YES)
        > DIS TPSTATUS('sport/football') TYPE(PUB)
        AMQ8754I: Display topic status details.
           TOPICSTR(sport/football)
           ACTCONN(*)
           LPUBDATE(*)                    LPUBTIME(*)
           MCASTREL( , )                           NUMPUBS(1)
        > DIS TPSTATUS('sport/football') TYPE(SUB)
        AMQ8754I: Display topic status details.
           TOPICSTR(sport/football)
           SUBID(*)
           ACTCONN(*)                              DURABLE(YES)
           LMSGDATE(*)                    LMSGTIME(*)
           MCASTREL( , )                           NUMMSGS(1)
           RESMDATE(*)                    RESMTIME(*)
           SUBTYPE(ADMIN)                          SUBUSER(server)
        > DIS TPSTATUS('opera')
        AMQ8147E: Object opera not found.
        > DIS TPSTATUS('sport') TYPE(PUB)
        AMQ8147E: No object matches the command.
        > DIS PUBSUB
        AMQ8723I: Display pub/sub status details.
           QMNAME(QM1)                             TYPE(LOCAL)
           STATUS(ACTIVE)                          SUBCOUNT(3)
           TPCOUNT(9)
        > DIS PUBSUB TYPE(PARENT)
        AMQ8147E: No object matches the command.
        > CLEAR TOPICSTR('sport/football') CLRTYPE(RETAINED)
        AMQ8699I: What was retained on the topic string is cleared.
        > DIS TPSTATUS('sport/football') RETAINED
        AMQ8754I: Display topic status details.
           TOPICSTR(sport/football)                ADMIN( )
           RETAINED(NO)
        > CLEAR TOPICSTR('sport/#') CLRTYPE(RETAINED)
        AMQ8699I: What was retained on the topic string is cleared.
        > CLEAR TOPICSTR('sport')
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        CLEAR TOPICSTR('sport')

        AMQ8421E: Keyword missing: CLRTYPE.
    "#]]
    .assert_eq(&transcript_on(&queue_manager, &administrator(), script));
}

#[test]
fn subscriptions_without_a_name_have_status_too() {
    let queue_manager = start();
    run_script(&queue_manager, "DEF QL(Q)\nDEF SUB(S) TOPICSTR('sport/football') DEST(Q)");
    let connection = connect(&queue_manager, administrator(), "program");
    publish(&connection);
    let script = "DISPLAY SBSTATUS(*)\n\
                  DIS SBSTATUS(*) SUBTYPE(API) ALL\n\
                  DIS SBSTATUS(*) DURABLE(YES) NUMMSGS SUBTYPE\n\
                  DIS SBSTATUS(S) SUBTYPE(API)\n\
                  DIS SBSTATUS SUBID(0102)";
    expect![[r#"
        > DISPLAY SBSTATUS(*)
        AMQ8099I: Display Subscription Status details.
           SUB( )
           SUBID(*)
           DURABLE(NO)                             SUBTYPE(API)
           SUBUSER(server)                         TOPICSTR(sport/#)
        AMQ8099I: Display Subscription Status details.
           SUB(S)
           SUBID(*)
           DURABLE(YES)                            SUBTYPE(ADMIN)
           SUBUSER(server)                         TOPICSTR(sport/football)
        AMQ8099I: Display Subscription Status details.
           SUB(SYSTEM.DEFAULT.SUB)
           SUBID(*)
           DURABLE(YES)                            SUBTYPE(ADMIN)
           SUBUSER( )                              TOPICSTR( )
        > DIS SBSTATUS(*) SUBTYPE(API) ALL
        AMQ8099I: Display Subscription Status details.
           SUB( )
           SUBID(*)
           ACTCONN(*)
           DURABLE(NO)                             LMSGDATE(*)
           LMSGTIME(*)                      MCASTREL( , )
           NUMMSGS(1)                              RESMDATE(*)
           RESMTIME(*)                      SUBTYPE(API)
           SUBUSER(server)                         TOPICSTR(sport/#)
        > DIS SBSTATUS(*) DURABLE(YES) NUMMSGS SUBTYPE
        AMQ8099I: Display Subscription Status details.
           SUB(S)
           SUBID(*)
           NUMMSGS(1)                              SUBTYPE(ADMIN)
        AMQ8099I: Display Subscription Status details.
           SUB(SYSTEM.DEFAULT.SUB)
           SUBID(*)
           NUMMSGS(0)                              SUBTYPE(ADMIN)
        > DIS SBSTATUS(S) SUBTYPE(API)
        AMQ8147E: Object S not found.
        > DIS SBSTATUS SUBID(*)
        AMQ8147E: Object 0102 not found.
    "#]]
    .assert_eq(&transcript_on(&queue_manager, &administrator(), script));
}

#[test]
fn one_topic_string_belongs_to_one_topic_object() {
    let queue_manager = start();
    let script = "DEF TOPIC(A) TOPICSTR('a')\nDEF TOPIC(B) TOPICSTR('a')\nDEF TOPIC(A) TOPICSTR('a') REPLACE";
    expect![[r#"
        > DEF TOPIC(A) TOPICSTR('a')
        AMQ8690I: Topic created.
        > DEF TOPIC(B) TOPICSTR('a')
        AMQ8698E: The topic string belongs to topic A already.
        > DEF TOPIC(A) TOPICSTR('a') REPLACE
        AMQ8690I: Topic created.
    "#]]
    .assert_eq(&transcript_on(&queue_manager, &administrator(), script));
}

#[test]
fn wildcards_clear_what_is_retained_on_every_topic_string_they_mean() {
    let queue_manager = start();
    let connection = connect(&queue_manager, administrator(), "program");
    let retained = || {
        let mut nodes = wait_for(queue_manager.topic_statuses("#")).unwrap();
        nodes.retain(|node| node.retained);
        nodes.into_iter().map(|node| node.topic_string).collect::<Vec<_>>()
    };
    for topic_string in ["a/b", "a/c", "a/b/d", "b", "x/a#b", "x/ab"] {
        retain(&connection, topic_string);
    }
    run_script(&queue_manager, "CLEAR TOPICSTR('a/+') CLRTYPE(RETAINED)");
    assert_eq!(retained(), ["a/b/d", "b", "x/a#b", "x/ab"]);
    run_script(&queue_manager, "CLEAR TOPICSTR('a/#') CLRTYPE(RETAINED)");
    assert_eq!(retained(), ["b", "x/a#b", "x/ab"]);
    run_script(&queue_manager, "CLEAR TOPICSTR('x/a#b') CLRTYPE(RETAINED)");
    assert_eq!(retained(), ["b", "x/ab"]);
    let script = "CLEAR TOPICSTR('#') CLRTYPE(RETAINED)";
    let refused = transcript_on(&queue_manager, &Principal::user("guest"), script);
    assert!(refused.contains("AMQ8135E"), "{refused}");
    assert_eq!(retained(), ["b", "x/ab"]);
}

#[test]
fn display_sub_chooses_by_type_durability_and_identifier_and_shows_topics_as_defined() {
    let queue_manager = start();
    run_script(&queue_manager, "DEF QL(Q)\nDEF TOPIC(T) TOPICSTR('a')\nDEF SUB(S) TOPICOBJ(T) TOPICSTR('b') DEST(Q)");
    let script = "DIS SUB(*)\nDIS SUB(S*) SUBTYPE(ADMIN) DURABLE(YES) TOPICSTR\nDIS SUB(S) SUBTYPE(API)\n\
                  DIS SUB(S) SUBTYPE(PROXY)\nDIS SUB(*) DURABLE(NO)\nDIS SUB(S) SUBTYPE(ALL) DURABLE\n\
                  DIS SUB(S) DISTYPE(RESOLVED) TOPICSTR TOPICOBJ\nDIS SUB(S) DISTYPE(DEFINED) TOPICSTR TOPICOBJ\n\
                  DIS SUB(S) DISTYPE(DEFINED) WHERE(TOPICSTR EQ 'b')\nDIS SUB(S) SUBTYPE(ANY)\n\
                  DIS SUB SUBID('00') DEST";
    expect![[r#"
        > DIS SUB(*)
        AMQ8096I: Display Subscription details.
           SUBID(*)
           SUB(S)
        AMQ8096I: Display Subscription details.
           SUBID(*)
           SUB(SYSTEM.DEFAULT.SUB)
        > DIS SUB(S*) SUBTYPE(ADMIN) DURABLE(YES) TOPICSTR
        AMQ8096I: Display Subscription details.
           SUBID(*)
           SUB(S)                                  TOPICSTR(a/b)
        AMQ8096I: Display Subscription details.
           SUBID(*)
           SUB(SYSTEM.DEFAULT.SUB)                 TOPICSTR( )
        > DIS SUB(S) SUBTYPE(API)
        AMQ8147E: Object S not found.
        > DIS SUB(S) SUBTYPE(PROXY)
        AMQ8147E: Object S not found.
        > DIS SUB(*) DURABLE(NO)
        AMQ8147E: Object * not found.
        > DIS SUB(S) SUBTYPE(ALL) DURABLE
        AMQ8096I: Display Subscription details.
           SUBID(*)
           SUB(S)                                  DURABLE(YES)
        > DIS SUB(S) DISTYPE(RESOLVED) TOPICSTR TOPICOBJ
        AMQ8096I: Display Subscription details.
           SUBID(*)
           SUB(S)                                  TOPICSTR(a/b)
           TOPICOBJ(T)
        > DIS SUB(S) DISTYPE(DEFINED) TOPICSTR TOPICOBJ
        AMQ8096I: Display Subscription details.
           SUBID(*)
           SUB(S)                                  TOPICSTR(b)
           TOPICOBJ(T)
        > DIS SUB(S) DISTYPE(DEFINED) WHERE(TOPICSTR EQ 'b')
        AMQ8096I: Display Subscription details.
           SUBID(*)
           SUB(S)                                  TOPICSTR(b)
        > DIS SUB(S) SUBTYPE(ANY)
        AMQ8405I: Syntax error detected at or near end of command segment below:-
        DIS SUB(S) SUBTYPE(ANY)

        AMQ8425E: Not a value: SUBTYPE(ANY): expected one of ALL, USER, ADMIN, API, PROXY.
        > DIS SUB SUBID(*) DEST
        AMQ8147E: Object 00 not found.
    "#]]
    .assert_eq(&transcript_on(&queue_manager, &administrator(), script));
    let identifier = queue_manager.subscription("S").unwrap().identifier;
    let lines = run_script(&queue_manager, &format!("DIS SUB SUBID({identifier}) DEST"));
    assert!(lines.concat().contains("SUB(S)") && lines.concat().contains("DEST(Q)"), "{lines:?}");
}
