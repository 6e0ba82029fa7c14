//! The attribute table as a page of the manual: `docs/attributes.md`.

use std::fmt::Write as _;

use crate::definition::attribute::{Access, Attribute, Kind, Membership};

/// The whole page, Markdown, ending in a newline. A test compares it with `docs/attributes.md`.
pub fn reference() -> String {
    let mut page = String::from(
        "# Attributes\n\n\
         Made from the attribute table in `crates/model/src/definition/attribute/`; do not edit.\n\
         To make it anew: `QUAYMASTER_UPDATE_DOCS=1 cargo test -p model`.\n\n\
         *PCF* is the published number of the selector, *REST v1* the dotted name in the v1 administrative resources,\n\
         *Set by* says which commands change the attribute. Attributes marked † are those of members of a queue-sharing group.\n",
    );
    for kind in Kind::ALL {
        let _ = write!(page, "\n## {}\n\n", title(kind));
        page.push_str("| MQSC | PCF | REST v1 | Values | Default | Set by | Meaning |\n");
        page.push_str("|---|---|---|---|---|---|---|\n");
        for row in Membership::Member.of(kind) {
            line(&mut page, row, kind);
        }
    }
    page
}

fn line(page: &mut String, row: &Attribute, kind: Kind) {
    let mark = if row.membership == Membership::Member { " †" } else { "" };
    let keywords: Vec<_> = row.keywords().map(|keyword| format!("`{keyword}`{mark}")).collect();
    let default = match row.access {
        Access::ReadOnly => String::new(),
        Access::Settable | Access::Fixed => {
            row.default_value(kind).map(|value| row.value.word_or_text(&value)).unwrap_or_default()
        }
    };
    let access = match row.access {
        Access::Settable if kind == Kind::QueueManager => "ALTER",
        Access::Settable => "DEFINE, ALTER",
        Access::Fixed => "DEFINE",
        Access::ReadOnly => "",
    };
    let _ = writeln!(
        page,
        "| {} | {} | {} | {} | {} | {} | {} |",
        keywords.join(" "),
        row.pcf.map(|number| number.to_string()).unwrap_or_default(),
        row.json.map(|name| format!("`{name}`")).unwrap_or_default(),
        row.value.describe(),
        default,
        access,
        row.help,
    );
}

const fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::QueueManager => "Queue manager",
        Kind::QueueLocal => "Local queue",
        Kind::QueueAlias => "Alias queue",
        Kind::QueueRemote => "Remote queue",
        Kind::QueueModel => "Model queue",
        Kind::Topic => "Topic",
        Kind::Subscription => "Subscription",
        Kind::SenderChannel => "Sender channel",
        Kind::ServerChannel => "Server channel",
        Kind::ReceiverChannel => "Receiver channel",
        Kind::RequesterChannel => "Requester channel",
        Kind::ClientConnection => "Client connection channel",
        Kind::ServerConnection => "Server connection channel",
        Kind::ClusterReceiver => "Cluster receiver channel",
        Kind::ClusterSender => "Cluster sender channel",
        Kind::AmqpChannel => "AMQP channel",
        Kind::Listener => "Listener",
        Kind::Process => "Process",
        Kind::NameList => "Namelist",
        Kind::Service => "Service",
        Kind::AuthenticationCrl => "Authentication information: revocation lists in LDAP",
        Kind::AuthenticationOcsp => "Authentication information: OCSP responder",
        Kind::AuthenticationOs => "Authentication information: passwords of the operating system",
        Kind::AuthenticationLdap => "Authentication information: passwords in LDAP",
        Kind::Communication => "Communication information",
        Kind::Structure => "Structure of a queue-sharing group",
    }
}
