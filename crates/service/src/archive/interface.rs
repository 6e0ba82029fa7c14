//! Interfaces of the API toolkit (`.si`) and of assets of provider 3.0 (`.dai`), which have the same form, read as a copybook with what is renamed, omitted and chosen in it.
//!
//! Such a file describes the bytes of a record field by field, and what JSON has of each. It becomes a copybook, so that
//! everything behind it knows one kind of description only. Names of the copybook are the fields' original names, made
//! unique. [`Interface::check`] compares where the copybook's items came to lie with what the file says.
//!
//! Source: interfaces of public projects (cicsdev/cics-banking-sample-application-cbsa, zosconnect/sample-ims-api); no
//! description was published.

use std::collections::HashSet;
use std::fmt::Write as _;

use copybook::{Adjustment, Change, ConvertOptions, NameStyle, RecordLayout, Redefines};
use document::xml::{self, Element};

/// Words that begin a clause, which no item may be called.
const CLAUSES: &str = " BASED BINARY BLANK COMP COMPUTATIONAL COPY DATE DISPLAY EXTERNAL FILLER GLOBAL GROUP-USAGE INDEX IS JUST \
    JUSTIFIED LIKE NATIONAL OBJECT OCCURS PACKED-DECIMAL PIC PICTURE POINTER REDEFINES RENAMES REPLACE SIGN SYNC SYNCHRONIZED TYPE \
    USAGE VALUE VALUES VOLATILE ";
/// Longest name of an item, without what makes it unique.
const LONGEST_NAME: usize = 26;

/// A record as an interface describes it.
#[derive(Default)]
pub struct Interface {
    /// In free format.
    pub copybook: String,
    /// The members that the JSON of the record stands in.
    pub wrapper: Vec<String>,
    /// The record is a container. Its JSON stands in the operation of its service, before all.
    pub is_of_channel: bool,
    adjustments: Vec<Adjustment>,
    defaults: Vec<Adjustment>,
    alternatives: Vec<String>,
    /// Items in areas of which an alternative is part of JSON, that are not.
    hidden: Vec<String>,
    shows_all_alternatives: bool,
    /// Items, where each begins (from 0; unknown inside of arrays), and how long one occurrence is.
    places: Vec<(String, Option<usize>, usize)>,
}

/// Whether a file's name is that of an interface.
pub fn is_one(file: &str) -> bool {
    let is_known = |ending: &str| ending.eq_ignore_ascii_case("si") || ending.eq_ignore_ascii_case("dai");
    file.rsplit_once('.').is_some_and(|(_, ending)| is_known(ending))
}

impl Interface {
    /// # Errors
    /// It is no interface, or describes what no copybook can.
    pub fn read(content: &[u8]) -> Result<Self, String> {
        let root = xml::parse(content).map_err(|error| error.to_string())?;
        let message = only(root.children_named("message"), "message")?;
        let segment = only(message.children_named("segment"), "segment")?;
        let field = only(segment.children_named("field"), "field at the top of its segment")?;
        let mut reader = Reader::default();
        reader.field(&Field::of(field)?, 1, None, true)?;
        let mut interface = reader.interface;
        if root.attribute("serviceType") == Some("CICS_CHANNEL") {
            interface.is_of_channel = true;
            // The channel's only container, which has a name of its own or that of the copybook.
            let container = ["name", "originalName"].iter().filter_map(|name| segment.attribute(name));
            interface.wrapper.extend(container.filter(|name| !name.is_empty()).take(1).map(str::to_owned));
        }
        if field.children_named("field").next().is_some() {
            interface.wrapper.push(json_name(field)?.to_owned());
        }
        Ok(interface)
    }

