use model::descriptor::{Expiry, MessageDescriptor, MessageType, Persistence, Report};
use model::identifier::{CorrelationId, MessageId};

use super::descriptor;

fn request(report: Report) -> MessageDescriptor {
    MessageDescriptor {
        report,
        message_id: MessageId::from(CorrelationId::new([1; 24])),
        correlation_id: CorrelationId::new([2; 24]),
        expiry: Expiry(70),
        persistence: Persistence::Persistent,
        priority: 7,
        ..MessageDescriptor::default()
    }
}

#[test]
fn a_reply_is_found_by_the_message_identifier_of_its_request() {
    let reply = descriptor(&request(Report::empty()));
    assert_eq!(reply.message_type, MessageType::REPLY);
    assert_eq!(reply.message_id, MessageId::NONE);
    assert_eq!(reply.correlation_id, CorrelationId::new([1; 24]));
    assert_eq!((reply.persistence, reply.priority), (Persistence::Persistent, 7));
    assert_eq!(reply.expiry, Expiry::UNLIMITED);
}

#[test]
fn report_options_pass_identifiers_and_expiry_on() {
    let pass = Report::PASS_CORREL_ID | Report::PASS_MSG_ID | Report::PASS_DISCARD_AND_EXPIRY | Report::DISCARD_MSG;
    let reply = descriptor(&request(pass | Report::COD));
    assert_eq!(reply.message_id, MessageId::from(CorrelationId::new([1; 24])));
    assert_eq!(reply.correlation_id, CorrelationId::new([2; 24]));
    assert_eq!((reply.expiry, reply.report), (Expiry(70), Report::DISCARD_MSG));
}
