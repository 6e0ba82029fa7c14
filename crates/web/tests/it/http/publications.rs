//! Publications: rows of sections 1.1 to 1.3, 1.7, 1.8 and 1.10 of the reference.

use expect_test::expect;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity};
use model::definition::topic::Allowed;
use model::definition::{SubscriptionDefinition, TopicDefinition};
use model::name::{QueueName, TopicName};

use super::client::basic;
use super::server::{TestServer, server_user};
use super::{check, check_on, client};

impl TestServer {
    pub(crate) fn subscribe(&self, topic_string: &str, destination: &str) {
        let subscription = SubscriptionDefinition {
            name: topic_string.to_owned(),
            topic_string: topic_string.to_owned(),
            destination: QueueName::literal(destination),
            user: "server".to_owned(),
            ..SubscriptionDefinition::default()
        };
        self.block_on(self.queue_manager.define_subscription(&server_user(), subscription, false)).expect("subscribed");
    }

    /// Gives the user `other`, who has no authority, some on one object.
    pub(crate) fn grant(&self, profile: &str, object: AuthorityObject, authorities: Authority) {
        let entity = Entity::Principal("other".to_owned());
        let record = AuthorityRecord { profile: profile.to_owned(), object, entity, authorities };
        self.block_on(self.queue_manager.set_authority(&server_user(), record)).expect("a record");
    }
}

fn statuses(server: &TestServer, requests: &[&str]) -> Vec<u16> {
    let mut client = client::plain(server);
    requests.iter().map(|request| client.exchange(request).status).collect()
}

#[test]
fn a_topic_can_be_published_to_and_nothing_else() {
    let requests = ["GET v2/topic/sport/message", "DELETE v2/topic/sport/message", "GET v2/topic/sport/messagelist"];
    assert_eq!(statuses(&TestServer::start(), &requests), [405, 405, 404]);
}

#[test]
fn topic_strings_keep_inner_slashes_and_are_decoded_once() {
    for (path, topic_string) in [
        ("sport/football", "sport/football"),
        ("a%2Eb%3Fc%25d", "a.b?c%d"),
        ("un.encoded", "un.encoded"),
        ("%2Flead/trail%2F", "/lead/trail/"),
        ("twice%252F", "twice%2F"),
        ("%C5%BE/message", "ž/message"),
    ] {
        let server = TestServer::start();
        server.subscribe(topic_string, "Q");
        server.subscribe("Sport/football", "Q.EMPTY");
        assert_eq!(statuses(&server, &[&format!("POST v2/topic/{path}/message\n\nx")]), [201], "{path}");
        assert_eq!(server.status("Q").depth.current, 1, "{path}");
        assert_eq!(server.status("Q.EMPTY").depth.current, 0, "topic strings are case-sensitive");
    }
}

