//! The imported configuration as the text of a TOML file.

use identity::options::{Ldap, Ltpa, Web};
use serde::Serialize;
use toml::{Table, Value};
use web::options::{Console, Cors, Messaging, Zosconnect};

use super::Imported;

pub(super) fn to_toml(imported: &Imported) -> String {
    let mut table = Table::new();
    let mut server = Table::new();
    for (name, address) in [("https", &imported.https), ("http", &imported.http)] {
        if let Some(address) = address {
            server.insert(name.to_owned(), Value::String(address.clone()));
        }
    }
    add(&mut table, "server", server);
    add(&mut table, "web", differences(&imported.web, &Web::default()));
    add(&mut table, "ldap", differences(&imported.ldap, &Ldap::default()));
    add(&mut table, "ltpa", differences(&imported.ltpa, &Ltpa::default()));
    add(&mut table, "cors", differences(&imported.cors, &Cors::default()));
    add(&mut table, "messaging", differences(&imported.messaging, &Messaging::default()));
    add(&mut table, "console", differences(&imported.console, &Console::default()));
    let mut zosconnect = differences(&imported.zosconnect, &Zosconnect::default());
    // They have a section of their own.
    if let Some(Value::Table(connections)) = zosconnect.remove("endpoint_connections") {
        add(&mut table, "endpoint_connections", connections);
    }
    add(&mut table, "zosconnect", zosconnect);
    add(&mut table, "remote_queue_managers", whole(&imported.remote_queue_managers));
    let mut text = table.to_string();
    let console = imported.console_roles.iter().filter(|_| imported.console_roles != imported.web.roles);
    let console = console.map(|(role, holders)| format!("console role {role}: {}", holders.join(", ")));
    let comments: Vec<_> = console.chain(imported.left_out.iter().map(|line| format!("left out: {line}"))).collect();
    if !comments.is_empty() {
        text.push('\n');
    }
    for comment in comments {
        // One line each, whatever a file put into a name.
        let line: String = comment.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        text.extend(["# ", &line, "\n"]);
    }
    text
}

fn add(table: &mut Table, name: &str, section: Table) {
    if !section.is_empty() {
        table.insert(name.to_owned(), Value::Table(section));
    }
}

fn whole<T: Serialize>(options: &T) -> Table {
    Table::try_from(options).expect("options are tables of texts, numbers and lists")
}

/// The keys whose value is not the default one.
fn differences<T: Serialize>(options: &T, default: &T) -> Table {
    let defaults = whole(default);
    whole(options).into_iter().filter(|(key, value)| defaults.get(key) != Some(value)).collect()
}
