//! The list of connections, in order of connecting.
//!
//! As in MQSC, who may display the queue manager sees all of them.

use std::collections::HashMap;

use queue_manager::channel_status::ChannelStatus;
use queue_manager::status::ConnectionStatus;

use super::column::{Kind, columns};
use super::gathered::Gathered;
use super::page;
use super::query::Query;
use super::value::Value;
use super::{NoPage, Sight};

columns! {
    ID "id" Kind::Text, "CONN: 16 hexadecimal digits." .searched();
    APPLICATION "application" Kind::Text, "Name of the program." .searched();
    USER "user" Kind::Text, "User whose authority counts." .searched();
    CHANNEL "channel" Kind::Text, "Channel that the client came by. `null`: it came by no channel." .searched();
    ADDRESS "address" Kind::Text, "Address of the client." .searched();
    SINCE "since" Kind::Moment, "When it connected.";
    PUTS "puts" Kind::Number, "Messages put or published since then.";
    GETS "gets" Kind::Number, "Messages got since then.";
    OPEN "open" Kind::Number, "Open handles.";
    UNCOMMITTED "uncommitted" Kind::Number, "Messages put and got in the open unit of work.";
    UNIT_SINCE "unitSince" Kind::Moment, "When the open unit of work began. `null`: none is open.";
    CLIENT "client" Kind::Text, "Product and version of the client, as it says. `null`: not known." .searched();
}

struct Listed {
    id: String,
    status: ConnectionStatus,
    client: String,
}

/// A page of connections, as JSON.
///
/// # Errors
/// The viewer may not display the queue manager.
pub(super) fn page(sight: Sight<'_>, query: &Query) -> Result<Vec<u8>, NoPage> {
    sight.check_queue_manager()?;
    let clients = if query.uses(CLIENT) { clients(sight.queue_manager.channel_statuses()) } else { HashMap::new() };
    let listed = |status: ConnectionStatus| {
        let client = clients.get(&(status.channel.clone(), status.connection_name.clone())).cloned();
        Listed { id: hex(&status.identifier[16..]), client: client.flatten().unwrap_or_default(), status }
    };
    let connections = sight.queue_manager.connections().into_iter().map(listed).collect();
    Ok(page::page(&Gathered::new(connections, read), query))
}

/// What the clients of a channel and an address say that they are; `None` where they differ.
fn clients(instances: Vec<ChannelStatus>) -> HashMap<(String, String), Option<String>> {
    let mut clients = HashMap::new();
    for ChannelStatus { instance, .. } in instances {
        let client = super::instances::client(&instance);
        let of_it = clients.entry((instance.channel, instance.connection_name)).or_insert_with(|| Some(client.clone()));
        if of_it.as_ref().is_some_and(|known| *known != client) {
            *of_it = None;
        }
    }
    clients
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn read(connection: &Listed, column: usize) -> Value<'_> {
    let status = &connection.status;
    match column {
        ID => Value::Text(&connection.id),
        APPLICATION => Value::text(&status.application_name),
        USER => Value::text(&status.user),
        CHANNEL => Value::text(&status.channel),
        ADDRESS => Value::text(&status.connection_name),
        SINCE => Value::moment(Some(status.connected)),
        PUTS => Value::Number(status.puts),
        GETS => Value::Number(status.gets),
        OPEN => Value::count(status.handles.len()),
        UNCOMMITTED => Value::count(status.uncommitted),
        UNIT_SINCE => Value::moment(status.unit_of_work_since),
        CLIENT => Value::text(&connection.client),
        _ => Value::Null,
    }
}
