//! A reply as JSON: `commandResponse` with an element per object, and the overall codes.
//!
//! Written straight into one buffer: nothing is built in between. Keys are MQSC keywords in lower case; numbers are
//! numbers, words are texts in upper case, keywords that stand alone say YES or NO, lists are arrays.

use model::definition::attribute::{Shown, Value, ValueType};

use crate::mqsc::Problem;
use crate::reply::{Item, MQRCCF_COMMAND_FAILED, Reply};

/// MQCC_FAILED.
const FAILED: i32 = 2;
/// What separates the parts of a text that runmqsc would print in lines and columns.
const GAP: &str = "   ";

/// Elements with `text`: what runmqsc prints, on one line each.
pub(super) fn texts(reply: &Reply) -> Vec<u8> {
    let mut body = Body::with_room_for(reply.items.len(), 64);
    for item in &reply.items {
        body.element(item.reason);
        body.member_of_group(item);
        body.key("text");
        body.with_warnings(&text_of(item), &item.warnings);
        body.raw("}");
    }
    body.end(reply.succeeded())
}

/// Elements with `parameters` for what was shown, `message` for what was done or failed.
pub(super) fn parameters(reply: &Reply) -> Vec<u8> {
    let shown = reply.items.first().map_or(0, |item| item.attributes.len());
    let mut body = Body::with_room_for(reply.items.len(), shown * 24);
    let mut rest = reply.items.as_slice();
    while let Some(item) = rest.first() {
        let together = handles_of_one_queue(rest);
        body.element(item.reason);
        body.member_of_group(item);
        if item.attributes.is_empty() {
            body.key("message");
            body.with_warnings(&item.message, &item.warnings);
        } else if together > 0 {
            body.key("parameters");
            body.queue_with_handles(&rest[..together]);
        } else {
            body.key("parameters");
            body.object(&item.attributes, item.parts.iter().map(Vec::as_slice));
        }
        body.raw("}");
        rest = &rest[together.max(1)..];
    }
    body.end(reply.succeeded())
}

/// A text that is no command.
pub(super) fn problem_text(problem: &Problem) -> Vec<u8> {
    let lines = problem.answer().lines;
    let text: Vec<_> = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let mut body = Body::with_room_for(1, 0);
    body.element(MQRCCF_COMMAND_FAILED);
    body.key("text");
    body.one(&text.join(GAP));
    body.raw("}");
    body.end(false)
}

/// Words that are no command: the line that says why. There is no text that could be shown up to the mistake.
pub(super) fn problem_message(problem: &Problem) -> Vec<u8> {
    let lines = problem.answer().lines;
    let mut body = Body::with_room_for(1, 0);
    body.element(problem.reason());
    body.key("message");
    body.one(lines.last().map_or("", String::as_str));
    body.raw("}");
    body.end(false)
}

fn text_of(item: &Item) -> String {
    let mut text = item.message.clone();
    for shown in item.attributes.iter().chain(item.parts.iter().flatten()) {
        text.push_str(GAP);
        text.push_str(&shown.display());
    }
    text
}

/// How many items, from the first on, are open handles of one queue: what `objects` holds together.
fn handles_of_one_queue(items: &[Item]) -> usize {
    let queue = |item: &Item| match item.attributes.as_slice() {
        [queue, kind, ..] if queue.keyword == "QUEUE" && kind.value.text() == Some("HANDLE") => {
            queue.value.text().map(str::to_owned)
        }
        _ => None,
    };
    let Some(first) = items.first() else { return 0 };
    match queue(first) {
        Some(name) => {
            let is_same = |item: &&Item| item.member == first.member && queue(item).as_ref() == Some(&name);
            items.iter().take_while(is_same).count()
        }
        None => 0,
    }
}

/// The answer under way.
struct Body {
    bytes: Vec<u8>,
    elements: usize,
}

