//! `config explain`: the key table as text, JSON or Markdown (docs/configuration.md).

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::keys::{KEYS, Key};

/// Keys whose path starts with `prefix`, as text for a terminal.
pub(crate) fn text(prefix: &str) -> String {
    let mut out = String::new();
    let mut section = "";
    for key in chosen(prefix) {
        let (table, name) = key.path.rsplit_once('.').unwrap_or((key.path, ""));
        if table != section {
            section = table;
            let _ = writeln!(out, "[{table}]");
        }
        if !name.is_empty() {
            let _ = writeln!(out, "{name} = {}", default(key));
        }
        let _ = writeln!(out, "    {}", key.help);
        let _ = writeln!(out, "    Type: {}.{}{}", key.kind.name(), unit(key), ways(key));
        let _ = writeln!(out);
    }
    out
}

pub(crate) fn json(prefix: &str) -> Value {
    chosen(prefix)
        .map(|key| {
            json!({
                "key": key.path,
                "type": key.kind.name(),
                "default": key.default,
                "defaultNote": key.default_note,
                "unit": key.unit,
                "environment": key.environment,
                "flag": key.flag,
                "reload": key.reload,
                "help": key.help,
            })
        })
        .collect()
}

/// The table of docs/configuration.md.
pub(crate) fn markdown() -> String {
    let mut out = String::from("| Key | Type | Default | Meaning |\n|---|---|---|---|\n");
    for key in KEYS {
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {}{}{} |",
            key.path,
            key.kind.name().replace('|', "\\|"),
            default(key),
            key.help.replace('|', "\\|"),
            unit(key),
            ways(key)
        );
    }
    out
}

fn chosen(prefix: &str) -> impl Iterator<Item = &'static Key> {
    KEYS.iter().filter(move |key| key.path.starts_with(prefix))
}

fn default(key: &Key) -> String {
    match (key.default, key.default_note) {
        ("", "") => "(none)".to_owned(),
        ("", note) => format!("({note})"),
        (value, _) => value.to_owned(),
    }
}

fn unit(key: &Key) -> String {
    if key.unit.is_empty() { String::new() } else { format!(" Unit: {}.", key.unit) }
}

fn ways(key: &Key) -> String {
    let mut out = String::new();
    if !key.flag.is_empty() {
        let _ = write!(out, " Flag: {}.", key.flag);
    }
    if !key.environment.is_empty() {
        let _ = write!(out, " Environment: {}.", key.environment);
    }
    if !key.reload {
        out.push_str(" Read at start only.");
    }
    out
}
