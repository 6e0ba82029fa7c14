//! Who may connect through a channel, and as whom: tables of partners against definitions.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use channel_server::admission::{
    Admission, CredentialCheck, Credentials, Gate, Introduction, Peer, PlainPasswords, Refused, Terms, TlsFacts,
    UserFacts,
};
use model::authority::Principal;
use model::definition::authentication::{AuthenticationDefinition, AuthenticationType, CheckPassword};
use model::definition::channel_authentication::{CheckClient, MapKey, Rule, UserSource};
use model::definition::{AdministeredObject, ChannelAuthentication, ChannelDefinition, ChannelType};
use model::name::ObjectName;
use queue_manager::channel_status::{ChannelDisposition, StopChannel, StopMode};
use queue_manager::{QueueManager, QueueManagers};

use crate::client::{administrator, queue_manager};

/// `NAME` has the password `secret-NAME`; `boss` is in group mqm.
struct Users;

fn user(name: &str) -> Principal {
    let groups: Arc<[Arc<str>]> = if name == "boss" { Arc::from([Arc::from("mqm")]) } else { Arc::from([]) };
    Principal { groups, ..Principal::user(name) }
}

impl CredentialCheck for Users {
    fn check<'a>(
        &'a self,
        name: &'a str,
        password: &'a str,
        _: IpAddr,
    ) -> Pin<Box<dyn Future<Output = Result<Principal, Refused>> + Send + 'a>> {
        Box::pin(async move {
            if password.strip_prefix("secret-") == Some(name) { Ok(user(name)) } else { Err(Refused::Wrong) }
        })
    }

    fn principal<'a>(&'a self, name: &'a str) -> Pin<Box<dyn Future<Output = Principal> + Send + 'a>> {
        Box::pin(async move { user(name) })
    }
}

struct Place {
    queue_manager: QueueManager,
    gate: Gate,
}

/// Who comes, from where.
#[derive(Clone)]
struct Partner {
    channel: &'static str,
    queue_manager: &'static str,
    address: &'static str,
    tls: Option<TlsFacts>,
    asserted: &'static str,
    credentials: Option<(&'static str, &'static str)>,
}

/// alice, without a password, over plain TCP.
const ALICE: Partner = Partner {
    channel: "CLIENTS",
    queue_manager: "",
    address: "192.0.2.7",
    tls: None,
    asserted: "alice",
    credentials: None,
};

fn over_tls(cipher: &'static str, subject: Option<&str>) -> Option<TlsFacts> {
    Some(TlsFacts {
        protocol: "TLSV13",
        cipher,
        subject: subject.map(str::to_owned),
        issuer: subject.map(|_| "CN=Authority,O=Example".to_owned()),
    })
}

fn channel(name: &str, change: impl FnOnce(&mut ChannelDefinition)) -> AdministeredObject {
    let mut channel = ChannelDefinition {
        name: ObjectName::literal(name),
        ..ChannelDefinition::blank(ChannelType::ServerConnection)
    };
    change(&mut channel);
    AdministeredObject::Channel(Box::new(channel))
}

fn map(
    profile: &str,
    key: MapKey,
    address: &str,
    source: UserSource,
    check_client: CheckClient,
) -> ChannelAuthentication {
    ChannelAuthentication::new(profile, Rule::Map { key, address: address.to_owned(), source, check_client })
}

impl Place {
    async fn new() -> Self {
        let queue_manager = queue_manager().await;
        let gate = Gate::new(QueueManagers::of_running([queue_manager.clone()]), Arc::new(Users));
        let place = Self { queue_manager, gate };
        place.define(channel("CLIENTS", |_| {})).await;
        place
    }

    async fn define(&self, object: AdministeredObject) {
        self.queue_manager.define_object(&administrator(), object, true).await.expect("defined");
    }

    async fn set(&self, record: ChannelAuthentication) {
        self.queue_manager.replace_channel_authentication(&administrator(), record).await.expect("set");
    }

