//! The whole build: a description and its properties become members, logs and an archive.
//!
//! Operations are worked on one after the other, by a thread of their own; what is made of each is handed to the caller, who packs
//! and keeps it while the next ones are made. Few are under way at a time: large descriptions would not fit into memory
//! together with everything that is made of them.

mod report;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::mpsc::sync_channel;

use serde_json::{Value, json};

use crate::archive::write::Schemas;
use crate::archive::{
    ApiKeys, Archive, ArchiveError, Binding, Operation, Options as RunOptions, Parameter, Place, REQUEST_GROUPS,
    RESPONSE_GROUPS, Response, Style, Writer,
};
use crate::cobol::{self, Heading};
use crate::description::{
    self, Api, Description, DescriptionError, Found, JSON_PATCH, Listed, MERGE_PATCH, read_operation,
};
use crate::draft4;
use crate::generate::{self, Generated, generate};
use crate::information::{self, Information};
use crate::options::{Language, Level, Options};
use crate::pli;
use crate::schema::{Direction, Dropped, Kind, Member, Places, Property, Reader};
use crate::structure::Structure;

pub use report::{Processed, Summary};

/// Most members of one kind: two digits before, two behind their letter.
const MAXIMUM_MEMBERS: usize = 9900;
/// CCSID of UTF-8.
const UTF_8: u32 = 1208;
/// Operations that are made and not packed yet.
const UNDER_WAY: usize = 8;
/// Definitions of the description are copied into every schema while that makes fewer bytes than these.
const MAXIMUM_COPIED: usize = 16 << 20;

/// Where a file goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// `dataStructuresLocation`.
    Structures,
    /// `apiInfoFileLocation`.
    Information,
    /// `logFileDirectory`.
    Logs,
}

/// What the build tells while it goes on.
pub trait Sink {
    /// A file is ready.
    ///
    /// # Errors
    /// It cannot be kept; the build stops.
    fn file(&mut self, location: Location, name: &str, content: &[u8]) -> std::io::Result<()>;

    /// A line for the console.
    fn line(&mut self, line: &str);

    /// So many operations of all are done.
    fn progress(&mut self, done: usize, all: usize);
}

/// Why there is no archive.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("{file}: {source}")]
    Description { file: String, source: DescriptionError },
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error("{name} cannot be written: {source}")]
    File { name: String, source: std::io::Error },
    #[error("{0} does not describe an operation that can be processed")]
    Nothing(String),
    #[error("{0} constructs cannot be mapped to structures, and --strict was given")]
    Strict(usize),
}

/// What is to be built.
pub struct Input<'a> {
    pub options: &'a Options,
    /// Name of the description's file, without its folder.
    pub description_name: &'a str,
    pub description: &'a [u8],
    /// What cannot be mapped is an error.
    pub strict: bool,
}

/// Builds an API requester; the archive is returned.
///
/// # Errors
/// The description cannot be used at all, nothing in it can be processed, a file cannot be kept, or under `strict` something
/// had to be left out: then no file is made.
pub fn build(input: &Input<'_>, sink: &mut dyn Sink) -> Result<(Vec<u8>, Summary), BuildError> {
    let file = input.description_name;
    let wrong = |source| BuildError::Description { file: file.to_owned(), source };
    let description = Description::read(file, input.description).map_err(wrong)?;
    let api = description.api(input.options.api_name.as_deref()).map_err(wrong)?;
    let key = input.options.api_keys.as_ref().map(|keys| json!({ "type": "string", "maxLength": keys.max_length }));
    let sources = Sources { input, api: &api, key: key.as_ref() };
    if input.strict {
        sources.check(sink)?;
    }
    sources.run(sink)
}

/// What everything is made of.
struct Sources<'a> {
    input: &'a Input<'a>,
    api: &'a Api<'a>,
    /// Schema of an API key.
    key: Option<&'a Value>,
}

/// What becomes of one operation, but for the number in the names of its members.
struct Made {
    operation: Operation,
    information: String,
    /// Texts of the members.
    request: Option<String>,
    response: Option<String>,
    schemas: Schemas,
    /// Words that names avoid, and what they became.
    reserved: BTreeSet<(String, String)>,
    dropped: Vec<Dropped>,
}