    /// Sets what the interface says about JSON.
    pub fn apply(&self, options: &mut ConvertOptions, of_request: bool) {
        options.names = NameStyle::Cobol;
        options.adjustments.extend(self.adjustments.iter().cloned());
        if of_request {
            options.adjustments.extend(self.defaults.iter().cloned());
        }
        if self.shows_all_alternatives {
            options.redefines = Redefines::All;
            options.adjustments.extend(self.hidden.iter().map(|item| omit(item)));
        } else {
            options.alternatives.extend(self.alternatives.iter().cloned());
        }
    }

    /// Of an IMS message, which begins with its length, two bytes, and its transaction code: the items of the length and of the code, and
    /// the bytes of the message.
    pub fn ims_head(&self) -> Option<(&str, &str, usize)> {
        match self.places.as_slice() {
            [(length, Some(0), 2), (_, Some(2), 2), (code, Some(4), _), .., (_, Some(0), bytes)] => {
                Some((length, code, *bytes))
            }
            _ => None,
        }
    }

    /// # Errors
    /// An item of the copybook lies elsewhere, or is longer or shorter, than the interface says.
    pub fn check(&self, layout: &RecordLayout) -> Result<(), String> {
        for (name, start, length) in &self.places {
            let Some(item) = layout.items.iter().find(|item| item.name.as_ref() == Some(name)) else {
                return Err(format!("the field {name} is lost"));
            };
            if item.length != *length || start.is_some_and(|start| start != item.offset) {
                let (offset, found) = (item.offset + 1, item.length);
                return Err(format!(
                    "the field {name} would have {found} bytes at position {offset}, which is not what the interface says"
                ));
            }
        }
        Ok(())
    }
}

/// One field, as far as its element says it.
struct Field<'a> {
    element: &'a Element,
    name: &'a str,
    original: &'a str,
    is_included: bool,
    start: Option<usize>,
    bytes: usize,
    /// Fewest and most occurrences.
    occurs: Option<(usize, usize)>,
    children: Vec<Field<'a>>,
}

impl<'a> Field<'a> {
    fn of(element: &'a Element) -> Result<Self, String> {
        let name = json_name(element)?;
        let number = |text: &str, what: &str| {
            let number = text.trim().parse::<u32>().ok().and_then(|number| usize::try_from(number).ok());
            number.ok_or_else(|| format!("the field {name}: its {what} '{text}' is no number"))
        };
        let child = |known: &'static str| element.children.iter().find(|child| child.name == known);
        let bytes = child("bytes").ok_or_else(|| format!("the field {name} has no length"))?;
        let start = child("startPos").map(|start| number(&start.text, "position")).transpose()?;
        let attribute = |known: &str| element.attribute(known).filter(|value| !value.trim().is_empty());
        let most = attribute("maxOccurs").map(|most| number(most, "maxOccurs")).transpose()?;
        let fewest = attribute("minOccurs").map(|fewest| number(fewest, "minOccurs")).transpose()?;
        let children: Result<Vec<_>, _> = element.children_named("field").map(Field::of).collect();
        Ok(Self {
            element,
            name,
            original: attribute("originalName").unwrap_or(name),
            is_included: element.attribute("included") != Some("N"),
            start: start.map(|start| start.saturating_sub(1)),
            bytes: number(&bytes.text, "length")?,
            occurs: most.map(|most| (fewest.unwrap_or(most), most)),
            children: children?,
        })
    }

    fn attribute(&self, name: &str) -> Option<&'a str> {
        self.element.attribute(name).filter(|value| !value.is_empty())
    }

    fn wrong(&self, problem: impl std::fmt::Display) -> String {
        format!("the field {}: {problem}", self.name)
    }

    /// Bytes of one occurrence. An array's are those of all.
    fn length(&self) -> Result<usize, String> {
        match self.occurs {
            _ if self.bytes == 0 => Err(self.wrong("it has no bytes")),
            Some((_, most)) if most > 0 && self.bytes.is_multiple_of(most) => Ok(self.bytes / most),
            Some((_, most)) => Err(self.wrong(format_args!("{} bytes do not hold {most} elements", self.bytes))),
            None => Ok(self.bytes),
        }
    }
}