    /// CONNAUTH with this CHCKCLNT and ADOPTCTX, and without a delay after failures.
    async fn check_passwords(&self, check_client: CheckPassword, adopt_context: bool) {
        let name = ObjectName::literal("PASSWORDS");
        let object = AuthenticationDefinition {
            name,
            check_client,
            adopt_context,
            failure_delay_s: 0,
            ..AuthenticationDefinition::blank(AuthenticationType::OperatingSystem)
        };
        self.define(AdministeredObject::Authentication(Box::new(object))).await;
        let mut definition = (*self.queue_manager.definition()).clone();
        definition.connection_authentication = name;
        self.queue_manager.alter_queue_manager(&administrator(), definition).await.expect("altered");
    }

    async fn disable_records(&self) {
        let mut definition = (*self.queue_manager.definition()).clone();
        definition.channel_authentication = false;
        self.queue_manager.alter_queue_manager(&administrator(), definition).await.expect("altered");
    }

    fn begin(&self, partner: &Partner) -> Result<(Terms, Peer), u32> {
        let address: IpAddr = partner.address.parse().expect("an address");
        let peer = Peer {
            address: SocketAddr::new(address, 40_000),
            local_address: SocketAddr::from(([127, 0, 0, 1], 1414)),
            tls: partner.tls.clone(),
            patience: Duration::from_secs(10),
        };
        let introduction = Introduction {
            channel: partner.channel.to_owned(),
            queue_manager: partner.queue_manager.to_owned(),
            product: "MQJB09040200".to_owned(),
        };
        self.gate.begin(&peer, &introduction).map(|terms| (terms, peer)).map_err(|code| code.0)
    }

    /// `user NAME`, `reason 2035` or `status 7`.
    async fn outcome(&self, partner: &Partner) -> String {
        let (terms, peer) = match self.begin(partner) {
            Ok(begun) => begun,
            Err(code) => return format!("status {code}"),
        };
        let credentials = partner
            .credentials
            .map(|(user, password)| Credentials { user: user.to_owned(), password: password.to_owned() });
        let facts = UserFacts { asserted: partner.asserted.to_owned(), credentials };
        match self.gate.identify(&terms, &peer, &facts).await {
            Ok(principal) => {
                let status = self.queue_manager.channel_statuses().pop().expect("it runs");
                assert_eq!(status.instance.user, *principal.user);
                format!("user {}", principal.user)
            }
            Err(reason) => format!("reason {}", reason.number()),
        }
    }

    async fn check(&self, table: &[(&str, Partner, &str)]) {
        for (what, partner, expected) in table {
            assert_eq!(self.outcome(partner).await, *expected, "{what}");
        }
        assert_eq!(self.queue_manager.channel_instances(), 0, "what was refused or has ended is not shown");
    }
}

#[tokio::test]
async fn passwords_in_clear_from_other_machines_are_refused_where_the_gate_is_told_to() {
    const SECRET: Option<(&str, &str)> = Some(("alice", "secret-alice"));
    let place = Place::new().await;
    place.check_passwords(CheckPassword::Optional, true).await;
    place
        .define(channel("SECURE", |channel| {
            channel.cipher_specification = "ANY_TLS13".to_owned();
            channel.client_certificate_optional = true;
        }))
        .await;
    let with_password = Partner { credentials: SECRET, ..ALICE };
    let here = Partner { address: "127.0.0.1", ..with_password.clone() };
    let here_too = Partner { address: "::1", ..with_password.clone() };
    let over_tls =
        Partner { channel: "SECURE", tls: over_tls("TLS_AES_256_GCM_SHA384", None), ..with_password.clone() };
    place.check(&[("as delivered", with_password.clone(), "user alice")]).await;
    place.gate.set_plain_passwords(PlainPasswords::Loopback);
    place
        .check(&[
            ("in clear from elsewhere", with_password, "reason 2035"),
            ("without a password", ALICE, "user alice"),
            ("in clear from this machine", here, "user alice"),
            ("by IPv6", here_too, "user alice"),
            ("over TLS", over_tls, "user alice"),
        ])
        .await;
}