/// One direction of it.
struct Side {
    structure: Structure,
    reserved: Vec<(String, String)>,
    text: String,
    schema: String,
}

/// Why an operation is ignored, and what it would lack.
struct Ignored {
    why: String,
    dropped: Vec<Dropped>,
}

impl<'a> Sources<'a> {
    /// Tells of everything that cannot be mapped.
    fn check(&self, sink: &mut dyn Sink) -> Result<(), BuildError> {
        let (listed, refused) = self.api.operations();
        let mut lines: Vec<String> = refused.iter().map(|(place, why)| report::refused(place, why)).collect();
        for listed in &listed {
            let dropped = match self.operation(listed, None) {
                Ok(made) => made.dropped,
                Err(ignored) => {
                    lines.push(report::ignored(listed, &ignored.why));
                    ignored.dropped
                }
            };
            lines.extend(dropped.iter().map(|dropped| report::dropped(listed, dropped)));
        }
        for line in &lines {
            sink.line(line);
        }
        if lines.is_empty() { Ok(()) } else { Err(BuildError::Strict(lines.len())) }
    }

    fn run(&self, sink: &mut dyn Sink) -> Result<(Vec<u8>, Summary), BuildError> {
        sink.line(&report::named(self.api));
        let (listed, refused) = self.api.operations();
        let all = listed.len();
        for (place, why) in refused {
            sink.line(&report::refused(&place, why));
        }
        let definitions = self.definitions(listed.len());
        let mut writer = Writer::new(self.header());
        let mut summary = Summary::new(self.api, self.input.description_name);
        let mut logs = Names::default();
        std::thread::scope(|scope| {
            let (made, next) = sync_channel(UNDER_WAY);
            let (listed, definitions) = (&listed, definitions.as_deref());
            scope.spawn(move || {
                for listed in listed {
                    // Nobody takes it when the build has ended early.
                    if made.send(self.operation(listed, definitions)).is_err() {
                        return;
                    }
                }
            });
            for (index, (listed, made)) in listed.iter().zip(next).enumerate() {
                self.take(listed, made, &mut writer, &mut summary, &mut logs, sink)?;
                sink.progress(index + 1, all);
            }
            Ok::<_, BuildError>(())
        })?;
        if summary.processed.is_empty() {
            return Err(BuildError::Nothing(self.input.description_name.to_owned()));
        }
        let lines = summary.lines();
        lines.iter().for_each(|line| sink.line(line));
        let name = logs.unused(&self.api.name, "_summary.log");
        file(sink, Location::Logs, &name, (lines.join("\n") + "\n").as_bytes())?;
        let archive = writer.finish(self.input.description_name, self.input.description)?;
        Ok((archive, summary))
    }

    /// Packs and keeps what was made of an operation, or tells why nothing was.
    fn take(
        &self,
        listed: &Listed<'a>,
        made: Result<Made, Ignored>,
        writer: &mut Writer,
        summary: &mut Summary,
        logs: &mut Names,
        sink: &mut dyn Sink,
    ) -> Result<(), BuildError> {
        sink.line(&report::started(listed));
        let made = match made {
            Ok(_) if summary.processed.len() >= MAXIMUM_MEMBERS => {
                Err(Ignored { why: format!("there are no more than {MAXIMUM_MEMBERS} members"), dropped: Vec::new() })
            }
            made => made,
        };
        let log = match made {
            Ok(made) => self.keep(listed, &made, writer, summary, sink)?,
            Err(ignored) => {
                let mut log = report::dropped_lines(listed, &ignored.dropped);
                log.push(report::ignored(listed, &ignored.why));
                log.iter().for_each(|line| sink.line(line));
                summary.ignored.push((listed.id.clone(), ignored.why));
                log
            }
        };
        let name = logs.unused(&listed.id, ".log");
        file(sink, Location::Logs, &name, (log.join("\n") + "\n").as_bytes())
    }

    fn header(&self) -> Archive {
        Archive {
            name: self.api.name.clone(),
            title: self.api.title.to_owned(),
            version: self.api.version.to_owned(),
            description: self.api.description.to_owned(),
            base_path: self.api.base_path.clone(),
            connection_ref: self.input.options.connection_ref.clone(),
            operations: Vec::new(),
        }
    }

