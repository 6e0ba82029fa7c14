//! Properties to services, and what is said of those that cannot be.

use std::collections::BTreeMap;

use super::*;
use crate::names::ConnectionFactory;

fn names() -> Names {
    let factory = |queue_manager: Option<&str>, remote: Option<&str>, user: Option<&str>| ConnectionFactory {
        queue_manager: queue_manager.map(str::to_owned),
        remote: remote.map(str::to_owned),
        user: user.map(str::to_owned),
        password: user.map(|_| "pw".to_owned()),
    };
    let table = QueueTable { queue: "REPLIES".to_owned(), ccsid: Some(37), ..QueueTable::default() };
    Names {
        connection_factories: BTreeMap::from([
            ("jms/local".to_owned(), factory(Some("QM2"), None, None)),
            ("jms/pay".to_owned(), factory(None, Some("PAY"), Some("batch"))),
            ("jms/gone".to_owned(), factory(None, Some("GONE"), None)),
        ]),
        queues: BTreeMap::from([
            ("jms/request".to_owned(), Queue::Name("REQUESTS".to_owned())),
            ("jms/reply".to_owned(), Queue::Table(table)),
        ]),
        topics: BTreeMap::from([("jms/news".to_owned(), "news/all".to_owned())]),
        remote: vec!["PAY".to_owned()],
    }
}

fn build(properties: &str) -> Result<Mq, String> {
    let mut builder = Service::builder("s");
    for line in properties.split_whitespace() {
        let (property, value) = line.split_once('=').unwrap();
        builder = builder.property(property, value).map_err(|error| error.to_string())?;
    }
    builder.build(&names()).map(|service| service.provider).map_err(|error| error.to_string())
}

#[test]
fn names_without_an_entry_stand_for_themselves_and_others_for_their_entry() {
    let provider = build("connectionFactory=jms/cf destination=jms.request").unwrap();
    let queue = |name: &str| QueueAddress { queue: QueueName::literal(name), queue_manager: QueueName::BLANK };
    assert_eq!(provider.target, Target::Local(String::new()));
    assert_eq!(provider.destination, Destination::Queue(queue("jms.request")));
    assert_eq!(provider.kind, Kind::Queue);
    assert_eq!((provider.ccsid, provider.wait), (Ccsid::UTF_8, Wait::None));

    let properties = "connectionFactory=jms/local destination=jms/request replyDestination=jms/reply waitInterval=-1";
    let provider = build(properties).unwrap();
    assert_eq!(provider.target, Target::Local("QM2".to_owned()));
    assert_eq!(provider.destination, Destination::Queue(queue("REQUESTS")));
    assert!(
        matches!(provider.kind, Kind::TwoWay { reply, late_reply: LateReply::Expire, .. } if reply == queue("REPLIES"))
    );
    assert_eq!(provider.wait, Wait::Unlimited);

    let provider = build("connectionFactory=jms/pay destination=queue:///Q").unwrap();
    assert_eq!(provider.target, Target::Remote("PAY".to_owned()));
    assert_eq!(provider.user, ServiceUser::Named { user: "batch".to_owned(), password: "pw".to_owned() });
    assert_eq!(build("connectionFactory=PAY destination=Q").unwrap().target, Target::Remote("PAY".to_owned()));
    for topic in ["jms/news", "topic://news/all"] {
        let provider = build(&format!("destination={topic}")).unwrap();
        assert_eq!((provider.destination, provider.kind), (Destination::Topic("news/all".to_owned()), Kind::Topic));
    }
}

