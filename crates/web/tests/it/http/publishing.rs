//! Publishing: what reaches subscribers, and who may.

use expect_test::expect;

use super::{check, client};

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
        &format!("POST v2/topic/sport/message\n{}\n\nx", client::basic("other", "otherpw")),
        expect![[r#"
        403
          content-type: application/json; charset=utf-8
          pcf 2/2035 MQWB0103E: User 'other' is not authorized to publish to 'sport'.
    "#]],
    );
}
