//! Lists by page, as the documents describe them: a page, and what each column holds.

use operations::lists::{Kind, List};
use serde_json::{Map, Value, json};

use crate::openapi::details::{CONSOLE, Content, Details, Parameter, Shape, Success, plain, query, success};

const SEARCH: Parameter = query("search", Shape::Text, "Words that a row has to have, in letters of any case.");
const WHERE: Parameter = query(
    "where",
    Shape::Text,
    "A condition: `depth>0`, `depth>80%`, `type=local`, `name=PAY*`, `oldest>10m`, or several with `|` between, of which one has to \
     hold. May be given 20 times; all have to hold.",
);
const COLUMNS: Parameter = query("columns", Shape::Text, "The columns to show: `name,depth`.");
const SORT: Parameter = query(
    "sort",
    Shape::Text,
    "Columns to sort by, the first one first: `-depth,name`. `-` is descending. What has no value comes last.",
);
const OFFSET: Parameter = query("offset", Shape::Number(0, 1 << 53), "How many rows come before the page. Default 0.");
const LIMIT: Parameter = query("limit", Shape::Number(0, 1000), "Most rows of the page. Default 200.");

const fn answer(schema: &'static str) -> Success {
    success(200, "A page", Content::Json(schema))
}

const QUEUES: &[Success] = &[answer("QueuePage")];
const CHANNELS: &[Success] = &[answer("ChannelPage")];
const INSTANCES: &[Success] = &[answer("ChannelInstancePage")];
const CONNECTIONS: &[Success] = &[answer("ConnectionPage")];
const TOPICS: &[Success] = &[answer("TopicPage")];
const SUBSCRIPTIONS: &[Success] = &[answer("SubscriptionPage")];

/// Names of the schemas of a page and of what its columns hold.
const fn names(list: List) -> [&'static str; 2] {
    match list {
        List::Queues => ["QueuePage", "QueueColumns"],
        List::Channels => ["ChannelPage", "ChannelColumns"],
        List::ChannelInstances => ["ChannelInstancePage", "ChannelInstanceColumns"],
        List::Connections => ["ConnectionPage", "ConnectionColumns"],
        List::Topics => ["TopicPage", "TopicColumns"],
        List::Subscriptions => ["SubscriptionPage", "SubscriptionColumns"],
    }
}

pub(super) fn details(list: List) -> Details {
    let answers = match list {
        List::Queues => QUEUES,
        List::Channels => CHANNELS,
        List::ChannelInstances => INSTANCES,
        List::Connections => CONNECTIONS,
        List::Topics => TOPICS,
        List::Subscriptions => SUBSCRIPTIONS,
    };
    Details {
        parameters: &[SEARCH, WHERE, COLUMNS, SORT, OFFSET, LIMIT],
        ..plain(
            CONSOLE,
            "A row has its values in the order of `columns`. `null`: not applicable, or not known.",
            answers,
        )
    }
}

/// Component schemas.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    List::ALL
        .into_iter()
        .flat_map(|list| {
            let [page_name, columns_name] = names(list);
            [(page_name, page(list, columns_name)), (columns_name, columns(list))]
        })
        .collect()
}

fn page(list: List, columns: &str) -> Value {
    let names: Vec<_> = list.columns().iter().map(|column| column.name).collect();
    let count = |help: &str| json!({ "type": "integer", "minimum": 0, "description": help });
    json!({
        "type": "object",
        "required": ["at", "total", "known", "offset", "columns", "rows"],
        "properties": {
            "at": { "type": "string", "format": "date-time" },
            "total": count("Rows that search and conditions leave."),
            "known": count("Rows that the user may see."),
            "offset": count("Rows before the page."),
            "columns": { "type": "array", "items": { "type": "string", "enum": names } },
            "rows": {
                "type": "array",
                "description": format!("Values in the order of `columns`. The schema {columns} has the type of each."),
                "items": { "type": "array", "items": { "type": ["string", "number", "boolean", "null"] } }
            }
        }
    })
}

/// An object with a member for each column.
fn columns(list: List) -> Value {
    let members: Map<String, Value> = list
        .columns()
        .iter()
        .map(|column| {
            let mut schema = match column.kind {
                Kind::Text => json!({ "type": ["string", "null"] }),
                Kind::Word(words) => {
                    let words: Vec<_> = words.iter().map(|word| json!(word)).chain([Value::Null]).collect();
                    json!({ "type": ["string", "null"], "enum": words })
                }
                Kind::Number => json!({ "type": ["integer", "null"], "minimum": 0 }),
                Kind::Tenths => json!({ "type": ["number", "null"], "minimum": 0 }),
                Kind::Moment => json!({ "type": ["integer", "null"], "minimum": 0, "x-unit": "seconds since 1970" }),
                Kind::Truth => json!({ "type": ["boolean", "null"] }),
            };
            schema["description"] = json!(column.help);
            (column.name.to_owned(), schema)
        })
        .collect();
    json!({ "type": "object", "properties": members })
}
