//! The list of subscriptions, by name and then by identifier. Those without a name are in it too.
//!
//! As in MQSC, who may display the queue manager sees all of them.

use model::definition::subscription::MadeBy;
use queue_manager::subscription::SubscriptionStatus;

use super::column::{Kind, columns};
use super::connections::hex;
use super::gathered::Gathered;
use super::page;
use super::query::Query;
use super::value::Value;
use super::{NoPage, Sight};

columns! {
    NAME "name" Kind::Text, "Name of the subscription. `null`: it has none." .searched();
    ID "id" Kind::Text, "SUBID: 48 hexadecimal digits.";
    TOPIC_STRING "topicString" Kind::Text, "The topic string subscribed to." .searched();
    DESTINATION "destination" Kind::Text, "The queue that publications go to." .searched();
    USER "user" Kind::Text, "SUBUSER." .searched();
    DURABLE "durable" Kind::Truth, "It outlasts the program that made it.";
    MESSAGES "messages" Kind::Number, "Publications sent to it since the server started.";
    TYPE "type" Kind::Word(&["admin", "api", "proxy"]), "By what it was made." .on_request();
    LAST "last" Kind::Moment, "The last publication sent to it." .on_request();
    CONNECTION "connection" Kind::Text, "CONN of a connection that has a handle of it." .on_request();
    SELECTOR "selector" Kind::Text, "The selector that chooses publications." .on_request();
}

struct Listed {
    status: SubscriptionStatus,
    id: String,
    connection: String,
}

/// A page of subscriptions, as JSON.
///
/// # Errors
/// The viewer may not display the queue manager.
pub(super) fn page(sight: Sight<'_>, query: &Query) -> Result<Vec<u8>, NoPage> {
    sight.check_queue_manager()?;
    let listed = |status: SubscriptionStatus| Listed {
        id: status.definition.identifier.to_string().to_ascii_uppercase(),
        connection: status.opened_by.map(|id| hex(&id[16..])).unwrap_or_default(),
        status,
    };
    let all = sight.queue_manager.subscription_statuses().into_iter().map(listed).collect();
    Ok(page::page(&Gathered::new(all, read), query))
}

fn read(listed: &Listed, column: usize) -> Value<'_> {
    let definition = &listed.status.definition;
    match column {
        NAME => Value::text(&definition.name),
        ID => Value::Text(&listed.id),
        TOPIC_STRING => Value::Text(&definition.topic_string),
        DESTINATION => Value::text(definition.destination.as_str()),
        USER => Value::text(&definition.user),
        DURABLE => Value::Truth(definition.durable),
        MESSAGES => Value::Number(listed.status.published),
        TYPE => Value::Text(match definition.made_by {
            MadeBy::Administrator => "admin",
            MadeBy::Api => "api",
            MadeBy::Proxy => "proxy",
        }),
        LAST => Value::moment(listed.status.last_published),
        CONNECTION => Value::text(&listed.connection),
        SELECTOR => Value::text(&definition.selector),
        _ => Value::Null,
    }
}
