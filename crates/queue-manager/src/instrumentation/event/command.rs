//! Command events (CMDEV): which command succeeded, who issued it and how it came; and who issues.
//!
//! Passwords in a command are never told.
//!
//! Source: MQ monitoring, "Command", "Command event message format", 9.1 and 9.2.

use std::sync::LazyLock;

use model::authority::Principal;
use model::definition::QueueManagerDefinition;
use model::definition::attribute::{self, Attribute, ValueType};
use model::descriptor::MessageDescriptor;
use model::name::QueueManagerName;
use model::pcf::{Parameter, ParameterValue};

use crate::QueueManager;
use crate::instrumentation::event::number as n;
use crate::instrumentation::event::{self, Family};

/// How an action came: MQEVO_*.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Other = 0,
    /// `runmqsc` and its relatives.
    Console = 1,
    /// A file read at the start.
    Initialisation = 2,
    /// The command queue.
    Message = 3,
    /// MQSET.
    SetCall = 4,
    Internal = 5,
    Rest = 8,
}

/// Who issues a command, and by which way.
#[derive(Debug, Clone, Copy)]
pub struct Issuer<'a> {
    /// With whose authority the command runs.
    pub principal: &'a Principal,
    /// The user whom events name. A web role lends its user the authority of the server, but not its name.
    pub user: &'a str,
    pub origin: Origin,
    /// Of the message that the command came in.
    pub message: Option<&'a MessageDescriptor>,
}

impl<'a> Issuer<'a> {
    /// Who acts with an authority of its own, and sends no message.
    pub fn new(principal: &'a Principal, origin: Origin) -> Self {
        Self { principal, user: &principal.user, origin, message: None }
    }
}

/// The command as it came.
#[derive(Debug, Clone, Copy)]
pub enum Issued<'a> {
    Mqsc(&'a str),
    Pcf(&'a [Parameter]),
}

/// Longest MQSC text in an event, in bytes: MQ_COMMAND_MQSC_LENGTH.
const LONGEST_TEXT: usize = 32_768;
/// Attributes whose values are secrets.
static SECRETS: LazyLock<Vec<&'static Attribute>> =
    LazyLock::new(|| attribute::all().filter(|row| matches!(row.value, ValueType::Secret { .. })).collect());
const MASK: &str = "********";

impl QueueManager {
    /// Puts the event of a successful command, if it is switched on. `number` is its MQCMD_*.
    pub async fn command_succeeded(&self, issuer: &Issuer<'_>, number: i32, only_reads: bool, issued: Issued<'_>) {
        let engine = self.engine();
        if is_wanted(&engine.definition(), only_reads) {
            let mut context = context(&engine.name, issuer);
            context.push(Parameter::integer(n::MQIACF_COMMAND, number));
            let (reason, data) = match issued {
                Issued::Mqsc(text) => (n::MQRC_COMMAND_MQSC, vec![mqsc(text)]),
                Issued::Pcf(parameters) => (n::MQRC_COMMAND_PCF, parameters.iter().map(without_secrets).collect()),
            };
            let groups = vec![
                Parameter::group(n::MQGACF_COMMAND_CONTEXT, context),
                Parameter::group(n::MQGACF_COMMAND_DATA, data),
            ];
            event::send(engine, Family::Command.event(reason, groups)).await;
        }
    }

    /// Tells that a command was refused for lack of authority: Not Authorized (type 4).
    pub async fn command_refused(&self, user: &str, number: i32) {
        event::calls::command_refused(self.engine(), user, number).await;
    }
}

fn is_wanted(definition: &QueueManagerDefinition, only_reads: bool) -> bool {
    definition.command_event && !(only_reads && definition.command_event_without_display)
}

/// What command and configuration events tell of the issuer.
pub(super) fn context(queue_manager: &QueueManagerName, issuer: &Issuer<'_>) -> Vec<Parameter> {
    let mut context = vec![
        event::user(n::MQCACF_EVENT_USER_ID, issuer.user),
        Parameter::integer(n::MQIACF_EVENT_ORIGIN, issuer.origin as i32),
        event::name(n::MQCACF_EVENT_Q_MGR, queue_manager),
    ];
    if let Some(message) = issuer.message {
        let application_name = message.put_application_name.to_text();
        context.extend([
            Parameter::bytes(n::MQBACF_EVENT_ACCOUNTING_TOKEN, message.accounting_token.as_bytes()),
            Parameter::text(n::MQCACF_EVENT_APPL_IDENTITY, message.application_identity_data.to_text()),
            Parameter::integer(n::MQIACF_EVENT_APPL_TYPE, message.put_application_type),
            event::padded(n::MQCACF_EVENT_APPL_NAME, &application_name, n::MQ_APPL_NAME_LENGTH),
            Parameter::text(n::MQCACF_EVENT_APPL_ORIGIN, message.application_origin_data.to_text()),
        ]);
    }
    context
}

fn mqsc(text: &str) -> Parameter {
    let mut text = masked(text);
    let mut end = text.len().min(LONGEST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    Parameter::text(n::MQCACF_COMMAND_MQSC, text)
}

/// The text with what is in parentheses after a secret keyword left out.
pub(crate) fn masked(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((start, end)) = next_secret(rest) {
        shown.push_str(&rest[..start]);
        shown.push_str(MASK);
        rest = &rest[end..];
    }
    shown.push_str(rest);
    shown
}

/// Where the value of the first secret keyword begins and ends. One that is not closed goes on to the end.
fn next_secret(text: &str) -> Option<(usize, usize)> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(is_blank);
        match rest.chars().next()? {
            '\'' => rest = rest[1..].split_once('\'')?.1,
            '(' | ')' => rest = &rest[1..],
            _ => {
                let (keyword, after) = rest.split_at(rest.find(ends_word).unwrap_or(rest.len()));
                let value = after.trim_start_matches(is_blank).strip_prefix('(');
                if let Some(value) = value.filter(|_| is_secret_keyword(keyword)) {
                    let start = text.len() - value.len();
                    return Some((start, start + value_length(value)));
                }
                rest = after;
            }
        }
    }
}