impl Body {
    fn with_room_for(elements: usize, each: usize) -> Self {
        let mut bytes = Vec::with_capacity(128 + elements.saturating_mul(each + 64));
        bytes.extend_from_slice(b"{\"commandResponse\": [");
        Self { bytes, elements: 0 }
    }

    fn raw(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Begins an element; its codes come first.
    fn element(&mut self, reason: i32) {
        let completion = if reason == 0 { 0 } else { FAILED };
        self.raw(if self.elements == 0 { "\n" } else { ",\n" });
        self.elements += 1;
        self.raw(&format!("{{\"completionCode\": {completion}, \"reasonCode\": {reason}"));
    }

    /// Who says it, where several queue managers are asked.
    fn member_of_group(&mut self, item: &Item) {
        if let Some(name) = &item.member {
            self.key("qmgrName");
            self.text(name);
        }
    }

    fn key(&mut self, name: &str) {
        self.raw(", \"");
        self.raw(name);
        self.raw("\": ");
    }

    /// An array of one text.
    fn one(&mut self, text: &str) {
        self.with_warnings(text, &[]);
    }

    /// An array of a text and the warnings that follow it.
    fn with_warnings(&mut self, text: &str, warnings: &[String]) {
        self.raw("[");
        self.text(text);
        for warning in warnings {
            self.raw(", ");
            self.text(warning);
        }
        self.raw("]");
    }

    fn text(&mut self, text: &str) {
        serde_json::to_writer(&mut self.bytes, text).expect("a text can be written to memory");
    }

    fn object<'a>(&mut self, attributes: &[Shown], parts: impl ExactSizeIterator<Item = &'a [Shown]>) {
        self.raw("{");
        for (index, shown) in attributes.iter().enumerate() {
            self.raw(if index == 0 { "" } else { ", " });
            self.member(shown);
        }
        if parts.len() > 0 {
            self.raw(if attributes.is_empty() { "\"objects\": [" } else { ", \"objects\": [" });
            for (index, part) in parts.enumerate() {
                self.raw(if index == 0 { "" } else { ", " });
                self.object(part, std::iter::empty());
            }
            self.raw("]");
        }
        self.raw("}");
    }

    /// Name and type of the queue once, and what differs in `objects`.
    fn queue_with_handles(&mut self, items: &[Item]) {
        let (shared, _) = items.first().map_or((&[][..], &[][..]), |item| item.attributes.split_at(2));
        self.object(shared, items.iter().map(|item| item.attributes.get(2..).unwrap_or_default()));
    }

    fn member(&mut self, shown: &Shown) {
        self.raw("\"");
        self.raw(&shown.keyword.to_ascii_lowercase());
        self.raw("\": ");
        match (&shown.kind, &shown.value) {
            (ValueType::List, Value::Text(text)) => self.list(text),
            (ValueType::Flag([yes, _]), Value::Integer(number)) => {
                self.raw(if *number == yes.code { "\"YES\"" } else { "\"NO\"" });
            }
            (kind, Value::Integer(number)) => match kind.words().iter().find(|word| word.code == *number) {
                Some(word) => self.text(word.mqsc),
                None => self.raw(&number.to_string()),
            },
            (_, Value::Text(text)) => self.text(text),
            (kind, Value::List(_) | Value::Numbers(_)) => self.list(&kind.word_or_text(&shown.value)),
        }
    }

    fn list(&mut self, text: &str) {
        self.raw("[");
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        for (index, item) in items.enumerate() {
            self.raw(if index == 0 { "" } else { ", " });
            self.text(item);
        }
        self.raw("]");
    }

    fn end(mut self, succeeded: bool) -> Vec<u8> {
        let (completion, reason) = if succeeded { (0, 0) } else { (FAILED, MQRCCF_COMMAND_FAILED) };
        self.raw(if self.elements == 0 { "]" } else { "\n]" });
        self.raw(&format!(",\n\"overallReasonCode\": {reason}, \"overallCompletionCode\": {completion}}}"));
        self.bytes
    }
}
