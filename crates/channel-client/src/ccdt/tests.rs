use std::time::Duration;

use super::{Affinity, Ccdt, CcdtError};
use crate::reconnect::Reconnect;

/// NAME=QUEUE MANAGER:WEIGHT, a channel each.
fn table(channels: &str) -> Ccdt {
    let one = |text: &str| {
        let (name, rest) = text.split_once('=').unwrap();
        let (queue_manager, weight) = rest.split_once(':').unwrap();
        format!(
            r#"{{"name":"{name}","type":"clientConnection","connectionManagement":{{"clientWeight":{weight}}},
            "clientConnection":{{"connection":[{{"host":"h","port":1414}}],"queueManager":"{queue_manager}"}}}}"#
        )
    };
    let channels: Vec<String> = channels.split(' ').map(one).collect();
    Ccdt::parse(&format!(r#"{{"channel":[{}]}}"#, channels.join(","))).unwrap()
}

fn order(table: &Ccdt, queue_manager: &str, random: impl FnMut(u32) -> u32) -> String {
    let Ok(chosen) = table.choose(queue_manager, random) else { return "none".to_owned() };
    chosen.iter().map(|channel| channel.name.to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_full_entry_is_read() {
    let text = r#"{"channel":[{"general":{"description":"d","maximumMessageLength":1048576},"name":"APP.SVRCONN",
      "clientConnection":{"connection":[{"host":"a","port":1415},{"host":"b"}],"queueManager":"QM1"},
      "compression":{"header":["none"],"message":["none"]},
      "connectionManagement":{"affinity":"none","clientWeight":5,"defaultReconnect":"queueManager","heartbeatInterval":60,
        "sharingConversations":3,"keepAliveInterval":-1},
      "transmissionSecurity":{"cipherSpecification":"ANY_TLS12_OR_HIGHER","certificateLabel":"l","certificatePeerName":"CN=x"},
      "type":"clientConnection"},
      {"name":"OTHER","type":"sender"}]}"#;
    let ccdt = Ccdt::parse(text).unwrap();
    let [channel] = ccdt.channels() else { panic!("one client channel: {ccdt:?}") };
    assert_eq!(channel.connections.to_string(), "a(1415),b(1414)");
    assert_eq!((channel.queue_manager.as_str(), channel.cipher_specification.as_str()), ("QM1", "ANY_TLS12_OR_HIGHER"));
    assert_eq!((channel.certificate_label.as_str(), channel.certificate_peer_name.as_str()), ("l", "CN=x"));
    assert_eq!((channel.weight, channel.affinity), (5, Affinity::None));
    assert_eq!(channel.sharing_conversations, Some(3));
    assert_eq!(channel.heartbeat_interval, Some(Duration::from_secs(60)));
    assert_eq!(channel.maximum_message_length, Some(1 << 20));
    assert_eq!(channel.default_reconnect, Reconnect::SameQueueManager);
}

#[test]
fn a_queue_manager_is_found_by_name_by_group_and_by_the_blank_name() {
    let table = table("A=QM1:0 B=GROUP:0 C=GROUP:0 D=:0");
    assert_eq!(order(&table, "QM1", |_| 0), "A");
    assert_eq!(order(&table, "*GROUP", |_| 0), "B C");
    assert_eq!(order(&table, "", |_| 0), "D");
    assert_eq!(order(&table, "*", |_| 0), "D");
    assert_eq!(order(&table, "QM2", |_| 0), "none");
}

#[test]
fn channels_without_weight_come_first_by_name_and_the_others_by_chance_as_their_weights_say() {
    let table = table("Z=G:0 A=G:0 HEAVY=G:9 LIGHT=G:1");
    assert_eq!(order(&table, "*G", |_| 0), "A Z HEAVY LIGHT");
    assert_eq!(order(&table, "*G", |most| most - 1), "A Z LIGHT HEAVY");
    let mut state: u32 = 1;
    let mut heavy_first = 0;
    for _ in 0..1000 {
        let chosen = order(&table, "*G", |most| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % most
        });
        heavy_first += u32::from(chosen == "A Z HEAVY LIGHT");
    }
    assert!((850..950).contains(&heavy_first), "{heavy_first} of 1000");
}

#[test]
fn what_is_no_table_or_has_values_out_of_range_is_refused() {
    assert!(matches!(Ccdt::parse("[]"), Err(CcdtError::Parse(_))));
    for entry in [
        r#"{"name":"","type":"clientConnection"}"#,
        r#"{"name":"A","type":"clientConnection"}"#,
        r#"{"name":"A","type":"clientConnection","clientConnection":{"connection":[{"host":"h","port":0}]}}"#,
        r#"{"name":"A CHANNEL WITH TOO LONG A NAME","type":"clientConnection"}"#,
        r#"{"name":"A","type":"clientConnection","clientConnection":{"connection":[{"host":"h"}]},
            "connectionManagement":{"clientWeight":100}}"#,
    ] {
        let text = format!(r#"{{"channel":[{entry}]}}"#);
        assert!(matches!(Ccdt::parse(&text), Err(CcdtError::Channel { .. })), "{entry}");
    }
}
