use super::{ChannelDefinition, ChannelType, addresses};
use crate::name::QueueName;

fn hosts(connection_name: &str) -> Option<Vec<(String, u16)>> {
    let found = addresses(connection_name)?;
    Some(found.into_iter().map(|address| (address.host, address.port)).collect())
}

#[test]
fn a_connection_name_is_a_list_of_hosts_with_or_without_ports() {
    let host = |name: &str, port| (name.to_owned(), port);
    assert_eq!(hosts(""), Some(vec![]));
    assert_eq!(hosts("mq.example"), Some(vec![host("mq.example", 1414)]));
    assert_eq!(hosts("a(1415), b ( 2 ),::1"), Some(vec![host("a", 1415), host("b", 2), host("::1", 1414)]));
    for unreadable in ["a(1415", "a(x)", "a(70000)", "(1)", "a b", "a,,b"] {
        assert_eq!(hosts(unreadable), None, "{unreadable}");
    }
}

#[test]
fn a_channel_that_calls_needs_a_connection_name_and_one_that_sends_a_transmission_queue() {
    let missing = |channel_type, connection_name: &str, queue: &str| {
        let definition = ChannelDefinition {
            connection_name: connection_name.to_owned(),
            transmission_queue: QueueName::literal(queue),
            ..ChannelDefinition::blank(channel_type)
        };
        definition.missing()
    };
    assert_eq!(missing(ChannelType::Sender, "", "X"), Some("CONNAME"));
    assert_eq!(missing(ChannelType::Sender, "host", ""), Some("XMITQ"));
    assert_eq!(missing(ChannelType::Sender, "host", "X"), None);
    assert_eq!(missing(ChannelType::Server, "", ""), Some("XMITQ"));
    assert_eq!(missing(ChannelType::ClientConnection, " ", ""), Some("CONNAME"));
    assert_eq!(missing(ChannelType::ServerConnection, "", ""), None);
    assert_eq!(missing(ChannelType::Receiver, "", ""), None);
}

#[test]
fn every_type_is_found_by_its_kind() {
    for kind in crate::definition::attribute::Kind::CHANNELS {
        assert_eq!(ChannelType::of(kind).map(ChannelType::kind), Some(kind));
    }
}