#[derive(Default)]
struct Reader {
    interface: Interface,
    names: HashSet<String>,
    /// Fields read so far: path and original name as the file has them, and the item's name.
    known: Vec<(String, String, String)>,
}

impl Reader {
    /// Writes a field and what is in it. `redefined`: the item whose place it takes. Fields that are not `seen` have no place
    /// in JSON, whatever they say.
    fn field(
        &mut self,
        field: &Field<'_>,
        level: usize,
        redefined: Option<&str>,
        seen: bool,
    ) -> Result<String, String> {
        let item = self.unique(field.original);
        let path = field.attribute("path").unwrap_or_default().to_owned();
        self.known.push((path, field.original.to_owned(), item.clone()));
        let length = field.length()?;
        let mut line = format!("{:indent$}{level:02} {item}", "", indent = level - 1);
        let picture = if field.children.is_empty() { Some(picture(field, length)?) } else { None };
        if let Some(redefined) = redefined {
            let _ = write!(line, " REDEFINES {redefined}");
        }
        if let Some(picture) = picture {
            let _ = write!(line, " {picture}");
        }
        match (field.occurs, self.counter(field)?) {
            (Some((fewest, most)), Some(counter)) => {
                let _ = write!(line, " OCCURS {fewest} TO {most} TIMES DEPENDING ON {counter}");
            }
            (Some((fewest, most)), None) if fewest != most => {
                return Err(field.wrong(format_args!("nothing says how many of {fewest} to {most} elements there are")));
            }
            (Some((_, most)), None) => {
                let _ = write!(line, " OCCURS {most} TIMES");
            }
            (None, Some(_)) => return Err(field.wrong("it depends on another one, and is no array")),
            (None, None) => {}
        }
        self.interface.copybook += &line;
        self.interface.copybook += ".\n";
        if level > 1 && seen && field.name != item {
            let change = Change::Rename(field.name.to_owned());
            self.interface.adjustments.push(Adjustment { item: item.clone(), change });
        }
        let end = self.children(field, level + 1, length, seen)?;
        // A record is as long as its fields, although a tool may have kept its former length.
        let length = if level == 1 { length.max(end) } else { length };
        // Those inside come before: they are what is wrong.
        self.interface.places.push((item.clone(), field.start, length));
        Ok(item)
    }

    /// Gives where the last field ends.
    fn children(&mut self, field: &Field<'_>, level: usize, length: usize, seen: bool) -> Result<usize, String> {
        let start = field.start;
        let mut end = 0;
        let mut areas: Vec<Area<'_>> = Vec::new();
        for child in &field.children {
            let begin = child.start.zip(start).map(|(begin, start)| begin.saturating_sub(start));
            let area = match child.attribute("redefines") {
                Some(original) => {
                    let of_name = areas.iter().position(|area| area.original == original);
                    let area = of_name.ok_or_else(|| child.wrong(format_args!("there is no {original} before it")))?;
                    if area + 1 != areas.len() {
                        return Err(child.wrong(format_args!("other fields stand between {original} and it")));
                    }
                    area
                }
                None => {
                    match begin {
                        Some(begin) if begin > end => {
                            self.filler(level, begin - end);
                            end = begin;
                        }
                        Some(begin) if begin < end => {
                            return Err(
                                child.wrong(format_args!("it lies over the field before it, and redefines none"))
                            );
                        }
                        _ => {}
                    }
                    areas.push(Area::of(child));
                    areas.len() - 1
                }
            };
            let shown = seen && child.is_included;
            let redefined = (!areas[area].item.is_empty()).then(|| areas[area].item.clone());
            let item = self.field(child, level, redefined.as_deref(), shown)?;
            let is_redefined =
                || field.children.iter().any(|other| other.attribute("redefines") == Some(child.original));
            if shown || seen && redefined.is_none() && !is_redefined() {
                self.initial_value(child, &item)?;
            }
            if redefined.is_none() {
                end += child.bytes;
                areas[area].item = item;
            } else {
                areas[area].others.push((item, child.is_included));
            }
        }
        if !field.children.is_empty() && end < length {
            if field.children.iter().any(|child| child.start.is_none()) {
                return Err(field.wrong(format_args!("its fields have {end} of its {length} bytes, and no positions")));
            }
            self.filler(level, length - end);
        }
        if seen {
            areas.iter().for_each(|area| self.choose(area));
        }
        Ok(end)
    }