#[test]
fn publications_take_what_their_version_knows() {
    let headers = |correlation: &str| {
        format!(
            "ibm-mq-md-correlationId: {correlation}\nibm-mq-md-priority: 7\nibm-mq-usr: a;integer;5\nibm-mq-md-persistence: persistent"
        )
    };
    check(
        &format!(
            "POST v2/topic/sport/message\n{}\n\nx\n>>\nDELETE v3/queue/SUBSCRIBED/message\n>>\n\
             POST v3/topic/sport/football/message\n{}\n\nx\n>>\nDELETE v3/queue/SUBSCRIBED/message\n>>\n\
             POST v3/topic/sport/message\nibm-mq-md-priority: high\n\nx\n>>\n\
             POST v2/topic/sport/message\nibm-mq-md-expiry: -1\n\nx\n>>\n\
             POST v2/topic/sport/message\ncontent-type: image/png\n\nx\n>>\n\
             POST v2/topic/sport/message?limit=1\n\nx",
            headers("order 17"),
            headers("ID:000102030405060708090a0b0c0d0e0f1011121314151617")
        ),
        expect![[r#"
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
              ibm-mq-md-correlationid: ID:<id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: persistent
              ibm-mq-md-priority: 4
              | x
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
              ibm-mq-md-correlationid: ID:<id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: persistent
              ibm-mq-md-priority: 7
              ibm-mq-usr: a;integer;5
              | x
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0302E: The request header 'ibm-mq-md-priority' cannot be set, because 'high' is not a valid value: expected 0 to 9 or asDestination.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0302E: The request header 'ibm-mq-md-expiry' cannot be set, because '-1' is not a valid value: expected milliseconds from 0 to 99999999900 or unlimited.
            415
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0306E: The media type 'image/png' is not supported for this request: expected text/plain, text/html, text/xml, application/json, application/xml.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0903E: The query parameter 'limit' is unknown to this resource, or is given twice.
        "#]],
    );
}

#[test]
fn a_topic_that_takes_no_publications_is_put_inhibited() {
    let server = TestServer::start();
    let topic = TopicDefinition {
        name: TopicName::literal("CLOSED"),
        topic_string: "closed".to_owned(),
        publish: Allowed::Disabled,
        ..TopicDefinition::default()
    };
    server.block_on(server.queue_manager.define_topic(&server_user(), topic, false)).expect("a topic");
    let other = basic("other", "otherpw");
    check_on(
        &server,
        &format!(
            "POST v2/topic/closed/message\n\nx\n>>\nPOST v2/topic/open/message\n{other}\n\nx\n>>\n\
             POST v2/topic/open/message\n-ibm-mq-rest-csrf-token\n\nx\n>>\n\
             POST /ibmmq/rest/v2/messaging/qmgr/QM9/topic/open/message\n\nx"
        ),
        expect![[r#"
            405
              content-type: application/json; charset=utf-8
              pcf 2/2051 MQWB0303E: The queue manager refused to publish to 'closed': reason '2051 (MQRC_PUT_INHIBITED)'.
            403
              content-type: application/json; charset=utf-8
              pcf 2/2035 MQWB0103E: User 'other' is not authorized to publish to 'open'.
            403
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0100E: The request lacks the header 'ibm-mq-rest-csrf-token'.
            404
              content-type: application/json; charset=utf-8
              pcf 2/2058 MQWB0009E: There is no queue manager 'QM9' here.
        "#]],
    );
}

#[test]
fn a_publication_needs_pub_and_no_more() {
    let server = TestServer::start();
    let publish = format!("POST v2/topic/sport/message\n{}\n\nx", basic("other", "otherpw"));
    server.grant("SYSTEM.BASE.TOPIC", AuthorityObject::Topic, Authority::all() - Authority::PUBLISH);
    assert_eq!(statuses(&server, &[&publish]), [403]);
    server.grant("SYSTEM.BASE.TOPIC", AuthorityObject::Topic, Authority::PUBLISH);
    assert_eq!(statuses(&server, &[&publish]), [201]);
}

#[test]
fn v1_knows_no_topics() {
    let requests = ["v1", "v2", "v3"].map(|version| format!("POST {version}/topic/sport/message"));
    assert_eq!(statuses(&TestServer::start(), &requests.each_ref().map(String::as_str)), [404, 201, 201]);
}

#[test]
fn a_publication_reaches_its_subscriber() {
    check(
        "POST v2/topic/sport/football/message\nibm-mq-md-correlationId: ignored in v2\nibm-mq-md-priority: also\n\ngoal\n>>\n\
         DELETE v3/queue/SUBSCRIBED/message\n>>\n\
         POST v3/topic/sport/message\nibm-mq-md-priority: 8\nibm-mq-md-persistence: persistent\nibm-mq-usr: a;b\n\nkick\n>>\n\
         DELETE v3/queue/SUBSCRIBED/message\n>>\n\
         POST v2/topic/nobody/hears/message\n\nx\n>>\n\
         POST v1/topic/sport/message\n\nx\n>>\nGET v2/topic/sport/message",
        expect![[r#"
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
              ibm-mq-md-correlationid: ID:<id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: nonPersistent
              ibm-mq-md-priority: 4
              | goal
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
            200
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: ID:<id>
              ibm-mq-md-correlationid: ID:<id>
              ibm-mq-md-expiry: unlimited
              ibm-mq-md-persistence: persistent
              ibm-mq-md-priority: 8
              ibm-mq-usr: a;string;b
              | kick
            201
              content-type: text/plain; charset=utf-8
              ibm-mq-md-messageid: <id>
            404
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0901E: There is no resource '/ibmmq/rest/v1/messaging/qmgr/QM1/topic/sport/message'.
            405
              content-type: application/json; charset=utf-8
              allow: POST, OPTIONS
              rest 0/0 MQWB0902E: The resource '/ibmmq/rest/v2/messaging/qmgr/QM1/topic/sport/message' has no method 'GET'.
        "#]],
    );
}

#[test]
fn publishing_needs_the_authority() {
    check(
        &format!("POST v2/topic/sport/message\n{}\n\nx", basic("other", "otherpw")),
        expect![[r#"
        403
          content-type: application/json; charset=utf-8
          pcf 2/2035 MQWB0103E: User 'other' is not authorized to publish to 'sport'.
    "#]],
    );
}
