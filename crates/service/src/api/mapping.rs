//! How a request to an API becomes the JSON of a service, and the service's answer that of the API.
//!
//! A mapping passes the body on or begins with an empty object, then does its statements in order: values of the path, the
//! query, headers or the body move to places, constants are assigned, members are removed. These are the statements of
//! the API toolkit; ours and IBM's archives both become this. Expressions and loops are of our archives alone ([`Loop`]).
//! Numbers from parameters are written as they came, after a look that they are numbers of JSON.

mod source;

use std::borrow::Cow;

use bytes::Bytes;
use model::timestamp::{Timestamp, rfc3339};
use serde_json::Value;

use super::expression::{
    API_REQUEST, BODY, EvaluationError, Expression, HEADERS, NOW, PATH_PARAMETERS, QUERY_PARAMETERS, SERVICE_RESPONSE,
    Scope, Value as Computed,
};
use super::tree::{NoRoom, Place, Tree, quoted};

pub use source::{Item, Kind, Source};

/// An array with an object for each element of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    pub over: Expression,
    /// The variable that is the element; `$index` is its number, from 0.
    pub variable: String,
    pub members: Vec<(Place, Made)>,
}

/// A member of an element that a loop makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Made {
    Value(Expression),
    Loop(Loop),
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    Move { from: Source, to: Place, kind: Kind, required: bool },
    Each { each: Loop, to: Place },
    Remove(Place),
}

/// All steps in one direction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mapping {
    /// Begin with the body that came; else with an empty object.
    pub passes_body: bool,
    pub statements: Vec<Statement>,
}

/// What a request brings along beside its body.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Names and values of the path's parts, decoded.
    pub path: &'a [(&'a str, Cow<'a, str>)],
    /// Names and values of the query, decoded, in order.
    pub query: &'a [(String, String)],
    /// The first header of a name.
    pub header: &'a (dyn Fn(&str) -> Option<&'a str> + Sync),
    /// The JSON of a request of the service that says nothing, which a mapping begins with that passes no body on.
    pub nothing: &'a Bytes,
    /// The body of the request to the API.
    pub body: &'a Bytes,
    /// When it came.
    pub now: Timestamp,
}

/// What the variables of expressions are, made once for all of them.
pub struct Variables {
    api_request: Computed,
    /// Of the service, while an answer is mapped.
    answer: Option<Computed>,
}

impl Variables {
    /// `body` is that of the request, `answer` that of the service; both are missing where no expression reads them, as are
    /// headers.
    fn of(
        surroundings: &Surroundings<'_>,
        expressions: &[&Expression],
        body: Computed,
        answer: Option<Computed>,
    ) -> Self {
        let text = |value: &str| Computed::Text(value.to_owned());
        let path = surroundings.path.iter().map(|(name, value)| ((*name).to_owned(), text(value)));
        let mut query: Vec<(String, Computed)> = Vec::new();
        for (name, value) in surroundings.query {
            match query.iter_mut().find(|(known, _)| known == name) {
                // A name that is given again is a list.
                Some((_, Computed::Array(values))) => values.push(text(value)),
                Some((_, known)) => *known = Computed::Array(vec![std::mem::take(known), text(value)]),
                None => query.push((name.clone(), text(value))),
            }
        }
        let header = |name: &String| Some((name.clone(), text((surroundings.header)(name)?)));
        let headers = headers_of(expressions).filter_map(header).collect();
        let reads_clock = expressions.iter().any(|expression| expression.reads_clock());
        let now = if reads_clock { text(&rfc3339(surroundings.now.date_time())) } else { Computed::Missing };
        Self {
            api_request: Computed::Object(vec![
                (NOW.to_owned(), now),
                (PATH_PARAMETERS.to_owned(), Computed::Object(path.collect())),
                (QUERY_PARAMETERS.to_owned(), Computed::Object(query)),
                (HEADERS.to_owned(), Computed::Object(headers)),
                (BODY.to_owned(), body),
            ]),
            answer,
        }
    }

    fn scope(&self) -> Scope<'_> {
        let mut variables = vec![(API_REQUEST, &self.api_request)];
        variables.extend(self.answer.as_ref().map(|answer| (SERVICE_RESPONSE, answer)));
        Scope { context: self.context(), variables }
    }

    /// What is mapped: the service's answer, or the body of the request.
    fn context(&self) -> &Computed {
        static NOTHING: Computed = Computed::Missing;
        match (&self.answer, &self.api_request) {
            (Some(answer), _) => answer,
            (None, Computed::Object(members)) => members.last().map_or(&NOTHING, |(_, body)| body),
            (None, _) => &NOTHING,
        }
    }
}

