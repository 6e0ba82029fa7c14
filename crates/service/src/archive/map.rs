//! `request.map` and `response.map` of an API archive: the statements of a mapping as XML.
//!
//! Read are `move`, `assign`, `remove` and `passthrough` with its `updates`; any other statement is an error, for leaving it
//! out would change what a service gets. Written are the same ones, and `expression` and `each` of our own.
//! Source: archives that the API toolkit generated (reference, 1.5).

use std::fmt::Write;

use document::xml::{self, Element};
use quick_xml::escape::escape;
use serde_json::Value;

use super::error::ArchiveError;
use crate::api::expression::Expression;
use crate::api::mapping::{Kind, Loop, Made, Mapping, Source, Statement};
use crate::api::tree::Place;

/// Which way a map leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Request,
    Response,
}

/// Reads a map; `entry` is its name, for errors.
///
/// # Errors
/// It is not XML, no map, or has a statement that is not read here.
pub fn parse(text: &str, entry: &str) -> Result<Mapping, ArchiveError> {
    let root = xml::parse(text.as_bytes()).map_err(|error| ArchiveError::entry(entry, error))?;
    let declaration = root.children_named("mappingDeclaration").next().filter(|_| root.name == "mappingRoot");
    let declaration = declaration.ok_or_else(|| ArchiveError::entry(entry, "there is no mappingDeclaration"))?;
    let mut reader = Reader { entry, mapping: Mapping::default(), from: Place::default() };
    reader.from = reader.place(path_of(declaration, "input").unwrap_or_default())?;
    let to = reader.place(path_of(declaration, "output").unwrap_or_default())?;
    reader.statements(declaration, &to)?;
    Ok(reader.mapping)
}

struct Reader<'a> {
    entry: &'a str,
    mapping: Mapping,
    /// Where places of the body begin that is read.
    from: Place,
}