#[tokio::test]
async fn a_channel_has_to_be_there_of_the_right_type_and_not_stopped() {
    let place = Place::new().await;
    let mut receiver = ChannelDefinition::blank(ChannelType::Receiver);
    receiver.name = ObjectName::literal("FROM.YOU");
    place.define(AdministeredObject::Channel(Box::new(receiver))).await;
    place.define(channel("STOPPED", |_| {})).await;
    let stop = StopChannel { disable: true, ..StopChannel::of("STOPPED", StopMode::Quiesce) };
    place.queue_manager.stop_channel(&stop);
    place
        .check(&[
            ("as defined", ALICE, "user alice"),
            ("unknown", Partner { channel: "NONE", ..ALICE }, "status 1"),
            ("blank", Partner { channel: "", ..ALICE }, "status 1"),
            ("not a name", Partner { channel: "a b;c", ..ALICE }, "status 1"),
            ("of messages", Partner { channel: "FROM.YOU", ..ALICE }, "status 2"),
            ("stopped", Partner { channel: "STOPPED", ..ALICE }, "status 7"),
        ])
        .await;
    assert!(place.queue_manager.start_channel("STOPPED", ChannelDisposition::Private));
    place.check(&[("started again", Partner { channel: "STOPPED", ..ALICE }, "user alice")]).await;
}

#[tokio::test]
async fn a_name_of_another_queue_manager_leads_to_the_first_which_refuses_it_later() {
    let place = Place::new().await;
    for name in ["QM1", "", "*GROUP", "*", "UNKNOWN"] {
        let (terms, _) = place.begin(&Partner { queue_manager: name, ..ALICE }).expect("the first one");
        assert_eq!(terms.queue_manager.name(), ObjectName::literal("QM1"), "{name}");
    }
    place.gate.set_open(ObjectName::literal("QM1"), false);
    place.check(&[("its listener was stopped", ALICE, "status 3")]).await;
    place.gate.set_open(ObjectName::literal("QM1"), true);
    place.queue_manager.end_channels(StopMode::Quiesce);
    place.check(&[("it is ending", ALICE, "status 5")]).await;
}

#[tokio::test]
async fn sslciph_decides_by_what_tls_negotiated() {
    let place = Place::new().await;
    for (name, cipher) in [
        ("ANY", "ANY_TLS12_OR_HIGHER"),
        ("NEW", "ANY_TLS13"),
        ("EXACT", "TLS_AES_256_GCM_SHA384"),
        ("OLD", "TLS_RSA_WITH_AES_128_CBC_SHA256"),
        ("WRONG", "NO_SUCH_CIPHER"),
    ] {
        place
            .define(channel(name, |channel| {
                channel.cipher_specification = cipher.to_owned();
                channel.client_certificate_optional = true;
            }))
            .await;
    }
    let on = |channel, tls| Partner { channel, tls, ..ALICE };
    let (v13, v12) = (|| over_tls("TLS_AES_256_GCM_SHA384", None), || over_tls("ECDHE_RSA_AES_128_GCM_SHA256", None));
    place
        .check(&[
            ("plain where TLS is wanted", on("ANY", None), "status 24"),
            ("TLS where none is wanted", on("CLIENTS", v13()), "status 24"),
            ("any, 1.3", on("ANY", v13()), "user alice"),
            ("any, 1.2", on("ANY", v12()), "user alice"),
            ("1.3 only, 1.3", on("NEW", v13()), "user alice"),
            ("1.3 only, 1.2", on("NEW", v12()), "status 24"),
            ("by name", on("EXACT", v13()), "user alice"),
            ("another name", on("EXACT", over_tls("TLS_AES_128_GCM_SHA256", None)), "status 24"),
            ("not spoken", on("OLD", v12()), "status 24"),
            ("no CipherSpec", on("WRONG", v13()), "status 24"),
        ])
        .await;
    let (terms, _) = place.begin(&on("ANY", v13())).expect("admitted");
    let shown = place.queue_manager.channel_statuses().remove(0).instance;
    assert_eq!((&*shown.security_protocol, &*shown.cipher), ("TLSV13", "TLS_AES_256_GCM_SHA384"));
    assert_eq!((&*shown.remote_product, &*shown.remote_version), ("MQJB", "09040200"));
    assert_eq!((&*shown.connection_name, &*shown.local_address), ("192.0.2.7", "127.0.0.1(1414)"));
    drop(terms);
}

