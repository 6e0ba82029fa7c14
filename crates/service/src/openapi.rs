//! The documents that describe APIs: OpenAPI 3 made from an API and the schemas of its services, Swagger 2.0 made from that,
//! either made from the other where an archive brings one, and all of them in one.
//!
//! Pure functions of JSON values. A document that an archive brings is served as it came, but for its base path.

mod answers;
pub mod merge;
pub mod services;
pub mod swagger;
pub mod upgrade;

use serde_json::{Map, Value, json};

use crate::api::expression::{Expression, HEADERS, PATH_PARAMETERS, QUERY_PARAMETERS};
use crate::api::mapping::{Kind, Mapping, Source, Statement};
use crate::api::{ApiDefinition, METHODS, Operation};

/// Schemas of a service's request and response, by its name.
pub type Schemas<'a> = dyn Fn(&str) -> (Option<Value>, Option<Value>) + 'a;

/// The OpenAPI 3 document of an API. `origin` is where the API is reached, such as `https://host:9443`, or empty.
pub fn of_api(api: &ApiDefinition, schemas: &Schemas<'_>, origin: &str) -> Value {
    let url = format!("{origin}{}", api.base_path);
    let mut document = match &api.document {
        Some(document) if document["openapi"].is_string() => document.clone(),
        Some(document) => upgrade::from(document),
        None => made(api, schemas),
    };
    document["servers"] = json!([{ "url": url }]);
    document
}

/// The Swagger 2.0 document of an API.
pub fn swagger_of_api(api: &ApiDefinition, schemas: &Schemas<'_>) -> Value {
    match &api.document {
        Some(document) if !document["swagger"].is_null() => {
            let mut document = document.clone();
            document["basePath"] = json!(api.base_path);
            // The toolkit writes the host it was used on.
            if let Some(members) = document.as_object_mut() {
                members.shift_remove("host");
                members.shift_remove("schemes");
            }
            document
        }
        _ => swagger::from(&of_api(api, schemas, "")),
    }
}

fn made(api: &ApiDefinition, schemas: &Schemas<'_>) -> Value {
    let mut paths = Map::new();
    let mut components = Map::new();
    components.insert("Error".to_owned(), error_schema());
    for operation in &api.operations {
        let (request, response) = schemas(&operation.service);
        let described = describe(api, operation, request, response, &mut components);
        let item = paths.entry(operation.path.to_string()).or_insert_with(|| json!({}));
        item[operation.method.to_ascii_lowercase()] = described;
    }
    let mut info = json!({ "title": api.title, "version": api.version });
    if !api.description.is_empty() {
        info["description"] = json!(api.description);
    }
    json!({
        "openapi": "3.0.3",
        "info": info,
        "paths": paths,
        "components": {
            "securitySchemes": { "basic": { "type": "http", "scheme": "basic" } },
            "schemas": components
        },
        "security": [{ "basic": [] }]
    })
}

fn describe(
    api: &ApiDefinition,
    operation: &Operation,
    request: Option<Value>,
    response: Option<Value>,
    components: &mut Map<String, Value>,
) -> Value {
    let id = &operation.operation_id;
    let mut described = json!({ "tags": [api.name], "operationId": id });
    for (name, text) in [("summary", &operation.summary), ("description", &operation.description)] {
        if !text.is_empty() {
            described[name] = json!(text);
        }
    }
    let request = request.map(without_dialect);
    described["parameters"] = json!(parameters(operation, request.as_ref()));
    let id = component_name(id);
    if operation.request.reads_body() {
        let schema = body_schema(operation, request);
        let media_type = media_type(&schema);
        components.insert(format!("{id}_request"), schema);
        described["requestBody"] = json!({
            "required": true,
            "content": { media_type: { "schema": { "$ref": format!("#/components/schemas/{id}_request") } } }
        });
    }
    let response = response.map(without_dialect);
    let error = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } });
    let mut responses = Map::new();
    for one in operation.responses.iter().filter(|one| one.code != 204) {
        let name = format!("{id}_response_{}", one.code);
        let schema = answers::schema(&one.mapping, response.clone());
        let answered = json!({ media_type(&schema): { "schema": { "$ref": format!("#/components/schemas/{name}") } } });
        let told = json!({ "description": "The service has answered.", "content": answered });
        match responses.insert(one.code.to_string(), told) {
            None => drop(components.insert(name, schema)),
            // Answers of one code may differ.
            Some(_) if components.get(&name) != Some(&schema) => {
                components.insert(name, json!({ "type": "object" }));
            }
            Some(_) => {}
        }
    }
    responses.insert(
        "204".to_owned(),
        json!({ "description": "The service has nothing to say, or no message came in time." }),
    );
    responses.insert(
        "default".to_owned(),
        json!({ "description": "The request is refused, or the service failed.", "content": error }),
    );
    described["responses"] = Value::Object(responses);
    described["security"] = json!([{ "basic": [] }]);
    described
}

/// Bodies are objects, but where a service passes text on.
fn media_type(schema: &Value) -> &'static str {
    if schema["type"] == "string" { "text/plain" } else { "application/json" }
}

