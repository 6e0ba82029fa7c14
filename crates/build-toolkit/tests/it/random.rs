//! Descriptions of APIs made at random, of every construct that has a place; the same seed makes the same one.

use serde_json::{Map, Value, json};

/// Xorshift: repeatable, and nothing else is asked of it.
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1 }
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) % limit
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        let index = self.below(all.len() as u64);
        all[usize::try_from(index).expect("small")]
    }

    /// In Swagger 2.0, with one to three operations.
    pub(crate) fn description(&mut self) -> String {
        let mut paths = Map::new();
        for index in 0..=self.below(3) {
            let method = self.one_of(&["get", "put", "post"]);
            let mut parameters: Vec<Value> = (0..self.below(4)).map(|number| self.parameter(number)).collect();
            if method != "get" {
                parameters.push(json!({ "in": "body", "name": "b", "schema": self.object(0) }));
            }
            let answer = if self.below(4) == 0 { self.array(0) } else { self.object(0) };
            let headers = if self.below(3) == 0 { json!({ "X-Rate": { "type": "integer" } }) } else { json!({}) };
            let responses = json!({ "200": { "description": "", "schema": answer, "headers": headers } });
            let operation =
                json!({ "operationId": format!("op{index}"), "parameters": parameters, "responses": responses });
            paths.insert(format!("/p{index}"), json!({ method: operation }));
        }
        json!({ "swagger": "2.0", "info": { "title": "Random", "version": "1" }, "paths": paths }).to_string()
    }

    fn parameter(&mut self, number: u64) -> Value {
        let mut schema = self.simple();
        let place = self.one_of(&["query", "header"]);
        let more = json!({ "name": format!("p_{number}"), "in": place, "required": self.below(2) == 0 });
        if let (Value::Object(schema), Value::Object(more)) = (&mut schema, more) {
            schema.extend(more);
        }
        schema
    }

    fn schema(&mut self, depth: u64) -> Value {
        match self.below(8) {
            0 if depth < 4 => self.object(depth + 1),
            1 | 2 if depth < 4 => self.array(depth + 1),
            _ => self.simple(),
        }
    }

    fn object(&mut self, depth: u64) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for number in 0..=self.below(6) {
            let names = [
                "status",
                "a",
                "A",
                "order_total",
                "count",
                "price$net",
                "ends-with-",
                "x_num",
                "x",
                "a_name_that_is_much_longer_than_it_may_be",
                "Größe",
                "1st",
            ];
            let mut name = self.one_of(&names).to_owned();
            if properties.contains_key(&name) {
                name = format!("{name}{number}");
            }
            if self.below(2) == 0 {
                required.push(name.clone());
            }
            let schema = self.schema(depth);
            properties.insert(name, schema);
        }
        let mut object = json!({ "type": "object", "required": required, "properties": properties });
        match self.below(12) {
            0 => object["additionalProperties"] = Value::Bool(true),
            1 if depth < 4 => object["additionalProperties"] = self.schema(depth + 1),
            _ => {}
        }
        object
    }

    fn array(&mut self, depth: u64) -> Value {
        let items = self.schema(depth);
        let maximum = 1 + self.below(4);
        match self.below(3) {
            0 => json!({ "type": "array", "items": items, "minItems": maximum, "maxItems": maximum }),
            1 => json!({ "type": "array", "items": items, "minItems": 1, "maxItems": maximum }),
            _ => json!({ "type": "array", "items": items, "maxItems": maximum }),
        }
    }

    fn simple(&mut self) -> Value {
        match self.below(14) {
            0 => json!({ "type": "string" }),
            1 | 2 => json!({ "type": "string", "maxLength": 1 + self.below(40) }),
            3 => {
                let length = 1 + self.below(9);
                json!({ "type": "string", "minLength": length, "maxLength": length })
            }
            4 => json!({ "type": "string", "enum": ["A", "BCD"] }),
            5 => json!({ "type": "string", "format": "date-time" }),
            6 => json!({ "type": "integer", "format": "int32" }),
            7 => json!({ "type": "integer" }),
            8 => {
                json!({ "type": "integer", "minimum": 0, "maximum": 10u64.pow(u32::try_from(self.below(18)).expect("small")) })
            }
            9 => json!({ "type": "integer", "minimum": -32768, "maximum": 32767 }),
            10 => json!({ "type": "number", "format": self.one_of(&["double", "float"]) }),
            11 => json!({ "type": "number", "format": "decimal", "multipleOf": 0.01 }),
            12 => json!({ "type": "string", "maxLength": 33_000 + self.below(3) }),
            _ => json!({ "type": "boolean" }),
        }
    }
}