#[tokio::test]
async fn sslcauth_and_sslpeer_look_at_the_certificate() {
    let place = Place::new().await;
    let with = |name: &str, optional, peer: &str| {
        channel(name, |channel| {
            channel.cipher_specification = "ANY".to_owned();
            channel.client_certificate_optional = optional;
            channel.peer_name = peer.to_owned();
        })
    };
    place.define(with("REQUIRED", false, "")).await;
    place.define(with("OPTIONAL", true, "")).await;
    place.define(with("PEER", false, "CN=orders*, O=Example")).await;
    place.define(with("PEER.OPTIONAL", true, "O=Example")).await;
    let on = |channel, subject| Partner { channel, tls: over_tls("TLS_AES_128_GCM_SHA256", subject), ..ALICE };
    place
        .check(&[
            ("required, none", on("REQUIRED", None), "status 25"),
            ("required, one", on("REQUIRED", Some("CN=anybody")), "user alice"),
            ("optional, none", on("OPTIONAL", None), "user alice"),
            ("filter, fits", on("PEER", Some("CN=orders-1,OU=Sales,O=Example")), "user alice"),
            ("filter, another", on("PEER", Some("CN=payments,O=Example")), "status 25"),
            ("filter, none", on("PEER.OPTIONAL", None), "status 25"),
        ])
        .await;
}

#[tokio::test]
async fn maxinst_and_maxinstc_bound_what_runs_at_once() {
    let place = Place::new().await;
    place
        .define(channel("FEW", |channel| (channel.maximum_instances, channel.maximum_instances_per_client) = (2, 1)))
        .await;
    let from = |address| Partner { channel: "FEW", address, ..ALICE };
    let first = place.begin(&from("192.0.2.1")).expect("the first");
    place.check_refused(&from("192.0.2.1"), 22);
    let _second = place.begin(&from("192.0.2.2")).expect("from elsewhere");
    place.check_refused(&from("192.0.2.3"), 22);
    drop(first);
    assert!(place.begin(&from("192.0.2.3")).is_ok(), "one has ended");
}

impl Place {
    fn check_refused(&self, partner: &Partner, code: u32) {
        assert_eq!(self.begin(partner).map(|_| ()), Err(code));
    }
}

#[tokio::test]
async fn terms_are_the_channels_and_no_message_is_longer_than_the_queue_manager_allows() {
    let place = Place::new().await;
    place
        .define(channel("TERMS", |channel| {
            channel.heartbeat_interval_s = 60;
            channel.disconnect_interval_s = 1800;
            channel.sharing_conversations = 3;
            channel.maximum_message_length = 104_857_600;
        }))
        .await;
    place.define(channel("AS.QMGR", |channel| channel.maximum_message_length = 0)).await;
    let (terms, _) = place.begin(&Partner { channel: "TERMS", ..ALICE }).expect("admitted");
    assert_eq!(terms.heartbeat, Duration::from_secs(60));
    assert_eq!(terms.disconnect_interval, Some(Duration::from_secs(1800)));
    assert_eq!((terms.sharing_conversations, terms.maximum_message_length), (3, 4_194_304));
    let (terms, _) = place.begin(&Partner { channel: "AS.QMGR", ..ALICE }).expect("admitted");
    assert_eq!((terms.disconnect_interval, terms.maximum_message_length), (None, 4_194_304));
}

const RIGHT: Option<(&str, &str)> = Some(("bob", "secret-bob"));
const WRONG: Option<(&str, &str)> = Some(("bob", "guessed"));
const OF_BOSS: Option<(&str, &str)> = Some(("boss", "secret-boss"));