fn computed(body: &Bytes) -> Result<Computed, MappingError> {
    let told = |problem: String| MappingError::Body { problem };
    let text = std::str::from_utf8(body).map_err(|error| told(error.to_string()))?;
    Computed::parse(text).map_err(|error| told(error.to_string()))
}

impl Surroundings<'_> {
    /// Whether the request has a parameter or header, whatever its value.
    pub fn has(&self, source: &Source) -> bool {
        match source {
            Source::Path(name) => self.path.iter().any(|(known, _)| known == name),
            Source::Query(name) => self.query.iter().any(|(known, _)| known == name),
            Source::Header(name) => (self.header)(name).is_some(),
            Source::Body(_) | Source::Value(_) | Source::Expression(_) => true,
        }
    }
}

/// Of a request the caller's fault: 400.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    #[error("the request body is not a JSON object: {problem}")]
    Body { problem: String },
    #[error("the {what} is missing")]
    Missing { what: String },
    #[error("the {what} has the value {value:?}, expected {expected}")]
    Value { what: String, value: String, expected: &'static str },
    #[error("the expression {expression} for {place} has no value: {problem}")]
    Expression { expression: String, place: Place, problem: EvaluationError },
    #[error("no response of the operation is for this answer of the service")]
    NoResponse,
    #[error("{place} cannot be set: the array in this path has {length} elements, and no element {part}")]
    Place { place: Place, part: String, length: usize },
}

impl Mapping {
    /// What leaves a body as it is.
    pub fn pass() -> Self {
        Self { passes_body: true, statements: Vec::new() }
    }

    /// The JSON of a request's service. A body that only passes is not looked at: the service does that.
    ///
    /// # Errors
    /// A parameter is missing, of the wrong type, or finds no place in an array; or the body is not an object though it has to
    /// be changed.
    pub fn request(&self, surroundings: &Surroundings<'_>, schema: Option<&Value>) -> Result<Bytes, MappingError> {
        let body = surroundings.body;
        if self.passes_body && self.statements.is_empty() {
            return Ok(body.clone());
        }
        let made = if self.passes_body { None } else { Some(surroundings.nothing).filter(|it| !it.is_empty()) };
        let expressions: Vec<&Expression> = self.expressions().collect();
        let variables = if expressions.is_empty() {
            None
        } else {
            let reads_body = self.expressions_read_body() && !surroundings.body.is_empty();
            let body = if reads_body { computed(surroundings.body)? } else { Computed::Missing };
            Some(Variables::of(surroundings, &expressions, body, None))
        };
        self.carry_out(self.given(body)?, made, surroundings, schema, variables.as_ref())
    }

    /// Whether the mapping of a request reads its body.
    pub fn reads_body(&self) -> bool {
        self.passes_body || self.reads_parts()
    }

    /// Whether the mapping of a request reads parts of its body to put them elsewhere.
    pub fn reads_parts(&self) -> bool {
        self.moves_parts() || self.expressions_read_body()
    }

    fn moves_parts(&self) -> bool {
        let is_part = |statement: &Statement| matches!(statement, Statement::Move { from: Source::Body(_), .. });
        self.statements.iter().any(is_part)
    }

    fn expressions_read_body(&self) -> bool {
        self.reads_context() || self.expressions().any(Expression::reads_request_body)
    }

    /// Whether a name in an expression is a member of what is mapped. Within a loop names are members of the element.
    fn reads_context(&self) -> bool {
        self.statements.iter().any(|statement| match statement {
            Statement::Move { from: Source::Expression(expression), .. } => expression.reads_context(),
            Statement::Each { each, .. } => each.over.reads_context(),
            Statement::Move { .. } | Statement::Remove(_) => false,
        })
    }

