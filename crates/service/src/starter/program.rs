//! The program that answers: COBOL that reads a record of a request, fills a record of a reply, and writes it.
//!
//! It is the batch server's kind of program (`docs/services.md`). Items of one name and kind are moved; what else the reply has is
//! left to its owner, by name. Lines end in column 72 at the latest.
//!
//! A copybook with one record stands in the file's description. One with several would make the file's record as long as the longest
//! of them, so it stands in the linkage section, and the record that is used gets the address of the file's bytes.

use std::collections::{BTreeMap, BTreeSet};

use copybook::{Category, Format, LayoutItem, Usage, detect};

use super::Wanted;
use super::records::{Record, Records};

/// Last column of code.
const MARGIN: usize = 72;

/// Of the program and its file: the service's name as a program may have it, with a letter more where an item has it.
pub(super) fn name(wanted: &Wanted, records: &Records) -> String {
    let letters = wanted.name.chars().filter(char::is_ascii_alphanumeric).map(|one| one.to_ascii_uppercase());
    let name: String = letters.take(5).collect();
    free(records, &format!("{name}SRV"))
}

/// The name, or one with a number that the copybooks do not have.
fn free(records: &Records, name: &str) -> String {
    free_of(&|name| records.names.contains(name), name)
}

fn free_of(is_taken: &dyn Fn(&str) -> bool, name: &str) -> String {
    let mut numbered = (2..).map(|number| format!("{name}{number}"));
    match is_taken(name) {
        true => numbered.find(|name| !is_taken(name)).unwrap_or_default(),
        false => name.to_owned(),
    }
}

/// Names of the reply's copybook with those that they have in the program instead.
type Replaced = BTreeMap<String, String>;

/// The names that the program has of its own.
struct Own {
    requests: String,
    replies: String,
    status: String,
    read: String,
    request: String,
    reply: String,
    /// Of the files, where the records lie in the linkage section.
    request_bytes: String,
    reply_bytes: String,
    reply_length: String,
    /// Paragraphs.
    main: String,
    answer: String,
}

pub(super) fn text(wanted: &Wanted, records: &Records) -> String {
    let replaced = replaced(records);
    let record = |record: &Record, fallback: &str| match record.layout.name.as_deref() {
        Some(name) => name.to_uppercase(),
        None => free(records, fallback),
    };
    let reply = record(&records.response, "REPLY-RECORD");
    let own = Own {
        requests: free(records, "REQUESTS"),
        replies: free(records, "REPLIES"),
        status: free(records, "REQUEST-STATUS"),
        read: free(records, "REQUEST-READ"),
        request: record(&records.request, "REQUEST-RECORD"),
        reply: replaced.get(&reply).cloned().unwrap_or(reply),
        request_bytes: free(records, "REQUEST-BYTES"),
        reply_bytes: free(records, "REPLY-BYTES"),
        reply_length: free(records, "REPLY-LENGTH"),
        main: free(records, "MAIN-LOGIC"),
        answer: free(records, "ANSWER-REQUEST"),
    };
    let mut out = String::new();
    introduction(wanted, records, &mut out);
    division(records, &own, &replaced, &mut out);
    procedure(records, &own, &replaced, &mut out);
    out
}

fn introduction(wanted: &Wanted, records: &Records, out: &mut String) {
    let name = name(wanted, records);
    let line = "*".repeat(65);
    out.push_str(&format!(
        "      {line}
      * {name}: answers the requests of the service {}.
      *
      * It reads records until there are no more, and writes one for
      * each. The batch server (quaymaster workload responder) gives
      * it the messages of {}
      * and puts what it writes on the queue that each names.
      *
      * To run it alone: {name} < requests.dat > replies.dat
      {line}
       IDENTIFICATION DIVISION.
       PROGRAM-ID. {name}.
",
        wanted.name,
        wanted.queue("REQUEST"),
    ));
}