    /// What JSON has of an area.
    fn choose(&mut self, area: &Area<'_>) {
        let interface = &mut self.interface;
        let hidden = area.others.iter().filter(|(_, is_included)| !is_included).map(|(item, _)| item);
        interface.hidden.extend(hidden.chain((!area.base && !area.others.is_empty()).then_some(&area.item)).cloned());
        let shown: Vec<&String> =
            area.others.iter().filter(|(_, is_included)| *is_included).map(|(item, _)| item).collect();
        match (area.base, shown.as_slice()) {
            // The number of elements is hidden in any case.
            (false, []) if area.counts => {}
            (false, []) => interface.adjustments.push(omit(&area.item)),
            (true, []) => {}
            (false, [only]) => interface.alternatives.push((*only).clone()),
            _ => interface.shows_all_alternatives = true,
        }
    }

    fn initial_value(&mut self, field: &Field<'_>, item: &str) -> Result<(), String> {
        let Some(value) = field.attribute("defaultValue").filter(|_| field.children.is_empty()) else { return Ok(()) };
        if field.attribute("isHex") == Some("true") {
            return Err(
                field.wrong(format_args!("its initial value X'{value}' is given in bytes, which is not supported"))
            );
        }
        let change = Change::Default(value.to_owned());
        self.interface.defaults.push(Adjustment { item: item.to_owned(), change });
        Ok(())
    }

    /// The item with the number of a field's elements.
    fn counter(&self, field: &Field<'_>) -> Result<Option<String>, String> {
        let Some(original) = field.attribute("dependsOn") else { return Ok(None) };
        let path = field.attribute("dependsOnPath");
        let of_path = self.known.iter().rev().find(|(known, _, _)| path == Some(known));
        let found = of_path.or_else(|| self.known.iter().rev().find(|(_, known, _)| known == original));
        let (_, _, item) = found.ok_or_else(|| field.wrong(format_args!("there is no {original} before it")))?;
        Ok(Some(item.clone()))
    }

    fn filler(&mut self, level: usize, bytes: usize) {
        let _ =
            writeln!(self.interface.copybook, "{:indent$}{level:02} FILLER PIC X({bytes}).", "", indent = level - 1);
    }

    /// A name for an item that no other has.
    fn unique(&mut self, original: &str) -> String {
        let letters = original.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '-' });
        let name: String = letters.collect();
        let name: String = name.trim_matches('-').chars().take(LONGEST_NAME).collect();
        let name = name.trim_matches('-');
        let has_letter = name.contains(|c: char| c.is_ascii_alphabetic());
        let name = if has_letter { name.to_owned() } else { format!("FIELD-{name}").trim_matches('-').to_owned() };
        let mut unique = name.clone();
        let mut number = 1;
        while CLAUSES.contains(&format!(" {unique} ")) || !self.names.insert(unique.clone()) {
            number += 1;
            unique = format!("{name}-{number}");
        }
        unique
    }
}

/// A field and those that redefine it.
struct Area<'a> {
    original: &'a str,
    item: String,
    /// It is part of JSON.
    base: bool,
    /// It holds the number of an array's elements.
    counts: bool,
    others: Vec<(String, bool)>,
}

impl<'a> Area<'a> {
    /// Before its item has a name.
    fn of(field: &Field<'a>) -> Self {
        Self {
            original: field.original,
            item: String::new(),
            base: field.is_included,
            counts: field.attribute("dependedOn") == Some("true"),
            others: Vec::new(),
        }
    }
}

