//! Who gets in, under which name, and how a connection ends.

use std::sync::Arc;

use channel_protocol::flow::identify::{Credentials, UserId};
use channel_protocol::flow::socket::SocketAction;
use channel_protocol::flow::status::StatusCode;
use channel_protocol::form::Form;
use channel_protocol::reply::{AnswerBody, Reply};
use channel_protocol::request::{Request, Verb};
use model::group::GroupName;
use model::name::ObjectName;
use model::options::GetFlags;
use queue_manager::channel_status::{StopChannel, StopMode};
use queue_manager::{GroupOptions, Home, QueueManager, StartOptions, SystemClock};
use storage::StoreOptions;

use crate::admission::Settings;
use crate::client::{Client, Options, Server, administrator, any, message, queue_manager_named};
use crate::put_get::BOTH;

#[tokio::test]
async fn a_name_may_be_given_or_blank_or_begin_with_an_asterisk() {
    let server = Server::start().await;
    for (name, reason) in [("QM1", 0), ("", 0), ("*GROUP", 0), ("*", 0), ("OTHER", 2058)] {
        let mut client = server.client().await;
        let answer = client.try_connect(1, name).await;
        assert_eq!(answer.ending.reason, reason, "MQCONN to '{name}'");
        if reason == 0 {
            let Some(AnswerBody::Connect(connect)) = answer.body else { panic!("no body") };
            assert_eq!(connect.queue_manager.to_text(), "QM1");
        }
    }
}

/// A member of a group that lives in this process alone.
fn member() -> QueueManager {
    let options = StartOptions {
        name: ObjectName::literal("QM1"),
        home: Home::Ephemeral,
        store: StoreOptions::default(),
        clock: Arc::new(SystemClock),
        server_user: "mqadmin".to_owned(),
    };
    let group = GroupOptions { name: GroupName::parse("QSG1").unwrap(), database: None };
    QueueManager::start_member(options, group).unwrap()
}

#[tokio::test]
async fn a_second_client_with_the_connection_tag_of_the_first_is_refused_until_that_has_ended() {
    /// MQCNO_SERIALIZE_CONN_TAG_QSG, MQCNO_RESTRICT_CONN_TAG_QSG.
    const SERIALIZE: u32 = 4;
    const RESTRICT: u32 = 16;
    let server = Server::of(member(), Settings::default());
    let (mut one, mut two) = (server.client().await, server.client().await);
    assert_eq!(one.connect_tagged(1, SERIALIZE, 7).await, 0);
    assert_eq!(two.connect_tagged(1, SERIALIZE, 7).await, 2271);
    assert_eq!(two.connect_tagged(1, SERIALIZE, 8).await, 0, "another tag");
    one.begin_conversation(3).await;
    assert_eq!(one.connect_tagged(3, RESTRICT, 8).await, 2271, "of another socket");
    assert_eq!(one.plain(1, Verb::Disconnect).await, 0);
    assert_eq!(one.connect_tagged(1, RESTRICT, 7).await, 0);
    assert_eq!(one.connect_tagged(3, RESTRICT, 7).await, 0, "of the same socket");
    assert_eq!(two.plain(1, Verb::Disconnect).await, 0);
    assert_eq!(two.connect_tagged(1, SERIALIZE | RESTRICT, 9).await, 2046, "MQRC_OPTIONS_ERROR");
    assert_eq!(two.connect_tagged(1, 0, 7).await, 0, "nobody asked for a tag");
}

#[tokio::test]
async fn a_queue_manager_in_no_group_takes_no_notice_of_connection_tags() {
    let server = Server::start().await;
    let (mut one, mut two) = (server.client().await, server.client().await);
    assert_eq!(one.connect_tagged(1, 4, 7).await, 0);
    assert_eq!(two.connect_tagged(1, 4, 7).await, 0);
}