#[tokio::test]
async fn connauth_says_of_whom_passwords_are_wanted() {
    let place = Place::new().await;
    place.set(ChannelAuthentication::block_users("CLIENTS", &["nobody"])).await;
    place.define(channel("AS.CAROL", |channel| channel.agent_user = "carol".to_owned())).await;
    let giving = |credentials| Partner { credentials, ..ALICE };
    let boss = Partner { asserted: "boss", ..ALICE };
    place.check(&[("without CONNAUTH nothing is checked", giving(WRONG), "user alice")]).await;

    place.check_passwords(CheckPassword::None, true).await;
    place.check(&[("NONE ignores what is given", giving(WRONG), "user alice")]).await;

    place.check_passwords(CheckPassword::Optional, true).await;
    place
        .check(&[
            ("OPTIONAL, none", ALICE, "user alice"),
            ("OPTIONAL, right", giving(RIGHT), "user bob"),
            ("OPTIONAL, wrong", giving(WRONG), "reason 2035"),
            ("a blank user is none", giving(Some((" ", "x"))), "user alice"),
            ("adopted before MCAUSER", Partner { channel: "AS.CAROL", ..giving(RIGHT) }, "user bob"),
            ("MCAUSER before asserted", Partner { channel: "AS.CAROL", ..ALICE }, "user carol"),
        ])
        .await;

    place.check_passwords(CheckPassword::Optional, false).await;
    place
        .check(&[
            ("ADOPTCTX(NO), right", giving(RIGHT), "user alice"),
            ("ADOPTCTX(NO), wrong", giving(WRONG), "reason 2035"),
            ("ADOPTCTX(NO), MCAUSER", Partner { channel: "AS.CAROL", ..giving(RIGHT) }, "user carol"),
        ])
        .await;

    place.check_passwords(CheckPassword::Required, true).await;
    place
        .check(&[
            ("REQUIRED, none", ALICE, "reason 2035"),
            ("REQUIRED, none, MCAUSER", Partner { channel: "AS.CAROL", ..ALICE }, "reason 2035"),
            ("REQUIRED, right", giving(RIGHT), "user bob"),
        ])
        .await;

    place.check_passwords(CheckPassword::RequiredOfAdministrators, true).await;
    place
        .check(&[
            ("REQDADM, none", ALICE, "user alice"),
            ("REQDADM, administrator without", boss, "reason 2035"),
            ("REQDADM, administrator with", giving(OF_BOSS), "user boss"),
        ])
        .await;
}

#[tokio::test]
async fn a_connauth_that_names_nothing_of_use_lets_nobody_in() {
    let place = Place::new().await;
    // It may have been deleted since it was named.
    place.check_passwords(CheckPassword::Optional, true).await;
    let name = ObjectName::literal("PASSWORDS");
    let family = model::authority::AuthorityObject::AuthenticationInformation;
    place.queue_manager.delete_object(&administrator(), family, &name).await.expect("deleted");
    place.check(&[("any user", Partner { credentials: RIGHT, ..ALICE }, "reason 2035")]).await;
}