impl Reader<'_> {
    fn wrong(&self, problem: impl ToString) -> ArchiveError {
        ArchiveError::entry(self.entry, problem)
    }

    /// `base` is where outputs begin.
    fn statements(&mut self, parent: &Element, base: &Place) -> Result<(), ArchiveError> {
        for element in &parent.children {
            match element.name.as_str() {
                "input" | "output" => {}
                "passthrough" => self.passthrough(element, base)?,
                "move" | "convert" => self.mv(element, base)?,
                "assign" => {
                    let to = self.output(element, base)?;
                    let text = element.attribute("value").unwrap_or_default();
                    let value = match self.kind(element) {
                        Kind::Integer | Kind::Number | Kind::Boolean => serde_json::from_str(text)
                            .map_err(|_| self.wrong(format!("{text:?} cannot be assigned")))?,
                        Kind::AsSchema | Kind::Text | Kind::List(_) => Value::from(text),
                    };
                    self.mapping.statements.push(Statement::Move {
                        from: Source::Value(value),
                        to,
                        kind: Kind::AsSchema,
                        required: false,
                    });
                }
                "remove" | "delete" => {
                    let place = match path_of(element, "output").or_else(|| path_of(element, "input")) {
                        Some(path) => join(base, &self.place(strip_body(path))?),
                        None => return Err(self.wrong("a remove has no path")),
                    };
                    self.mapping.statements.push(Statement::Remove(place));
                }
                "expression" => {
                    let from = Source::Expression(self.expression(element, "text")?);
                    let required = element.attribute("required") == Some("true");
                    let to = self.output(element, base)?;
                    self.mapping.statements.push(Statement::Move { from, to, kind: Kind::AsSchema, required });
                }
                "each" => {
                    let to = self.output(element, base)?;
                    self.mapping.statements.push(Statement::Each { each: self.each(element)?, to });
                }
                other => return Err(self.wrong(format!("the statement {other} is not supported"))),
            }
        }
        Ok(())
    }

    fn expression(&self, element: &Element, attribute: &str) -> Result<Expression, ArchiveError> {
        let text = element.attribute(attribute).unwrap_or_default();
        Expression::parse(text).map_err(|error| self.wrong(format!("{text}: {error}")))
    }

    fn each(&self, element: &Element) -> Result<Loop, ArchiveError> {
        let mut members = Vec::new();
        for child in element.children.iter().filter(|child| child.name != "output") {
            let made = match child.name.as_str() {
                "expression" => Made::Value(self.expression(child, "text")?),
                "each" => Made::Loop(self.each(child)?),
                other => return Err(self.wrong(format!("the statement {other} is not supported in a loop"))),
            };
            members.push((self.output(child, &Place::default())?, made));
        }
        let variable = element.attribute("as").unwrap_or("item").to_owned();
        Ok(Loop { over: self.expression(element, "over")?, variable, members })
    }

    fn passthrough(&mut self, element: &Element, base: &Place) -> Result<(), ArchiveError> {
        let to = self.output(element, base)?;
        let from = join(&self.from, &self.place(strip_body(path_of(element, "input").unwrap_or_default()))?);
        if from == to {
            // What stands there is all a body has: the toolkit's schemas have one root.
            self.mapping.passes_body = true;
        } else {
            self.mapping.statements.push(Statement::Move {
                from: Source::Body(from),
                to: to.clone(),
                kind: Kind::AsSchema,
                required: false,
            });
        }
        for updates in element.children.iter().filter(|child| matches!(child.name.as_str(), "updates" | "override")) {
            self.statements(updates, &to)?;
        }
        Ok(())
    }

    fn mv(&mut self, element: &Element, base: &Place) -> Result<(), ArchiveError> {
        let to = self.output(element, base)?;
        let path = path_of(element, "input").ok_or_else(|| self.wrong("a move has no input"))?;
        let (group, rest) = path.split_once('/').unwrap_or((path, ""));
        let from = match group {
            "PathParameters" | "ReqPathParameters" => Source::Path(rest.to_owned()),
            "QueryParameters" | "ReqQueryParameters" => Source::Query(rest.to_owned()),
            "Headers" | "ReqHeaders" => Source::Header(rest.to_owned()),
            _ => Source::Body(join(&self.from, &self.place(strip_body(path))?)),
        };
        let required = element
            .children_named("input")
            .any(|input| input.attribute("required") == Some("true") || input.attribute("httpIn") == Some("path"));
        let kind = self.kind(element);
        self.mapping.statements.push(Statement::Move { from, to, kind, required });
        Ok(())
    }

    fn output(&self, element: &Element, base: &Place) -> Result<Place, ArchiveError> {
        let path = path_of(element, "output").ok_or_else(|| self.wrong(format!("a {} has no output", element.name)))?;
        Ok(join(base, &self.place(strip_body(path))?))
    }

    /// What the output's type in XML Schema makes of a text.
    fn kind(&self, element: &Element) -> Kind {
        let output = element.children_named("output").next();
        let name = output.and_then(|output| output.attribute("xsdBuiltInOrDerivedSimpleType")).unwrap_or_default();
        match name.rsplit(':').next().unwrap_or_default() {
            "integer" | "int" | "long" | "short" | "nonNegativeInteger" | "unsignedInt" | "unsignedLong" => {
                Kind::Integer
            }
            "decimal" | "double" | "float" => Kind::Number,
            "boolean" => Kind::Boolean,
            "string" => Kind::Text,
            _ => Kind::AsSchema,
        }
    }

    fn place(&self, path: &str) -> Result<Place, ArchiveError> {
        let path = match path.strip_prefix('$') {
            Some(variable) => variable.split_once('/').map_or("", |(_, rest)| rest),
            None => path,
        };
        // The envelopes of HTTP are no members of a body.
        let path = path.strip_prefix("HTTPRequest").or_else(|| path.strip_prefix("HTTPResponse")).unwrap_or(path);
        Place::parse(path).map_err(|problem| self.wrong(problem))
    }
}

fn path_of<'e>(element: &'e Element, name: &str) -> Option<&'e str> {
    element.children.iter().find(|child| child.name == name)?.attribute("path")
}

/// A place within the body, whichever side of the mapping names it so.
fn strip_body(path: &str) -> &str {
    match path.split_once('/') {
        Some(("Body" | "ReqBody" | "RespBody", rest)) => rest,
        None if matches!(path, "Body" | "ReqBody" | "RespBody") => "",
        _ => path,
    }
}

fn join(base: &Place, below: &Place) -> Place {
    Place::of(base.parts().iter().chain(below.parts()).cloned())
}

