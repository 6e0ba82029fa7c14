//! A JSON value as YAML: blocks indented by two blanks, every text in double quotes as JSON writes it, which YAML 1.2
//! reads the same way.

use std::fmt::Write;

use serde_json::Value;

pub(super) fn write(value: &Value) -> String {
    let mut text = String::new();
    block(&mut text, value, 0);
    text
}

/// Is this value written on the line of its key?
fn is_inline(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

fn block(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                indent(text, depth);
                let _ = write!(text, "{}:", Value::from(name.as_str()));
                after_key(text, member, depth);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                indent(text, depth);
                text.push('-');
                after_key(text, item, depth);
            }
        }
        _ => {
            let _ = writeln!(text, "{value}");
        }
    }
}

fn after_key(text: &mut String, value: &Value, depth: usize) {
    if is_inline(value) {
        let _ = writeln!(text, " {value}");
    } else {
        text.push('\n');
        block(text, value, depth + 1);
    }
}

fn indent(text: &mut String, depth: usize) {
    text.extend(std::iter::repeat_n("  ", depth));
}