#[tokio::test]
async fn a_client_chooses_to_be_accounted_for_where_acctcono_lets_it() {
    /// MQCNO_ACCOUNTING_MQI_ENABLED and _DISABLED.
    const ENABLED: u32 = 0x1000;
    const DISABLED: u32 = 0x2000;
    let server = Server::start().await;
    let mut client = server.client().await;
    let mut records = 0;
    for (overrides, accounts, options, expected) in [
        (false, false, ENABLED, 0),
        (true, false, ENABLED, 1),
        (true, false, 0, 0),
        (true, true, DISABLED, 0),
        (false, true, DISABLED, 1),
    ] {
        let mut definition = (*server.queue_manager.definition()).clone();
        definition.accounting_connection_override = overrides;
        definition.accounting_mqi = accounts;
        server.queue_manager.alter_queue_manager(&administrator(), definition).await.unwrap();
        client.connect_with(1, options).await;
        assert_eq!(client.plain(1, Verb::Disconnect).await, 0);
        records += expected;
        // A connection after it, of which there is a record for sure: housekeeping has seen the other by then.
        let mut definition = (*server.queue_manager.definition()).clone();
        definition.accounting_mqi = true;
        definition.accounting_connection_override = false;
        server.queue_manager.alter_queue_manager(&administrator(), definition).await.unwrap();
        client.connect_with(1, 0).await;
        assert_eq!(client.plain(1, Verb::Disconnect).await, 0);
        records += 1;
        let written = async {
            while server.queue_manager.record_counts()[0].kept < records {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(30), written).await.expect("the records in time");
        assert_eq!(server.queue_manager.record_counts()[0].kept, records, "{overrides} {accounts} {options:#x}");
    }
}

#[tokio::test]
async fn a_name_may_lead_to_another_queue_manager_with_the_channel() {
    let server = Server::start().await;
    let other = queue_manager_named("QM2").await;
    *server.door.other.lock() = Some(other.clone());
    let mut client = server.client().await;
    client.connect(1, "QM2").await;
    client.begin_conversation(3).await;
    client.connect(3, "QM1").await;
    assert_eq!((other.connections().len(), server.queue_manager.connections().len()), (1, 1));
    let queue = client.open(1, "Q", BOTH).await;
    client.put(1, queue, message(b"x")).await;
    assert_eq!(server.depth("Q"), 0);
    assert_eq!(client.plain(1, Verb::Disconnect).await, 0);
    assert!(other.channel_statuses().is_empty());
    client.connect(1, "QM2").await;
    let stop = StopChannel::of("CLIENTS", StopMode::Force);
    assert_eq!(other.stop_channel(&stop), 1);
    while client.receive_unit().await.is_some() {}
}

#[tokio::test]
async fn an_unknown_channel_is_told_by_a_status() {
    let server = Server::start().await;
    let mut client = Client::begin(server.socket(), Form::BIG);
    client.send_initial(&Options { channel: "NO.SUCH", ..Options::default() }).await;
    let unit = client.receive_unit().await.expect("a status");
    let Reply::Status(status) = Reply::decode(&unit).unwrap() else { panic!("no status: {unit:?}") };
    assert_eq!(status.code, Some(StatusCode::NO_SUCH_CHANNEL));
    assert_eq!(unit.control.bits(), 0x3A);
    assert_eq!(client.receive_unit().await, None);
}

#[tokio::test]
async fn a_refused_user_learns_it_from_mqconn() {
    let server = Server::start().await;
    let options = Options { user: "stranger", password: Some("secret"), ..Options::default() };
    let mut client = server.client_with(options).await;
    assert_eq!(client.try_connect(1, "QM1").await.ending.reason, 2035);
    assert_eq!(client.plain(1, Verb::Commit).await, 2018);
}

#[tokio::test]
async fn a_token_ends_the_socket_rather_than_be_believed() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let mut credentials = Credentials::user_and_password("", "");
    credentials.authentication_type = 2;
    credentials.token = Some(bytes::Bytes::from_static(b"token"));
    client.send(1, &Request::Credentials(credentials)).await;
    let Reply::Status(status) = client.receive(1).await else { panic!("no status") };
    assert_eq!(status.code, Some(StatusCode::SECURITY));
    assert_eq!(client.receive_unit().await, None);
}

#[tokio::test]
async fn a_password_is_checked_once_for_the_conversations_that_repeat_it() {
    let server = Server::start().await;
    let mut client = server.client_with(Options { password: Some("secret"), ..Options::default() }).await;
    client.connect(1, "QM1").await;
    for conversation in [3, 5] {
        client.begin_conversation(conversation).await;
        client.connect(conversation, "QM1").await;
    }
    assert_eq!(*server.door.asked.lock(), ["alice"]);
    let users: Vec<_> = server.queue_manager.connections().into_iter().map(|c| (c.user, c.channel)).collect();
    let expected = ("alice".to_owned(), "CLIENTS".to_owned());
    assert_eq!(users, [expected.clone(), expected.clone(), expected]);
}