/// The mapping as XML.
pub fn write(mapping: &Mapping, method: &str, path: &str, direction: Direction) -> String {
    let (from, to) = match direction {
        Direction::Request => ("$rootInput/HTTPRequest", "$rootOutput"),
        Direction::Response => ("$rootInput", "$rootOutput/HTTPResponse"),
    };
    let name = escape(format!("{method}{}", path.replace('/', "."))).into_owned();
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<mappingRoot xmlns=\"http://www.ibm.com/2008/ccl/Mapping\" \
         domainID=\"com.ibm.msl.mapping.xml\" domainIDExtension=\"zosconnect\" jsonWrapped=\"false\" version=\"8.0.5.0\">\n",
    );
    let _ = writeln!(xml, "    <mappingDeclaration name=\"{name}\">");
    let _ = writeln!(xml, "        <input path=\"{from}\"/>\n        <output path=\"{to}\"/>");
    let indent = if mapping.passes_body {
        xml.push_str("        <passthrough>\n            <input path=\"Body\"/>\n            <output path=\".\"/>\n");
        xml.push_str("            <updates>\n");
        "                "
    } else {
        "        "
    };
    for statement in &mapping.statements {
        statement_xml(&mut xml, statement, indent);
    }
    if mapping.passes_body {
        xml.push_str("            </updates>\n        </passthrough>\n");
    }
    xml.push_str("    </mappingDeclaration>\n</mappingRoot>\n");
    xml
}

fn statement_xml(xml: &mut String, statement: &Statement, indent: &str) {
    let place = |place: &Place| escape(place.to_string()).into_owned();
    let output = |to: &Place, kind: Kind| {
        let kind = kind_name(kind).map_or_else(String::new, |name| {
            format!(" xsdBuiltInOrDerivedSimpleType=\"http://www.w3.org/2001/XMLSchema:{name}\"")
        });
        format!("<output httpIn=\"body\" path=\"{}\"{kind}/>", place(to))
    };
    let (from, to, kind, required) = match statement {
        Statement::Move { from, to, kind, required } => (from, to, *kind, *required),
        Statement::Each { each, to } => return each_xml(xml, each, to, indent),
        Statement::Remove(at) => {
            let _ = writeln!(xml, "{indent}<remove><output path=\"{}\"/></remove>", place(at));
            return;
        }
    };
    let (group, name) = match from {
        Source::Expression(expression) => return expression_xml(xml, expression, to, required, indent),
        Source::Value(value) => {
            let (text, kind) = match value {
                Value::String(text) => (text.clone(), Kind::Text),
                Value::Bool(value) => (value.to_string(), Kind::Boolean),
                other => (other.to_string(), Kind::Number),
            };
            let _ = writeln!(xml, "{indent}<assign value=\"{}\">{}</assign>", escape(text), output(to, kind));
            return;
        }
        Source::Path(name) => ("path\" path=\"PathParameters/", escape(name.as_str()).into_owned()),
        Source::Query(name) => ("query\" path=\"QueryParameters/", escape(name.as_str()).into_owned()),
        Source::Header(name) => ("header\" path=\"Headers/", escape(name.as_str()).into_owned()),
        Source::Body(at) => ("body\" path=\"Body/", place(at)),
    };
    let required = if required { " required=\"true\"" } else { "" };
    let _ = writeln!(xml, "{indent}<move><input httpIn=\"{group}{name}\"{required}/>{}</move>", output(to, kind));
}

fn expression_xml(xml: &mut String, expression: &Expression, to: &Place, required: bool, indent: &str) {
    let required = if required { " required=\"true\"" } else { "" };
    let (text, to) = (escape(expression.text()), to.to_string());
    let _ = writeln!(
        xml,
        "{indent}<expression text=\"{text}\"{required}><output httpIn=\"body\" path=\"{}\"/></expression>",
        escape(to)
    );
}

fn each_xml(xml: &mut String, each: &Loop, to: &Place, indent: &str) {
    let (over, variable) = (escape(each.over.text()), escape(each.variable.as_str()));
    let _ = writeln!(xml, "{indent}<each over=\"{over}\" as=\"{variable}\">");
    let inner = format!("{indent}    ");
    let _ = writeln!(xml, "{inner}<output httpIn=\"body\" path=\"{}\"/>", escape(to.to_string()));
    for (place, made) in &each.members {
        match made {
            Made::Value(expression) => expression_xml(xml, expression, place, false, &inner),
            Made::Loop(each) => each_xml(xml, each, place, &inner),
        }
    }
    let _ = writeln!(xml, "{indent}</each>");
}

fn kind_name(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Integer => "integer",
        Kind::Number => "decimal",
        Kind::Boolean => "boolean",
        Kind::Text => "string",
        Kind::AsSchema | Kind::List(_) => return None,
    })
}

#[cfg(test)]
mod tests;
