//! The Swagger document of the provider, as API discovery hands it out: the whole or nothing of it by `root`, in JSON with or
//! without line breaks (`compact`) or in YAML.

use bytes::Bytes;
use document::yaml;
use serde_json::{Value, json};

/// What a `root` names, with or without the slashes around it.
const CONTEXT_ROOT: &str = "APIrequesterPerformanceRemoteAPI";

pub(super) struct Document {
    whole: Value,
}

impl Document {
    pub(super) fn new(most_entries: u32) -> Self {
        Self { whole: whole(most_entries) }
    }

    /// The text that a query asks for.
    ///
    /// # Errors
    /// A parameter that is not known, or a value that is none of its kind: a sentence.
    pub(super) fn text(&self, query: &str, is_yaml: bool) -> Result<Bytes, String> {
        let (mut roots, mut compact) = (Vec::new(), false);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=').unwrap_or((pair, "")) {
                ("root", root) => roots.push(root.replace("%2F", "/").replace("%2f", "/")),
                ("compact", value @ ("true" | "false")) => compact = value == "true",
                ("compact", value) => return Err(format!("compact is '{value}', expected true or false")),
                (name, _) => return Err(format!("'{name}' is neither root nor compact")),
            }
        }
        let named = roots.is_empty() || roots.iter().any(|root| root.trim_matches('/') == CONTEXT_ROOT);
        Ok(if named { text(&self.whole, is_yaml, compact) } else { text(&nothing(), is_yaml, compact) })
    }
}

fn text(document: &Value, is_yaml: bool, compact: bool) -> Bytes {
    match (is_yaml, compact) {
        (true, _) => yaml::write(document).into(),
        (false, true) => document.to_string().into(),
        (false, false) => format!("{document:#}\n").into(),
    }
}

/// What is left when no root matches.
fn nothing() -> Value {
    json!({ "swagger": "2.0", "info": { "title": "REST APIs", "version": "1.0.0" }, "basePath": "/", "paths": {} })
}

/// Makes the structures of the report's figures 9 and 10 and the values of its figure 11.
fn whole(most_entries: u32) -> Value {
    let integer = || json!({ "type": "integer", "format": "int32" });
    let text = |length: u32| json!({ "type": "string", "minLength": length, "maxLength": length });
    json!({
        "swagger": "2.0",
        "info": { "title": "zCEE API requester Performance Remote API", "version": "1.0.0" },
        "basePath": format!("/{CONTEXT_ROOT}"),
        "schemes": ["http"],
        "consumes": ["application/json"],
        "produces": ["application/json"],
        "paths": { "/apirRemote/varyRespPayload": { "post": {
            "operationId": "VaryPayload",
            "parameters": [{ "in": "body", "name": "body", "required": true, "schema": { "$ref": "#/definitions/Req" } }],
            "responses": { "200": {
                "description": "As many entries as were asked for",
                "schema": { "$ref": "#/definitions/Resp" }
            } }
        } } },
        "definitions": {
            "Req": {
                "type": "object",
                "required": ["count_in", "count_out"],
                "properties": { "count_in": integer(), "count_out": integer() }
            },
            "Resp": {
                "type": "object",
                "required": ["recv_size", "send_size", "taskid", "tranid", "rs_spare", "user_data"],
                "properties": {
                    "recv_size": integer(), "send_size": integer(), "taskid": integer(),
                    "tranid": text(4), "rs_spare": text(16),
                    "user_data": { "type": "array", "maxItems": most_entries, "items": text(32) }
                }
            }
        }
    })
}

#[cfg(test)]
mod tests;