#[test]
fn what_is_sent_is_as_the_properties_say() {
    let provider = build(
        "destination=jms/reply persistence=TRUE priority=0 expiry=1500 mqmdFormat=ORDER selector=a=1 \
         receiveTextCCSID=1047 useCallerPrincipal=true targetClient=JMS payload=text",
    )
    .unwrap();
    assert_eq!((provider.persistence, provider.priority), (Persistence::Persistent, 0));
    assert_eq!(provider.expiry, Some(Duration::from_millis(1500)));
    assert_eq!((provider.format.0.to_text().as_ref(), &*provider.selector), ("ORDER", "a=1"));
    assert_eq!((provider.ccsid, provider.receive_text_ccsid), (Ccsid(37), 1047));
    assert_eq!((provider.user, provider.target_client), (ServiceUser::Caller, TargetClient::Jms));
    assert_eq!(provider.payload, Payload::Text);
    assert_eq!(build("destination=Q expiry=0").unwrap().expiry, None);
}

#[test]
fn what_cannot_be_is_told_by_its_property() {
    let two_way = "destination=Q replyDestination=R";
    let table = [
        ("", "the property 'destination' is missing"),
        ("destination=a.name.that.is.longer.than.the.forty.eight.characters", "'destination' cannot be"),
        (two_way, "the property 'waitInterval' is missing"),
        ("destination=Q replyDestination=topic://t waitInterval=1", "'replyDestination' cannot be 'topic://t'"),
        ("destination=topic://t messagingAction=mqget", "'destination' cannot be 'topic://t'"),
        ("destination=Q messagingAction=mqbrowse", "'messagingAction' cannot be 'mqbrowse': it is one of mqput, mqget"),
        (
            "destination=Q messagingAction=mqput replyDestination=R",
            "'messagingAction' cannot be used with 'replyDestination'",
        ),
        ("destination=Q waitInterval=soon", "'waitInterval' cannot be 'soon': it is no whole number"),
        ("destination=Q priority=10", "'priority' cannot be '10': it is outside -1 to 9"),
        ("destination=Q persistence=yes", "'persistence' cannot be 'yes'"),
        ("destination=Q mqmdFormat=TOOLONGER", "'mqmdFormat' cannot be 'TOOLONGER'"),
        ("destination=Q receiveTextCCSID=4", "'receiveTextCCSID' cannot be '4': this code page is not supported"),
        ("destination=Q userName=a", "the property 'password' is missing"),
        ("destination=Q password=a", "the property 'userName' is missing"),
        (
            "destination=Q userName=a password=b useCallerPrincipal=true",
            "'useCallerPrincipal' cannot be used with 'userName'",
        ),
        ("destination=Q connectionFactory=jms/gone", "there is no remote queue manager 'GONE'"),
        ("destination=Q lateReply=keep", "the property 'replyDestination' is missing"),
        ("destination=Q replyDestination=R waitInterval=1 lateReply=queue", "'lateReplyDestination' is missing"),
        ("destination=Q selector=a=", "'selector' cannot be 'a=': at byte 2 of the selector"),
        ("destination=Q provider=cics", "'provider' cannot be 'cics'"),
        ("destinaton=Q", "the property 'destinaton' is not known"),
    ];
    for (properties, expected) in table {
        let told = build(properties).map(drop).expect_err(properties);
        assert!(told.contains(expected), "{properties}: {told}");
    }
    for name in ["", "..", "a/b", "a?b", "a\nb"] {
        let named = Service::builder(name).property("destination", "Q").unwrap().build(&names());
        assert!(matches!(named.map(drop), Err(DefinitionError::Name { .. })), "{name}");
    }
}

#[test]
fn late_replies_are_named_with_or_without_the_word() {
    let two_way = "destination=Q replyDestination=R waitInterval=1";
    let late = |more: &str| match build(&format!("{two_way} {more}")).unwrap().kind {
        Kind::TwoWay { late_reply, .. } => late_reply,
        other => panic!("{other:?}"),
    };
    let queue = QueueAddress { queue: QueueName::literal("LATE"), queue_manager: QueueName::BLANK };
    assert_eq!(late("lateReplyDestination=LATE"), LateReply::Queue(queue));
    assert_eq!(late("lateReply=queue lateReplyDestination=LATE"), LateReply::Queue(queue));
    assert_eq!(late("lateReply=keep"), LateReply::Keep);
    assert_eq!(late(""), LateReply::Expire);
}