#[tokio::test]
async fn connecting_twice_warns_and_disconnecting_twice_fails() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let answer = client.try_connect(1, "QM1").await;
    assert_eq!((answer.ending.completion, answer.ending.reason), (1, 2002));
    assert_eq!(client.plain(1, Verb::Disconnect).await, 0);
    assert_eq!(client.plain(1, Verb::Disconnect).await, 2018);
    assert!(server.queue_manager.connections().is_empty());
    client.connect(1, "QM1").await;
}

#[tokio::test]
async fn no_verb_works_before_mqconn() {
    let server = Server::start().await;
    let mut client = server.client().await;
    assert_eq!(client.plain(1, Verb::Commit).await, 2018);
    assert_eq!(client.get(1, 1, any(GetFlags::empty())).await.0, 2018);
    assert_eq!(client.put(1, 1, message(b"x")).await.0, 2018);
}

#[tokio::test]
async fn disconnecting_commits() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    let mut put = message(b"x");
    put.options.flags = model::options::PutFlags::SYNCPOINT;
    client.put(1, queue, put).await;
    assert_eq!(client.plain(1, Verb::Disconnect).await, 0);
    client.connect(1, "QM1").await;
    let queue = client.open(1, "Q", BOTH).await;
    assert_eq!(client.get(1, queue, any(GetFlags::NO_SYNCPOINT)).await.0, 0);
}

#[tokio::test]
async fn a_channel_shows_what_was_agreed_and_done() {
    let server = Server::start().await;
    let mut client = server.client_with(Options { conversations: 4, ..Options::default() }).await;
    client.connect(1, "QM1").await;
    client.begin_conversation(3).await;
    let shown = server.queue_manager.channel_statuses().remove(0);
    let instance = &shown.instance;
    assert_eq!((instance.maximum_sharing_conversations, shown.sharing_conversations), (4, 2));
    assert_eq!((instance.heartbeat_interval_s, instance.remote_application.as_str()), (300, "test program"));
    assert_eq!(shown.messages, 1);
    assert!(shown.bytes_received > 600 && shown.bytes_sent > 400 && shown.buffers_received >= 3);
    assert!(shown.last_message.is_some());
}

#[tokio::test]
async fn no_more_conversations_begin_than_were_agreed() {
    let server = Server::start().await;
    let mut client = server.client_with(Options { conversations: 2, ..Options::default() }).await;
    client.connect(1, "QM1").await;
    client.begin_conversation(3).await;
    client.send(5, &Request::SocketAction(SocketAction::start(5, 4))).await;
    let Reply::Status(status) = client.receive(5).await else { panic!("no status") };
    assert_eq!(status.code, Some(StatusCode::CHANNEL_UNAVAILABLE));
    client.send(3, &Request::SocketAction(SocketAction::end(3))).await;
    client.begin_conversation(5).await;
    client.connect(5, "QM1").await;
}

#[tokio::test]
async fn a_quiescing_queue_manager_takes_no_connection() {
    let server = Server::start().await;
    let mut client = server.client().await;
    server.queue_manager.quiesce();
    assert_eq!(client.try_connect(1, "QM1").await.ending.reason, 2161);
}

#[tokio::test]
async fn a_partner_need_not_wait_for_the_answer_to_its_first_segment() {
    let server = Server::start().await;
    let mut client = Client::begin(server.socket(), Form::BIG);
    let mut bytes = client.bytes_of_initial(&Options::default());
    client.negotiated.conversations = 10;
    bytes.extend(client.bytes_of(1, &Request::UserId(UserId::of("alice"))));
    bytes.extend(client.bytes_of(1, &Request::Call(Verb::Commit.call())));
    client.send_raw(&bytes).await;
    assert!(matches!(client.receive(0).await, Reply::Initial(_)));
    assert_eq!(client.answer(1).await.ending.reason, 2018);
}

#[tokio::test(start_paused = true)]
async fn who_says_nothing_is_not_waited_for() {
    let server = Server::start().await;
    let mut client = Client::begin(server.socket(), Form::BIG);
    client.send_raw(b"TSH ").await;
    assert_eq!(client.receive_unit().await, None);
}