    /// The definitions as text, unless copies of them would make the archive large: schemas do not need them.
    fn definitions(&self, operations: usize) -> Option<String> {
        let text = serde_json::to_string(self.api.definitions()?).ok()?;
        (text.len().saturating_mul(2 * operations) <= MAXIMUM_COPIED).then_some(text)
    }

    /// Makes everything of an operation.
    fn operation(&self, listed: &Listed<'a>, definitions: Option<&str>) -> Result<Made, Ignored> {
        let ignored = |why: String| Ignored { why, dropped: Vec::new() };
        let options = self.input.options;
        let found =
            read_operation(self.api, listed, options.ignore_mime_type_check, options.mapping_level).map_err(ignored)?;
        let path = format!("{}{}", self.api.base_path, listed.path);
        let information =
            Information::new(&self.api.name, &path, listed.method, options.mapping_level).map_err(ignored)?;
        let media_type = found.body.as_ref().map_or("", |body| body.media_type.as_str());
        let information = information.of_operation(&listed.id, media_type, options.mapping_level);
        let mut dropped = Vec::new();
        let request = self.request(listed, &found, definitions, &mut dropped);
        let response =
            request.and_then(|request| Ok((request, self.response(listed, &found, definitions, &mut dropped)?)));
        let ((request, parameters), response) = match response {
            Ok(sides) => sides,
            Err(why) => return Err(Ignored { why, dropped }),
        };
        let mut reserved = BTreeSet::new();
        let mut schemas = Schemas::default();
        let (mut request_text, mut response_text) = (None, None);
        let mut apart = |side: Side, text: &mut Option<String>, schema: &mut Option<String>| {
            reserved.extend(side.reserved);
            *text = Some(side.text);
            *schema = Some(side.schema);
            side.structure
        };
        let binding = Binding {
            format: if options.mapping_level >= Level::V5_0 { 2 } else { 1 },
            options: self.run_options(),
            media_type: found.body.map_or_else(|| "application/json".to_owned(), |body| body.media_type),
            parameters,
            request: request.map(|side| apart(side, &mut request_text, &mut schemas.request)),
            response: response.map(|side| Response {
                code: found.code,
                every_success: found.every_success,
                structure: apart(side, &mut response_text, &mut schemas.response),
            }),
        };
        let (id, path, method) = (listed.id.clone(), listed.path.to_owned(), listed.method.to_owned());
        Ok(Made {
            operation: Operation { id, path, method, binding },
            information: information.member(options.language, options.generated_ccsid),
            request: request_text,
            response: response_text,
            schemas,
            reserved,
            dropped,
        })
    }

    fn run_options(&self) -> RunOptions {
        let options = self.input.options;
        RunOptions {
            white_space: options.white_space,
            data_truncation: options.data_truncation,
            runtime_ccsid: options.runtime_ccsid,
            api_keys: options.api_keys.as_ref().map(|keys| ApiKeys { place: keys.place, names: keys.names.clone() }),
        }
    }