/// Those that the mapping reads, then those of the path that it does not.
fn parameters(operation: &Operation, schema: Option<&Value>) -> Vec<Value> {
    let mut parameters: Vec<Value> = Vec::new();
    for statement in &operation.request.statements {
        let Statement::Move { from, to, kind, required } = statement else { continue };
        let (name, place) = match from {
            Source::Path(name) => (name, "path"),
            Source::Query(name) => (name, "query"),
            Source::Header(name) => (name, "header"),
            Source::Body(_) | Source::Value(_) | Source::Expression(_) => continue,
        };
        if parameters.iter().any(|known| known["name"] == name.as_str() && known["in"] == place) {
            continue;
        }
        let at = schema.and_then(|schema| schema_at(schema, to.parts()));
        let shape = match kind {
            Kind::AsSchema => at.cloned().unwrap_or_else(|| json!({ "type": "string" })),
            Kind::Text => json!({ "type": "string" }),
            Kind::Integer => json!({ "type": "integer" }),
            Kind::Number => json!({ "type": "number" }),
            Kind::Boolean => json!({ "type": "boolean" }),
            Kind::List(_) => json!({ "type": "array", "items": { "type": "string" } }),
        };
        let required = *required || place == "path";
        parameters.push(json!({ "name": name, "in": place, "required": required, "schema": shape }));
    }
    for (name, place) in read_by_expressions(operation) {
        if !parameters.iter().any(|known| known["name"] == name.as_str() && known["in"] == place) {
            let required = place == "path";
            parameters.push(json!({ "name": name, "in": place, "required": required, "schema": { "type": "string" } }));
        }
    }
    for name in operation.path.parameters() {
        if !parameters.iter().any(|known| known["name"] == name && known["in"] == "path") {
            parameters.push(json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
        }
    }
    parameters
}

/// Names of parameters in expressions, with where they stand.
fn read_by_expressions(operation: &Operation) -> Vec<(String, &'static str)> {
    let mappings = operation.responses.iter().map(|response| &response.mapping);
    let conditions = operation.responses.iter().filter_map(|response| response.when.as_ref());
    let expressions =
        std::iter::once(&operation.request).chain(mappings).flat_map(Mapping::expressions).chain(conditions);
    let paths = expressions.flat_map(Expression::request_members);
    paths
        .filter_map(|path| {
            let place = match path.first()?.as_str() {
                PATH_PARAMETERS => "path",
                QUERY_PARAMETERS => "query",
                HEADERS => "header",
                _ => return None,
            };
            // The document has no parameter of the path that the path has not.
            let name = path.get(1)?;
            (place != "path" || operation.path.parameters().any(|known| known == name)).then(|| (name.clone(), place))
        })
        .collect()
}

/// What a client sends: the service's schema without what the mapping sets or removes. A body that is put together from
/// parts may be any object.
fn body_schema(operation: &Operation, schema: Option<Value>) -> Value {
    let Some(mut schema) = schema.filter(|_| operation.request.passes_body) else { return json!({ "type": "object" }) };
    if operation.request.reads_parts() {
        return json!({ "type": "object" });
    }
    for statement in &operation.request.statements {
        match statement {
            Statement::Move { to, .. } | Statement::Each { to, .. } => hide(&mut schema, to.parts()),
            Statement::Remove(place) => hide(&mut schema, place.parts()),
        }
    }
    schema
}

/// The schema of a member of a member.
fn schema_at<'s>(schema: &'s Value, parts: &[String]) -> Option<&'s Value> {
    parts.iter().try_fold(schema, |here, part| match part.parse::<usize>() {
        Ok(_) if here["items"].is_object() => here.get("items"),
        _ => here.get("properties")?.get(part),
    })
}

/// Takes a member out of a schema.
fn hide(schema: &mut Value, parts: &[String]) {
    let Some((last, way)) = parts.split_last() else { return };
    let mut here = schema;
    for part in way {
        match here.get_mut("properties").and_then(|properties| properties.get_mut(part)) {
            Some(member) => here = member,
            None => return,
        }
    }
    if let Some(properties) = here.get_mut("properties").and_then(Value::as_object_mut) {
        properties.shift_remove(last);
    }
    if let Some(required) = here.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name != last.as_str());
        // An empty list is none in OpenAPI 3.0.
        if required.is_empty()
            && let Some(members) = here.as_object_mut()
        {
            members.shift_remove("required");
        }
    }
}

/// A name as that of a component, which has letters, digits and `. - _` alone: what else there is becomes `_` and digits.
fn component_name(name: &str) -> String {
    let mut made = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_') {
            made.push(char::from(byte));
        } else {
            made.push_str(&format!("_{byte:02X}"));
        }
    }
    made
}

fn without_dialect(mut schema: Value) -> Value {
    if let Some(members) = schema.as_object_mut() {
        members.shift_remove("$schema");
    }
    schema
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "required": ["errorMessage"],
        "properties": { "errorMessage": { "type": "string" }, "errorDetails": { "type": "string" } }
    })
}

/// The operations of a path in a document, in the order of methods.
fn operations_of(item: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    let is_method = |name: &str| METHODS.iter().any(|method| method.eq_ignore_ascii_case(name));
    // Documents that archives bring may hold anything.
    item.as_object_mut().into_iter().flatten().filter(move |(name, one)| is_method(name) && one.is_object())
}

#[cfg(test)]
mod tests;
