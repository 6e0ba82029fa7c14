//! The list of topic strings, in their order: each string at which something stands, or below which something does.
//!
//! As in MQSC, who may display the queue manager sees all of them.

use queue_manager::topic_status::TopicStatus;

use super::column::{Kind, columns};
use super::gathered::Gathered;
use super::page;
use super::query::Query;
use super::value::Value;
use super::{NoPage, Sight};

columns! {
    NAME "name" Kind::Text, "The topic object of the topic string. `null`: it has none of its own." .searched();
    TOPIC_STRING "topicString" Kind::Text, "The topic string." .searched();
    PUBLISHERS "publishers" Kind::Number, "Handles that are open for publishing.";
    SUBSCRIBERS "subscribers" Kind::Number, "Subscriptions to this very string.";
    RETAINED "retained" Kind::Truth, "A publication is retained.";
    PUBLISH "publish" Kind::Truth, "Publishing is enabled." .on_request();
    SUBSCRIBE "subscribe" Kind::Truth, "Subscribing is enabled." .on_request();
    SYSTEM "system" Kind::Truth, "The topic string, or its object's name, begins with SYSTEM." .on_request();
}

/// A page of topic strings, as JSON.
///
/// # Errors
/// The viewer may not display the queue manager; the reason why retained publications cannot be read.
pub(super) async fn page(sight: Sight<'_>, query: &Query) -> Result<Vec<u8>, NoPage> {
    sight.check_queue_manager()?;
    let topics = sight.queue_manager.topic_statuses("#").await.map_err(NoPage::Unreadable)?;
    Ok(page::page(&Gathered::new(topics, read).in_order_of(TOPIC_STRING), query))
}

fn read(topic: &TopicStatus, column: usize) -> Value<'_> {
    match column {
        NAME => topic.object.as_ref().map_or(Value::Null, |name| Value::Text(name.as_str())),
        TOPIC_STRING => Value::Text(&topic.topic_string),
        PUBLISHERS => Value::number(topic.publishers),
        SUBSCRIBERS => Value::number(topic.subscribers),
        RETAINED => Value::Truth(topic.retained),
        PUBLISH => Value::Truth(topic.publish),
        SUBSCRIBE => Value::Truth(topic.subscribe),
        SYSTEM => {
            let is_of_system = |text: &str| text.starts_with("SYSTEM.") || text.starts_with("$SYS/");
            Value::Truth(
                is_of_system(&topic.topic_string) || topic.object.is_some_and(|name| is_of_system(name.as_str())),
            )
        }
        _ => Value::Null,
    }
}