fn division(records: &Records, own: &Own, replaced: &Replaced, out: &mut String) {
    let Own { requests, replies, status, read, .. } = own;
    out.push_str(&format!(
        "
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT {requests} ASSIGN TO \"/dev/stdin\"
               ORGANIZATION IS SEQUENTIAL
               FILE STATUS IS {status}.
           SELECT {replies} ASSIGN TO \"/dev/stdout\"
               ORGANIZATION IS SEQUENTIAL.

       DATA DIVISION.
       FILE SECTION.
"
    ));
    let none = Replaced::new();
    let (first, second) = (&records.request, &records.response);
    description(records, first, requests, &own.request_bytes, None, out);
    if !is_linked(first) {
        copy(records, first, &own.request, &none, out);
    }
    let length = Some(own.reply_length.as_str()).filter(|_| is_linked(second));
    description(records, second, replies, &own.reply_bytes, length, out);
    if !is_linked(second) {
        copy(records, second, &own.reply, replaced, out);
    }
    out.push_str(&format!(
        "
       WORKING-STORAGE SECTION.
       01  {status} PIC XX.
           88 {read} VALUES \"00\" \"04\".
"
    ));
    if records.is_variable() && is_linked(second) {
        out.push_str(&format!("       01  {} PIC 9(9) COMP-5.\n", own.reply_length));
    }
    if is_linked(first) || is_linked(second) {
        out.push_str("\n       LINKAGE SECTION.\n");
    }
    if is_linked(first) {
        copy(records, first, &own.request, &none, out);
    }
    if is_linked(second) && !is_one_copy(records) {
        copy(records, second, &own.reply, replaced, out);
    }
}

/// Whether the copybook stands in the linkage section.
fn is_linked(record: &Record) -> bool {
    record.records.len() > 1
}

/// Whether one copybook has both records.
fn is_one_copy(records: &Records) -> bool {
    let (request, response) = (&records.request, &records.response);
    request.file == response.file && request.layout.name != response.layout.name
}

/// A file, and its record of bytes where the items lie elsewhere.
fn description(records: &Records, record: &Record, file: &str, bytes: &str, length_in: Option<&str>, out: &mut String) {
    let longest = record.layout.length;
    out.push_str(&format!("       FD  {file}"));
    if records.is_variable() {
        out.push_str(&format!("\n           RECORD IS VARYING FROM 1 TO {longest} CHARACTERS"));
        if let Some(name) = length_in {
            out.push_str(&format!("\n           DEPENDING ON {name}"));
        }
    }
    out.push_str(".\n");
    if is_linked(record) {
        out.push_str(&format!("       01  {bytes} PIC X({longest}).\n"));
    }
}

/// A copybook, below a record if it has none.
fn copy(records: &Records, record: &Record, name: &str, replaced: &Replaced, out: &mut String) {
    if record.layout.name.is_none() {
        out.push_str(&format!("       01  {name}.\n"));
    }
    let text = records.copybooks.get(&record.file).map_or("", String::as_str);
    let is_free = detect(text) == Format::Free;
    if is_free {
        out.push_str("      >>SOURCE FORMAT IS FREE\n");
    }
    out.push_str(&format!("           COPY \"{}\"", record.file));
    if !replaced.is_empty() {
        out.push_str(" REPLACING");
    }
    for (name, instead) in replaced {
        out.push_str(&format!("\n             =={name}==\n             BY =={instead}=="));
    }
    out.push_str(".\n");
    if is_free {
        out.push_str("      >>SOURCE FORMAT IS FIXED\n");
    }
}

/// Names of the reply that the request has, too, and that COBOL needs once: records, and counters of tables.
fn replaced(records: &Records) -> Replaced {
    let mut replaced = Replaced::new();
    if is_one_copy(records) {
        return replaced;
    }
    let of_request = |name: &String| {
        let items = &records.request.layout.items;
        let has = |other: &str| other.eq_ignore_ascii_case(name);
        records.request.records.iter().any(|other| has(other))
            || items.iter().any(|item| item.name.as_deref().is_some_and(has))
    };
    let of_response = |name: &String| {
        let items = &records.response.layout.items;
        items.iter().any(|item| item.name.as_deref().is_some_and(|other| other.eq_ignore_ascii_case(name)))
    };
    let counters = |record: &Record| -> Vec<String> {
        let items = record.named_items().filter(|(at, ..)| record.is_counter(*at));
        items.map(|(_, _, name)| name.to_uppercase()).collect()
    };
    let records_of_reply = records.response.records.iter().map(|name| name.to_uppercase()).filter(of_request);
    let of_reply = counters(&records.response).into_iter().filter(of_request);
    let of_request_alone = counters(&records.request).into_iter().filter(of_response);
    let names: BTreeSet<String> = records_of_reply.chain(of_reply).chain(of_request_alone).collect();
    for name in names {
        // Room for a number in the 30 characters of a name.
        let short: String = name.chars().take(22).collect();
        let instead = format!("{}-REPLY", short.trim_end_matches('-'));
        let is_taken = |name: &str| records.names.contains(name) || replaced.values().any(|known| known == name);
        let instead = free_of(&is_taken, &instead);
        replaced.insert(name, instead);
    }
    replaced
}