/// Up to the parenthesis that closes a value, quotes heeded.
fn value_length(value: &str) -> usize {
    let mut in_quotes = false;
    let end = value.find(|character: char| {
        in_quotes ^= character == '\'';
        character == ')' && !in_quotes
    });
    end.unwrap_or(value.len())
}

/// As MQSC has it: a comma is a blank.
fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == ','
}

fn ends_word(character: char) -> bool {
    is_blank(character) || matches!(character, '(' | ')' | '\'')
}

fn is_secret_keyword(word: &str) -> bool {
    SECRETS.iter().flat_map(|row| row.keywords()).any(|keyword| keyword.eq_ignore_ascii_case(word))
}

fn without_secrets(parameter: &Parameter) -> Parameter {
    match &parameter.value {
        _ if is_secret(parameter.id) => Parameter::text(parameter.id, MASK),
        ParameterValue::Group(members) => Parameter::group(parameter.id, members.iter().map(without_secrets).collect()),
        // An escape carries MQSC.
        ParameterValue::Text(text) => Parameter::text(parameter.id, masked(text)),
        _ => parameter.clone(),
    }
}

/// Whether an attribute is a secret, by its number.
fn is_secret(id: i32) -> bool {
    SECRETS.iter().any(|row| row.pcf == Some(id))
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn a_secret_in_a_command_is_not_told() {
        for (text, shown) in [
            ("DEFINE QLOCAL(A) DESCR('PASSWORD')", "DEFINE QLOCAL(A) DESCR('PASSWORD')"),
            ("ALTER CHANNEL(A) PASSWORD('s)e''c') MCAUSER(x)", "ALTER CHANNEL(A) PASSWORD(********) MCAUSER(x)"),
            (
                "alter authinfo(x) ldappwd (secret) password(two)",
                "alter authinfo(x) ldappwd (********) password(********)",
            ),
            ("ALTER CHANNEL(A) PASSWORD('never closed", "ALTER CHANNEL(A) PASSWORD(********"),
            ("ALTER CHANNEL(A) PASSWORD,('s'),DESCR(x)", "ALTER CHANNEL(A) PASSWORD,(********),DESCR(x)"),
            ("ALTER CHANNEL(A),Password\n , ( s )", "ALTER CHANNEL(A),Password\n , (********)"),
            ("ALTER QMGR SSLCRYP('GSK_PKCS11=x;p')", "ALTER QMGR SSLCRYP(********)"),
            // A keyword within quotes is none, whatever it would hide or show.
            (
                "ALTER CHANNEL(A) DESCR('PASSWORD(''') PASSWORD('a)b')",
                "ALTER CHANNEL(A) DESCR('PASSWORD(''') PASSWORD(********)",
            ),
        ] {
            assert_eq!(masked(text), shown);
        }
    }
}