fn omit(item: &str) -> Adjustment {
    Adjustment { item: item.to_owned(), change: Change::Omit }
}

/// PICTURE and USAGE of a field without fields.
fn picture(field: &Field<'_>, length: usize) -> Result<String, String> {
    let child = |name: &'static str| field.element.children.iter().find(|child| child.name == name);
    let datatype = child("applicationDatatype");
    let kind = datatype.and_then(|it| it.attribute("datatype")).unwrap_or_default();
    let marshaller = child("marshaller");
    let set = |name: &str| marshaller.and_then(|it| it.attribute(name));
    let converter = marshaller.and_then(|it| it.children.iter().find(|child| child.name == "typeConverter"));
    let number = |name: &str| datatype.and_then(|it| it.attribute(name)).and_then(|text| text.parse::<usize>().ok());
    let scale = number("scale").unwrap_or(0);
    let digits = |default: usize, is_signed: bool| {
        let precision = number("precision").unwrap_or(default);
        let whole = precision.checked_sub(scale).ok_or_else(|| field.wrong("it has more decimals than digits"))?;
        let mut picture = if is_signed { "PIC S".to_owned() } else { "PIC ".to_owned() };
        if whole > 0 {
            let _ = write!(picture, "9({whole})");
        }
        if scale > 0 {
            let _ = write!(picture, "V9({scale})");
        }
        Ok::<_, String>(picture)
    };
    let is_signed = set("isSigned") != Some("N");
    let word = converter.map_or(kind, |it| it.text.as_str());
    let binary = |default: usize, is_signed: bool| {
        let usage = if set("isNativeInteger") == Some("Y") { "COMP-5" } else { "COMP" };
        Ok(format!("{} {usage}", digits(default, is_signed)?))
    };
    match word {
        "CHAR" if field.attribute("codepageConversion") == Some("N") => {
            Err(field.wrong("characters without conversion are not supported"))
        }
        "CHAR" => match set("encoding") {
            None | Some("") => Ok(format!("PIC X({length})")),
            Some("UTF-16BE" | "UTF-16") if length.is_multiple_of(2) => {
                Ok(format!("PIC N({}) USAGE NATIONAL", length / 2))
            }
            Some(other) => Err(field.wrong(format_args!("the encoding {other} is not supported for {length} bytes"))),
        },
        "PACKEDDECIMAL" => Ok(format!("{} COMP-3", digits(2 * length - 1, is_signed)?)),
        "ZONEDDECIMAL" => {
            let mut picture = digits(length, is_signed)?;
            if is_signed {
                let side = if set("isSignLeading") == Some("Y") { "LEADING" } else { "TRAILING" };
                let separate = if set("isSignSeparate") == Some("Y") { " SEPARATE" } else { "" };
                let _ = write!(picture, " SIGN {side}{separate}");
            }
            Ok(picture)
        }
        "SHORT" => binary(4, is_signed),
        "INT" => binary(9, is_signed),
        "LONG" => binary(18, is_signed),
        "USHORT" => binary(4, false),
        "UINT" => binary(9, false),
        "ULONG" => binary(18, false),
        "FLOAT" if length == 4 => Ok("COMP-1".to_owned()),
        "DOUBLE" if length == 8 => Ok("COMP-2".to_owned()),
        other => Err(field.wrong(format_args!("its type '{other}' is not supported for {length} bytes"))),
    }
}

fn json_name(element: &Element) -> Result<&str, String> {
    let name = element.attribute("name").filter(|name| !name.is_empty());
    name.ok_or_else(|| "a field has no name".to_owned())
}

fn only<'a>(mut all: impl Iterator<Item = &'a Element>, what: &str) -> Result<&'a Element, String> {
    match (all.next(), all.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(format!("there is no {what}")),
        _ => Err(format!("there is more than one {what}, which is not supported")),
    }
}

#[cfg(test)]
pub(crate) mod tests;