    fn reader(&self, direction: Direction) -> Reader<'a> {
        let options = self.input.options;
        let places = Places {
            arrays_of_arrays: options.mapping_level >= Level::V4_3,
            additional: (options.mapping_level >= Level::V5_0).then_some(options.additional),
        };
        Reader::new(self.api.root, direction, places)
    }

    /// The request, and where its parameters go.
    fn request(
        &self,
        listed: &Listed<'a>,
        found: &Found<'a>,
        definitions: Option<&str>,
        dropped: &mut Vec<Dropped>,
    ) -> Result<(Option<Side>, Vec<Parameter>), String> {
        let mut reader = self.reader(Direction::Request);
        for (name, problem, required) in &found.left_out {
            reader.leave_out(name, problem.as_str(), *required);
        }
        let mut groups = Vec::new();
        let mut parameters = Vec::new();
        for place in [Place::Path, Place::Query, Place::Header, Place::Cookie] {
            let inputs = found.parameters.iter().filter(|input| input.place == place);
            let mut members: Vec<(Member<'a>, Style)> = inputs.map(|input| (input.member, input.style)).collect();
            self.add_keys(place, &mut members);
            let only: Vec<Member<'a>> = members.iter().map(|(member, _)| *member).collect();
            let Some(group) = reader.group(place.group(), &only) else { continue };
            if let Kind::Object { properties } = &group.schema.kind {
                // A single value is joined to nothing.
                let style_of = |property: &Property<'_>| {
                    let is_this = |(member, _): &&(Member<'_>, Style)| member.name == property.name;
                    let is_array = matches!(property.schema.kind, Kind::Array { .. });
                    members.iter().find(is_this).filter(|_| is_array).map(|(_, style)| *style).unwrap_or_default()
                };
                parameters.extend(properties.iter().map(|property| Parameter {
                    place,
                    name: property.name.to_owned(),
                    style: style_of(property),
                }));
            }
            groups.push(group);
        }
        if let Some(body) = &found.body {
            groups.extend(reader.body(REQUEST_GROUPS[3], body.schema));
        }
        dropped.append(&mut reader.dropped);
        if let Some(Dropped { place, problem }) = reader.unusable {
            return Err(format!("its request needs {place}, which cannot be mapped: {problem}"));
        }
        let schema_name = format!("{}_request.json", listed.id);
        let side = self.side(&groups, "request", &schema_name, definitions, self.meaning(listed, found))?;
        Ok((side, parameters))
    }

    /// Patches have structures of their own at level 5.0.
    fn meaning(&self, listed: &Listed<'a>, found: &Found<'a>) -> generate::Body {
        let is_patch = self.input.options.mapping_level >= Level::V5_0 && listed.method == "PATCH";
        match found.body.as_ref().filter(|_| is_patch) {
            Some(body) if description::is_essence(&body.media_type, MERGE_PATCH) => generate::Body::MergePatch,
            Some(body) if description::is_essence(&body.media_type, JSON_PATCH) => generate::Body::JsonPatch,
            _ => generate::Body::Value,
        }
    }

    /// API keys stand behind the parameters of the operation, which has its own of that name perhaps.
    fn add_keys(&self, place: Place, members: &mut Vec<(Member<'a>, Style)>) {
        let (Some(keys), Some(schema)) = (&self.input.options.api_keys, self.key) else { return };
        for name in keys.names.iter().filter(|_| keys.place == place) {
            let is_same = |member: &Member<'_>| match place {
                Place::Header => member.name.eq_ignore_ascii_case(name),
                Place::Path | Place::Query | Place::Cookie => member.name == name,
            };
            if !members.iter().any(|(member, _)| is_same(member)) {
                members.push((Member { name, required: true, description: None, schema }, Style::Comma));
            }
        }
    }

    fn response(
        &self,
        listed: &Listed<'a>,
        found: &Found<'a>,
        definitions: Option<&str>,
        dropped: &mut Vec<Dropped>,
    ) -> Result<Option<Side>, String> {
        let mut reader = self.reader(Direction::Response);
        for (name, problem) in &found.left_out_of_answers {
            reader.leave_out(name, problem.as_str(), false);
        }
        let mut groups = Vec::new();
        groups.extend(reader.group(RESPONSE_GROUPS[0], &found.response_headers));
        if self.input.options.mapping_level >= Level::V5_0 {
            for (name, schema) in &found.answers {
                groups.extend(reader.body(name, schema));
            }
        } else if let Some(schema) = found.response_body {
            groups.extend(reader.body(RESPONSE_GROUPS[1], schema));
        }
        dropped.append(&mut reader.dropped);
        // Level 5.0 has all answers in one structure.
        let schema_name = match self.input.options.mapping_level >= Level::V5_0 {
            true => format!("{}_response.json", listed.id),
            false => format!("{}_{}_response.json", listed.id, found.code),
        };
        self.side(&groups, "response", &schema_name, definitions, generate::Body::Value)
    }

    fn side(
        &self,
        groups: &[Property<'a>],
        direction: &'static str,
        schema_name: &str,
        definitions: Option<&str>,
        body: generate::Body,
    ) -> Result<Option<Side>, String> {
        if groups.is_empty() {
            return Ok(None);
        }
        let options = self.input.options;
        let Generated { structure, reserved } = generate(groups, options, body).map_err(|error| error.to_string())?;
        let heading = Heading { direction, schema_name, level: options.mapping_level };
        let text = match options.language {
            Language::Cobol => cobol::member(&structure, groups, &heading),
            Language::Pli => pli::member(&structure, groups, &heading),
        };
        let schema = draft4::schema(groups, definitions);
        Ok(Some(Side { structure, reserved, text, schema }))
    }

    /// Hands over the members of an operation and adds it to the archive; returns its log.
    fn keep(
        &self,
        listed: &Listed<'a>,
        made: &Made,
        writer: &mut Writer,
        summary: &mut Summary,
        sink: &mut dyn Sink,
    ) -> Result<Vec<String>, BuildError> {
        let mut log = vec![report::started(listed)];
        let mut tell = |lines: Vec<String>, sink: &mut dyn Sink| {
            lines.iter().for_each(|line| sink.line(line));
            log.extend(lines);
        };
        tell(made.reserved.iter().map(report::reserved).collect(), sink);
        tell(report::dropped_lines(listed, &made.dropped), sink);
        let number = summary.processed.len();
        let member = |letter| report::member_name(self.input.options, number, letter);
        let mut processed = Processed::new(listed, member('I'));
        let binding = &made.operation.binding;
        let length = |structure: Option<&Structure>| structure.map_or(0, |structure| structure.length);
        if let Some(text) = &made.request {
            self.structure(sink, &member('Q'), text)?;
            processed.request = Some((member('Q'), length(binding.request.as_ref())));
        }
        if let Some(text) = &made.response {
            self.structure(sink, &member('P'), text)?;
            let structure = binding.response.as_ref().map(|response| &response.structure);
            processed.response = Some((member('P'), length(structure)));
        }
        let name = member('I');
        self.member(sink, Location::Information, &name, &made.information.replace(information::MEMBER, &name))?;
        writer.add(&made.operation, &made.schemas)?;
        tell(vec![report::finished(listed)], sink);
        log.extend(processed.lines(&self.api.base_path));
        log.extend(processed.lengths());
        summary.processed.push(processed);
        Ok(log)
    }

    fn structure(&self, sink: &mut dyn Sink, name: &str, text: &str) -> Result<(), BuildError> {
        if self.input.options.mapping_level < Level::V5_0 {
            return self.member(sink, Location::Structures, name, text);
        }
        self.member(sink, Location::Structures, name, &text.replace(cobol::MEMBER, name))
    }

    fn member(&self, sink: &mut dyn Sink, location: Location, name: &str, text: &str) -> Result<(), BuildError> {
        let extension = &self.input.options.requester_extension;
        let name = if extension.is_empty() { name.to_owned() } else { format!("{name}.{extension}") };
        file(sink, location, &name, &encoded(text, self.input.options.generated_ccsid))
    }
}

/// The text in its code page. On z/OS lines of EBCDIC end with NEL.
fn encoded(text: &str, ccsid: u32) -> Cow<'_, [u8]> {
    if ccsid == UTF_8 {
        return text.as_bytes().into();
    }
    let is_ebcdic =
        codepage::CharacterSet::of(ccsid, codepage::ByteOrder::Big).is_some_and(codepage::CharacterSet::is_ebcdic);
    let mut bytes = Vec::with_capacity(text.len());
    let done = match is_ebcdic {
        true => codepage::encode(ccsid, &text.replace('\n', "\u{85}"), &mut bytes),
        false => codepage::encode(ccsid, text, &mut bytes),
    };
    if done.is_ok() { bytes.into() } else { text.as_bytes().into() }
}

fn file(sink: &mut dyn Sink, location: Location, name: &str, content: &[u8]) -> Result<(), BuildError> {
    sink.file(location, name, content).map_err(|source| BuildError::File { name: name.to_owned(), source })
}

/// Names of logs.
#[derive(Default)]
struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// The name as a file can have it, with a number where it was there before.
    fn unused(&mut self, name: &str, ending: &str) -> String {
        let plain = |one: char| if one.is_alphanumeric() || matches!(one, '.' | '-' | '_') { one } else { '_' };
        let name: String = name.chars().map(plain).take(60).collect();
        (1..)
            .map(|number| if number == 1 { format!("{name}{ending}") } else { format!("{name}_{number}{ending}") })
            .find(|name| self.taken.insert(name.to_lowercase()))
            .unwrap_or_default()
    }
}