    /// What is mapped, for statements; not looked at where they need nothing of it.
    fn given<'b>(&self, body: &'b Bytes) -> Result<Tree<'b>, MappingError> {
        let is_needed = self.passes_body || self.moves_parts();
        if is_needed && !body.is_empty() { parse(body) } else { Ok(Tree::empty_object()) }
    }

    /// All expressions, those of loops included.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.statements.iter().flat_map(|statement| match statement {
            Statement::Move { from: Source::Expression(expression), .. } => vec![expression],
            Statement::Each { each, .. } => each.expressions(),
            Statement::Move { .. } | Statement::Remove(_) => Vec::new(),
        })
    }

    /// The JSON of an API's answer, from that of its service.
    ///
    /// # Errors
    /// The service's answer is not a JSON object though it has to be changed; an expression has no value.
    pub fn response(
        &self,
        body: &Bytes,
        surroundings: &Surroundings<'_>,
        variables: Option<&Variables>,
    ) -> Result<Bytes, MappingError> {
        if body.is_empty() || (self.passes_body && self.statements.is_empty()) {
            return Ok(body.clone());
        }
        self.carry_out(self.given(body)?, None, surroundings, None, variables)
    }

    /// `made` is what the statements change where the body does not pass.
    fn carry_out(
        &self,
        mut given: Tree<'_>,
        made: Option<&Bytes>,
        surroundings: &Surroundings<'_>,
        schema: Option<&Value>,
        variables: Option<&Variables>,
    ) -> Result<Bytes, MappingError> {
        let scope = variables.map(Variables::scope);
        // Sources are read from what came, so that the order of statements cannot change what they find.
        let mut values = Vec::with_capacity(self.statements.len());
        for statement in &self.statements {
            values.push(match statement {
                Statement::Move { from: Source::Expression(expression), to, kind, required } => {
                    let kind = kind.with_schema(schema, to);
                    let value = scope.as_ref().map(|scope| typed_json_of(expression, to, kind, scope));
                    let value = value.transpose()?.flatten();
                    if value.is_none() && *required {
                        return Err(MappingError::Missing { what: format!("value of {}", expression.text()) });
                    }
                    value
                }
                Statement::Each { each, to } => {
                    scope.as_ref().map(|scope| each.elements(to, scope)).transpose()?.flatten()
                }
                Statement::Move { from, to, kind, required } => {
                    let value = from.read(&mut given, surroundings, kind.with_schema(schema, to))?;
                    if value.is_none() && *required {
                        return Err(MappingError::Missing { what: from.spoken() });
                    }
                    value
                }
                Statement::Remove(_) => None,
            });
        }
        let mut made = match made {
            _ if self.passes_body => given,
            Some(made) => parse(made)?,
            None => Tree::empty_object(),
        };
        for (statement, value) in self.statements.iter().zip(values) {
            match (statement, value) {
                (Statement::Move { to, .. } | Statement::Each { to, .. }, Some(text)) => {
                    made.set(to, Tree::Text(Cow::Owned(text)), schema)
                        .map_err(|NoRoom { part, length }| MappingError::Place { place: to.clone(), part, length })?;
                }
                (Statement::Move { .. } | Statement::Each { .. }, None) => {}
                (Statement::Remove(place), _) => made.remove(place),
            }
        }
        let mut text = String::new();
        made.write(&mut text);
        Ok(text.into())
    }
}

/// The JSON of an expression's value; `None`: it has none.
fn json_of(expression: &Expression, place: &Place, scope: &Scope<'_>) -> Result<Option<String>, MappingError> {
    let value = expression.evaluate(scope).map_err(|problem| told(expression, place, problem))?;
    Ok(if matches!(*value, Computed::Missing) { None } else { Some(value.to_json()) })
}

/// As `json_of`, where the schema of the place says a kind: a text that is a number becomes one for a number, and a number or a boolean
/// a text for a text.
fn typed_json_of(
    expression: &Expression,
    place: &Place,
    kind: Kind,
    scope: &Scope<'_>,
) -> Result<Option<String>, MappingError> {
    let value = expression.evaluate(scope).map_err(|problem| told(expression, place, problem))?;
    match (&*value, kind) {
        (Computed::Missing, _) => Ok(None),
        (Computed::Text(text), Kind::Integer | Kind::Number) => source::number_of(text).map(Some).ok_or_else(|| {
            let what = format!("value of {}", expression.text());
            MappingError::Value { what, value: text.clone(), expected: "number" }
        }),
        (Computed::Number(_) | Computed::Boolean(_), Kind::Text) => Ok(Some(quoted(&value.to_json()))),
        _ => Ok(Some(value.to_json())),
    }
}

fn told(expression: &Expression, place: &Place, problem: EvaluationError) -> MappingError {
    MappingError::Expression { expression: expression.text().to_owned(), place: place.clone(), problem }
}

impl Loop {
    pub fn expressions(&self) -> Vec<&Expression> {
        let members = self.members.iter().flat_map(|(_, made)| match made {
            Made::Value(expression) => vec![expression],
            Made::Loop(each) => each.expressions(),
        });
        std::iter::once(&self.over).chain(members).collect()
    }

    /// The array as JSON; `None`: there is nothing to go over.
    fn elements(&self, place: &Place, scope: &Scope<'_>) -> Result<Option<String>, MappingError> {
        let over = self.over.evaluate(scope).map_err(|problem| told(&self.over, place, problem))?;
        if matches!(*over, Computed::Missing | Computed::Null) {
            return Ok(None);
        }
        let mut made = String::from("[");
        for (index, element) in over.elements().iter().enumerate() {
            made.push_str(if index > 0 { "," } else { "" });
            self.element(element, index, scope)?.write(&mut made);
        }
        made.push(']');
        Ok(Some(made))
    }

