//! From MQSC text to the JSON command that says the same: the way back from `words`.

use model::definition::attribute::Membership;
use serde_json::{Map, Value, json};

use crate::mqsc::statement::{Operand, Source, Verb};
use crate::mqsc::{self, MAXIMUM_LENGTH};

/// The body of `runCommandJSON` for one MQSC command; `None` for a text that is no command.
///
/// Values stay as they are written. A number without quotes becomes a JSON number.
pub fn of_text(text: &str) -> Option<Value> {
    if text.len() > MAXIMUM_LENGTH {
        return None;
    }
    let statement = mqsc::statement(&mut Source::new(text), Membership::Alone).ok()?;
    let (_, verb) = Verb::ALL.iter().find(|(verb, _)| *verb == statement.verb)?;
    let mut body = Map::new();
    body.insert("type".to_owned(), json!("runCommandJSON"));
    body.insert("command".to_owned(), json!(verb.to_ascii_lowercase()));
    body.insert("qualifier".to_owned(), json!(statement.object.to_ascii_lowercase()));
    if let Some([name]) = statement.name.as_deref() {
        body.insert("name".to_owned(), json!(name.text));
    }
    let (mut parameters, mut shown) = (Map::new(), Vec::new());
    for parameter in statement.parameters {
        let keyword = parameter.keyword.to_ascii_lowercase();
        match parameter.operands.as_deref() {
            None if statement.verb == Verb::Display => shown.push(json!(keyword)),
            None => drop(parameters.insert(keyword, json!("yes"))),
            Some(condition) if keyword == "where" => drop(parameters.insert(keyword, json!(words(condition)))),
            Some([only]) => drop(parameters.insert(keyword, value(only))),
            Some(several) => drop(parameters.insert(keyword, several.iter().map(value).collect())),
        }
    }
    if !parameters.is_empty() {
        body.insert("parameters".to_owned(), Value::Object(parameters));
    }
    if !shown.is_empty() {
        body.insert("responseParameters".to_owned(), Value::Array(shown));
    }
    Some(Value::Object(body))
}

/// A condition is one text.
fn words(operands: &[Operand]) -> String {
    let quote = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let words = operands.iter().map(|word| if word.quoted { quote(&word.text) } else { word.text.clone() });
    words.collect::<Vec<_>>().join(" ")
}

fn value(operand: &Operand) -> Value {
    match operand.text.parse::<i64>() {
        Ok(number) if !operand.quoted && number.to_string() == operand.text => json!(number),
        _ => json!(operand.text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Request;

    /// The text, its JSON form, and what that JSON is as MQSC again.
    fn check(text: &str, json: &str) {
        let body = of_text(text).expect("a command");
        assert_eq!(body, serde_json::from_str::<Value>(json).expect("JSON"));
        let request = Request::read(body.to_string().as_bytes()).expect("a body");
        assert!(request.prepare(Membership::Alone).expect("a command").is_command(), "{text}");
    }

    #[test]
    fn a_command_in_text_has_a_json_form_that_the_server_takes() {
        check(
            "define ql('ORDERS') replace maxdepth(77) descr('it''s here')",
            r#"{"command":"define","name":"ORDERS","parameters":{"descr":"it's here","maxdepth":77,"replace":"yes"},"qualifier":"ql","type":"runCommandJSON"}"#,
        );
        check(
            "DIS QLOCAL(DEV.*) WHERE(CURDEPTH GT 0) MAXDEPTH DESCR",
            r#"{"command":"display","name":"DEV.*","parameters":{"where":"CURDEPTH GT 0"},"qualifier":"qlocal","responseParameters":["maxdepth","descr"],"type":"runCommandJSON"}"#,
        );
        check(
            "SET AUTHREC PROFILE('A.**') PRINCIPAL('app') OBJTYPE(QUEUE) AUTHADD(GET,PUT)",
            r#"{"command":"set","parameters":{"authadd":["GET","PUT"],"objtype":"QUEUE","principal":"app","profile":"A.**"},"qualifier":"authrec","type":"runCommandJSON"}"#,
        );
        assert_eq!(of_text("FROBNICATE Q"), None);
    }
}