fn procedure(records: &Records, own: &Own, replaced: &Replaced, out: &mut String) {
    let Own { requests, replies, read, request, reply, main, answer, .. } = own;
    out.push_str(&format!("\n       PROCEDURE DIVISION.\n       {main}.\n"));
    for (record, name, bytes) in
        [(&records.request, request, &own.request_bytes), (&records.response, reply, &own.reply_bytes)]
    {
        if is_linked(record) {
            statement(&[&format!("SET ADDRESS OF {name}"), &format!("TO ADDRESS OF {bytes}")], out);
        }
    }
    out.push_str(&format!(
        "           OPEN INPUT {requests} OUTPUT {replies}
           READ {requests}
           PERFORM UNTIL NOT {read}
               PERFORM {answer}
"
    ));
    let written = if is_linked(&records.response) { &own.reply_bytes } else { reply };
    if records.is_variable() && is_linked(&records.response) {
        out.push_str(&format!("               MOVE LENGTH OF {reply}\n                   TO {}\n", own.reply_length));
    }
    out.push_str(&format!(
        "               WRITE {written}
               READ {requests}
           END-PERFORM
           CLOSE {requests} {replies}
           STOP RUN.

      * One request is in {request}.
      * The reply to it is written from {reply}.
       {answer}.
"
    ));
    let spelled = |name: &str| {
        let name = name.to_uppercase();
        replaced.get(&name).cloned().unwrap_or(name)
    };
    // Without elements every item behind a table has its place.
    for (at, _, name) in records.response.named_items() {
        if records.response.is_counter(at) && is_single(&records.response, at) {
            statement(&["MOVE 0", &format!("TO {}", spelled(name)), &format!("OF {reply}")], out);
        }
    }
    statement(&[&format!("INITIALIZE {reply}"), "WITH FILLER", "ALL TO VALUE", "THEN TO DEFAULT"], out);
    let mut own_logic = Vec::new();
    for (at, item, name) in records.response.named_items() {
        match source(records, at, item, name) {
            Some(from) => statement(
                &[
                    &format!("MOVE {from}"),
                    &format!("OF {request}"),
                    &format!("TO {}", spelled(name)),
                    &format!("OF {reply}"),
                ],
                out,
            ),
            None if own_logic.last() != Some(&spelled(name)) => own_logic.push(spelled(name)),
            None => {}
        }
    }
    if !own_logic.is_empty() {
        out.push_str("      * The logic of the program fills the other items:\n");
        own_logic.iter().for_each(|name| out.push_str(&format!("      *   {name}\n")));
    }
    out.push_str("           CONTINUE.\n");
}

/// The item of the request that a reply's item repeats: the only one of its name, of the same kind.
fn source<'a>(records: &'a Records, at: usize, item: &LayoutItem, name: &str) -> Option<&'a str> {
    let (request, response) = (&records.request, &records.response);
    let only = |record: &'a Record| {
        let mut named = record.named_items().filter(|(_, _, other)| other.eq_ignore_ascii_case(name));
        let first = named.next()?;
        (named.next().is_none() && is_single(record, first.0) && !record.is_counter(first.0)).then_some(first)
    };
    let (_, from, from_name) = only(request)?;
    let is_one = only(response).is_some_and(|(index, ..)| index == at);
    (is_one && kind(from)? == kind(item)?).then_some(from_name)
}

/// Whether COBOL needs no subscript for it, and its bytes are those that are in use.
fn is_single(record: &Record, index: usize) -> bool {
    let items = &record.layout.items;
    std::iter::successors(Some(index), |&at| items[at].parent)
        .all(|at| items[at].occurs.is_none() && items[at].redefines.is_none())
}

/// What may be moved to what. `None`: nothing.
fn kind(item: &LayoutItem) -> Option<bool> {
    match item.picture.as_ref().map(|picture| picture.category) {
        Some(Category::Alphabetic | Category::Alphanumeric) => Some(false),
        Some(Category::Numeric) => Some(true),
        Some(_) => None,
        None => matches!(item.usage, Some(Usage::Float | Usage::Double | Usage::Sized { .. })).then_some(true),
    }
}

/// A statement of parts that stay together, as many on a line as there is room for.
fn statement(parts: &[&str], out: &mut String) {
    let mut line = " ".repeat(11);
    let mut is_first = true;
    for part in parts {
        if !is_first && line.len() + 1 + part.len() > MARGIN {
            out.push_str(&line);
            out.push('\n');
            line = " ".repeat(15);
            is_first = true;
        }
        if !is_first {
            line.push(' ');
        }
        line.push_str(part);
        is_first = false;
    }
    out.push_str(&line);
    out.push('\n');
}