    fn element(&self, element: &Computed, index: usize, scope: &Scope<'_>) -> Result<Tree<'static>, MappingError> {
        let index = Computed::of_count(index);
        let mut variables = scope.variables.clone();
        variables.extend([(self.variable.as_str(), element), ("index", &index)]);
        let scope = Scope { context: element, variables };
        let mut tree = Tree::empty_object();
        for (place, made) in &self.members {
            let value = match made {
                Made::Value(expression) => json_of(expression, place, &scope)?,
                Made::Loop(each) => each.elements(place, &scope)?,
            };
            if let Some(value) = value {
                tree.set(place, Tree::Text(Cow::Owned(value)), None)
                    .map_err(|NoRoom { part, length }| MappingError::Place { place: place.clone(), part, length })?;
            }
        }
        Ok(tree)
    }
}

/// Names of the headers that expressions read.
fn headers_of<'e>(expressions: &[&'e Expression]) -> impl Iterator<Item = &'e String> {
    let members = expressions.iter().flat_map(|expression| expression.request_members());
    members.filter(|path| path.first().is_some_and(|name| name == HEADERS)).filter_map(|path| path.get(1))
}

/// What an operation answers, where a condition holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// `None`: always.
    pub when: Option<Expression>,
    /// The status of an answer with a body.
    pub code: u16,
    pub mapping: Mapping,
}

impl Response {
    /// Status 200 and the answer as it is.
    pub fn pass() -> Self {
        Self { when: None, code: 200, mapping: Mapping::pass() }
    }

    /// The first of the responses whose condition holds, and the body that it makes of the service's answer, which may be a
    /// text that is no JSON.
    ///
    /// # Errors
    /// None is for this answer; as [`Mapping::response`].
    pub fn answer(
        responses: &[Self],
        answer: &Bytes,
        is_text: bool,
        surroundings: &Surroundings<'_>,
    ) -> Result<(u16, Bytes), MappingError> {
        let variables = Self::variables(responses, answer, is_text, surroundings)?;
        let scope = variables.as_ref().map(Variables::scope);
        for response in responses {
            let holds = match (&response.when, &scope) {
                (Some(when), Some(scope)) => {
                    when.is_true(scope).map_err(|problem| told(when, &Place::default(), problem))?
                }
                _ => true,
            };
            if holds {
                let body = match (response.code, is_text) {
                    // RFC 9110, 15.3.5: it has none.
                    (204, _) => Bytes::new(),
                    (_, true) => answer.clone(),
                    (_, false) => response.mapping.response(answer, surroundings, variables.as_ref())?,
                };
                return Ok((response.code, body));
            }
        }
        Err(MappingError::NoResponse)
    }

    /// What the expressions of all responses read.
    fn variables(
        responses: &[Self],
        answer: &Bytes,
        is_text: bool,
        surroundings: &Surroundings<'_>,
    ) -> Result<Option<Variables>, MappingError> {
        let conditions = responses.iter().filter_map(|response| response.when.as_ref());
        let expressions: Vec<&Expression> =
            conditions.clone().chain(responses.iter().flat_map(|response| response.mapping.expressions())).collect();
        if expressions.is_empty() {
            return Ok(None);
        }
        let reads_answer = conditions.clone().any(Expression::reads_context)
            || responses.iter().any(|response| response.mapping.reads_context())
            || expressions.iter().any(|expression| expression.reads_answer());
        let as_text = |bytes: &Bytes| Computed::Text(String::from_utf8_lossy(bytes).into_owned());
        let answer = match (reads_answer, is_text) {
            (false, _) => Computed::Missing,
            (true, true) => as_text(answer),
            (true, false) => computed(answer)?,
        };
        let reads_body = expressions.iter().any(|expression| expression.reads_request_body());
        let body = match surroundings.body {
            body if !reads_body || body.is_empty() => Computed::Missing,
            // The service has done its work: a body that it took is no error any more.
            body => computed(body).unwrap_or_else(|_| as_text(body)),
        };
        Ok(Some(Variables::of(surroundings, &expressions, body, Some(answer))))
    }
}

fn parse(body: &Bytes) -> Result<Tree<'_>, MappingError> {
    let tree = Tree::parse(body).map_err(|error| MappingError::Body { problem: error.to_string() })?;
    if tree.is_object() { Ok(tree) } else { Err(MappingError::Body { problem: "it is another value".to_owned() }) }
}

#[cfg(test)]
mod tests;