#[tokio::test]
async fn records_map_and_refuse_by_address_user_and_certificate() {
    let place = Place::new().await;
    place
        .define(channel("TLS", |channel| {
            channel.cipher_specification = "ANY".to_owned();
            channel.client_certificate_optional = true;
        }))
        .await;
    let as_queue_manager = CheckClient::AsQueueManager;
    let to = |user: &str| UserSource::Map(user.to_owned());
    for record in [
        map("*", MapKey::Address, "198.51.100.*", UserSource::NoAccess, as_queue_manager),
        map("CLIENTS", MapKey::Address, "203.0.113.9", to("near"), as_queue_manager),
        map("CLIENTS", MapKey::ClientUser("eve".to_owned()), "", UserSource::NoAccess, as_queue_manager),
        map("CLIENTS", MapKey::ClientUser("fred".to_owned()), "", to("frederick"), as_queue_manager),
        map(
            "TLS",
            MapKey::Peer { subject: "CN=orders".to_owned(), issuer: "CN=Authority".to_owned() },
            "",
            to("orders"),
            as_queue_manager,
        ),
    ] {
        place.set(record).await;
    }
    let tls = |subject| Partner { channel: "TLS", tls: over_tls("TLS_AES_128_GCM_SHA256", subject), ..ALICE };
    let refused = Partner { address: "198.51.100.3", ..ALICE };
    place
        .check(&[
            ("no record", ALICE, "user alice"),
            ("address refused", refused.clone(), "reason 2035"),
            ("address mapped", Partner { address: "203.0.113.9", ..ALICE }, "user near"),
            ("user refused", Partner { asserted: "eve", ..ALICE }, "reason 2035"),
            ("user mapped", Partner { asserted: "fred", ..ALICE }, "user frederick"),
            ("users before addresses", Partner { asserted: "fred", address: "203.0.113.9", ..ALICE }, "user frederick"),
            ("certificate mapped", tls(Some("CN=orders,O=Example")), "user orders"),
            ("another certificate", tls(Some("CN=else")), "user alice"),
        ])
        .await;
    place.check_passwords(CheckPassword::Optional, true).await;
    let fred = Partner { credentials: Some(("fred", "secret-fred")), ..ALICE };
    place.check(&[("the adopted user counts for records", fred, "user frederick")]).await;
    place.disable_records().await;
    place.check(&[("CHLAUTH(DISABLED)", refused, "user alice")]).await;
}

#[tokio::test]
async fn blockuser_has_the_last_word_and_knows_administrators() {
    let place = Place::new().await;
    place.define(channel("ADMINS", |_| {})).await;
    place.set(ChannelAuthentication::block_users("CLIENTS", &["*MQADMIN", "mallory"])).await;
    place.set(ChannelAuthentication::block_users("ADMINS", &["nobody"])).await;
    let to_mallory = UserSource::Map("mallory".to_owned());
    place.set(map("CLIENTS", MapKey::ClientUser("mask".to_owned()), "", to_mallory, CheckClient::AsQueueManager)).await;
    let by = |channel, asserted| Partner { channel, asserted, ..ALICE };
    place
        .check(&[
            ("by name", by("CLIENTS", "mallory"), "reason 2035"),
            ("as whom a record maps", by("CLIENTS", "mask"), "reason 2035"),
            ("an administrator", by("CLIENTS", "boss"), "reason 2035"),
            ("mqm itself", by("CLIENTS", "mqm"), "reason 2035"),
            ("the server's own user", by("CLIENTS", "mqadmin"), "reason 2035"),
            ("a channel for administrators", by("ADMINS", "boss"), "user boss"),
            ("nobody at all", by("CLIENTS", ""), "reason 2035"),
        ])
        .await;
}

#[tokio::test]
async fn warn_lets_in_what_a_record_would_refuse() {
    let place = Place::new().await;
    let warned = |record: ChannelAuthentication| ChannelAuthentication { warn: true, ..record };
    place.set(warned(ChannelAuthentication::address_map("CLIENTS", "*", UserSource::NoAccess))).await;
    place.set(warned(ChannelAuthentication::block_users("CLIENTS", &["alice"]))).await;
    place.check(&[("WARN(YES)", ALICE, "user alice")]).await;
}

#[tokio::test]
async fn a_record_may_want_a_password_where_the_queue_manager_does_not() {
    let place = Place::new().await;
    let wants = map("CLIENTS", MapKey::Address, "*", UserSource::Channel, CheckClient::Required);
    place.set(wants).await;
    place.check(&[("CONNAUTH checks none", ALICE, "reason 2035")]).await;
    place.check_passwords(CheckPassword::Optional, true).await;
    place
        .check(&[
            ("none given", ALICE, "reason 2035"),
            ("right", Partner { credentials: RIGHT, ..ALICE }, "user bob"),
            ("wrong", Partner { credentials: WRONG, ..ALICE }, "reason 2035"),
        ])
        .await;
}
