//! The options of dmpmqmsg, and what they come to.

use std::ffi::OsString;
use std::time::Duration;

use clap::{ArgAction, Args};
use model::descriptor::{Ccsid, Encoding, MessageDescriptor};
use model::message_file::{Data, Style};
use model::timestamp::Timestamp;
use rand::Rng;

use super::super::exit_code::USAGE;
use super::super::failure::Failure;
use super::super::session::{Door, Message};
use super::Job;
use super::selection::{Selection, age, range};

/// Most texts of one kind that -s, -e or -x may give.
const MOST_TEXTS: usize = 3;

#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(in crate::cli) struct Arguments {
    /// Queue manager [default: the server's first].
    #[arg(short = 'm', value_name = "QM")]
    queue_manager: Option<String>,
    /// Queue to copy messages from. They stay on the queue.
    #[arg(short = 'i', value_name = "QUEUE", conflicts_with = "move_from")]
    copy_from: Option<String>,
    /// Queue to move messages from. They are removed from the queue.
    #[arg(short = 'I', value_name = "QUEUE")]
    move_from: Option<String>,
    /// Queue to put messages to.
    #[arg(short = 'o', value_name = "QUEUE")]
    output_queue: Option<String>,
    /// File to read if there is no input queue, else to write [default: stdout]. If given twice, the first is read and
    /// the second written. %n in the name is replaced by a number, with one file per message. The names stdin and
    /// stdout mean standard input and output.
    #[arg(short = 'f', value_name = "FILE", action = ArgAction::Append)]
    files: Vec<String>,
    /// As -f, and replace an existing file.
    #[arg(short = 'F', value_name = "FILE", action = ArgAction::Append)]
    replaced_files: Vec<String>,
    /// Mode of the file: a appends. b is accepted, as every file is binary.
    #[arg(short = 'a', value_name = "MODE", value_parser = ["a", "b", "ab", "ba"], hide_possible_values = true)]
    mode: Option<String>,
    /// Connect as a client, with --channel, --ccdt or the variable MQSERVER.
    #[arg(short = 'c')]
    client: bool,
    /// User of a client connection.
    #[arg(short = 'u', value_name = "USER")]
    user: Option<String>,
    /// Context of the messages put: A sets all context of the original, I its identity context. a and i pass the
    /// context of the queue. d is the default context, n none [default: A].
    #[arg(short = 'C', value_name = "CONTEXT", value_parser = ["A", "I", "a", "i", "d", "n"], hide_possible_values = true)]
    context: Option<String>,
    /// Convert messages to this CCSID, and to this encoding in hexadecimal [default: no conversion].
    #[arg(short = 'P', value_name = "CCSID[:ENCODING]")]
    conversion: Option<String>,
    /// Format of the file, as a string of letters: A, p or t for data as invariant characters, printable characters or
    /// text lines; a for characters beside hexadecimal; c for context in characters; H for no header; N for no message
    /// descriptor; i for numbers; wN for N bytes per line; T for the age of each message instead of the message. A file
    /// with H or T cannot be loaded.
    #[arg(short = 'd', value_name = "LETTERS", action = ArgAction::Append)]
    display: Vec<String>,
    /// Delay before each message, in milliseconds. With a minus: random, up to this time. rN: N percent of the time
    /// between the original puts.
    #[arg(short = 'D', value_name = "DELAY", allow_hyphen_values = true)]
    delay: Option<String>,
    /// Only messages with this message identifier (mTEXT), correlation identifier (cTEXT) or group identifier (gTEXT).
    /// xm, xc and xg are followed by hexadecimal digits.
    #[arg(short = 'g', value_name = "KEY", action = ArgAction::Append)]
    keys: Vec<String>,
    /// Remove dead-letter and transmission headers.
    #[arg(short = 'h')]
    strip: bool,
    /// Remove messages from the source queue as they are copied.
    #[arg(short = 'p')]
    purge: bool,
    /// Do not print the numbers of messages read and written.
    #[arg(short = 'q')]
    quiet: bool,
    /// Range of messages, from 1: X, X..Y, ..Y, X#N for N messages from X on, or #N.
    #[arg(short = 'r', value_name = "RANGE", value_parser = range)]
    range: Option<(u64, u64)>,
    /// Messages per unit of work; 0 uses none, -1 uses one for all [default: 200].
    #[arg(short = 't', value_name = "NUMBER", allow_hyphen_values = true, value_parser = clap::value_parser!(i64).range(-1..))]
    unit: Option<i64>,
    /// Only messages older than [[DAYS:]HOURS:]MINUTES; with a minus, younger. A comma separates both.
    #[arg(short = 'T', value_name = "AGE", allow_hyphen_values = true)]
    age: Option<String>,
    /// Only messages whose data contains this text in ASCII; up to three times.
    #[arg(short = 's', value_name = "TEXT", action = ArgAction::Append)]
    ascii: Vec<String>,
    /// Only messages whose data does not contain this text in ASCII.
    #[arg(short = 'S', value_name = "TEXT", action = ArgAction::Append)]
    not_ascii: Vec<String>,
    /// Only messages whose data contains this text in EBCDIC.
    #[arg(short = 'e', value_name = "TEXT", action = ArgAction::Append)]
    ebcdic: Vec<String>,
    /// Only messages whose data does not contain this text in EBCDIC.
    #[arg(short = 'E', value_name = "TEXT", action = ArgAction::Append)]
    not_ebcdic: Vec<String>,
    /// Only messages whose data contains these bytes, in hexadecimal.
    #[arg(short = 'x', value_name = "HEX", action = ArgAction::Append)]
    hexadecimal: Vec<String>,
    /// Only messages whose data does not contain these bytes, in hexadecimal.
    #[arg(short = 'X', value_name = "HEX", action = ArgAction::Append)]
    not_hexadecimal: Vec<String>,
    /// Time to wait for a further message of the source queue, in milliseconds [default: 0].
    #[arg(short = 'w', value_name = "MS")]
    wait: Option<u64>,
    /// Print help; also -?.
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,
    #[command(flatten)]
    door: Door,
}

/// `-?` prints help.
pub(in crate::cli) fn spell_out(command: &str, arguments: &mut [OsString]) {
    if command == "dmpmqmsg" {
        for argument in arguments.iter_mut().skip(2).filter(|argument| *argument == "-?") {
            *argument = "--help".into();
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    All,
    Identity,
    Default,
    None,
}

/// What of messages is written into a file.
#[derive(Debug)]
pub(super) struct Listing {
    pub style: Style,
    pub header: bool,
    /// -dT: the age instead of the message.
    pub ages: bool,
}

impl Listing {
    pub(super) fn write_age(&self, message: &Message, number: u64, now: Timestamp, out: &mut Vec<u8>) {
        let descriptor = &message.descriptor;
        let age = Timestamp::of_put(&descriptor.put_date, &descriptor.put_time).map_or("unknown".to_owned(), |put| {
            let seconds = now.since(put).as_secs();
            let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
            format!("{days} days {hours:02}:{minutes:02}:{:02}", seconds % 60)
        });
        out.extend_from_slice(format!("{number:>5}. MsgId:{}\n       {age}\n\n", descriptor.message_id).as_bytes());
    }
}

/// -D.
#[derive(Debug, Clone, Copy)]
pub(super) enum Delay {
    Fixed(u64),
    Random(u64),
    /// Percent of the time between two puts.
    Relative(u64),
}

impl Delay {
    pub(super) fn before(&self, message: &MessageDescriptor, last: Option<&MessageDescriptor>) -> Duration {
        let milliseconds = match self {
            Self::Fixed(milliseconds) => *milliseconds,
            Self::Random(most) => rand::rngs::OsRng.gen_range(0..=*most),
            Self::Relative(percent) => {
                let put = |of: &MessageDescriptor| Timestamp::of_put(&of.put_date, &of.put_time);
                let between = put(message).zip(last.and_then(put)).map(|(now, before)| now.since(before));
                let milliseconds = between.map_or(0, |between| u64::try_from(between.as_millis()).unwrap_or(u64::MAX));
                milliseconds.saturating_mul(*percent) / 100
            }
        };
        Duration::from_millis(milliseconds)
    }
}

impl Arguments {
    /// # Errors
    /// Options that do not go together, or a value that cannot be meant.
    pub(super) fn job(mut self) -> Result<Job, Failure> {
        let usage = |sentence: String| Failure::new(USAGE, format!("dmpmqmsg: {sentence}"));
        if self.client && !self.door.channel.is_given() {
            let server = std::env::var("MQSERVER").unwrap_or_default();
            if server.is_empty() {
                return Err(usage("-c: --channel, --ccdt or the variable MQSERVER is needed".to_owned()));
            }
            self.door.channel.take_mqserver(&server)?;
        }
        let removes = self.move_from.is_some() || self.purge;
        let input_queue = self.copy_from.take().or(self.move_from.take());
        let replaces = !self.replaced_files.is_empty();
        let mut files = std::mem::take(&mut self.files);
        files.append(&mut self.replaced_files);
        let mut files = files.into_iter();
        let input_file = if input_queue.is_none() { files.next() } else { None };
        let output_file = files.next();
        if input_queue.is_none() && input_file.is_none() {
            return Err(usage("name a source: a queue with -i or -I, or a file with -f".to_owned()));
        }
        if files.next().is_some() || (self.output_queue.is_some() && output_file.is_some()) {
            return Err(usage("there is one source and one target: too many queues or files are named".to_owned()));
        }
        if self.purge && input_queue.is_none() {
            return Err(usage("-p: only a source queue can be emptied".to_owned()));
        }
        let context = match self.context.as_deref() {
            Some("a" | "i") if input_queue.is_none() => {
                return Err(usage("-C a and -C i take the context of a source queue".to_owned()));
            }
            None | Some("A" | "a") => Context::All,
            Some("I" | "i") => Context::Identity,
            Some("d") => Context::Default,
            Some(_) => Context::None,
        };
        let listing = listing(&self.display.concat()).map_err(|sentence| usage(format!("-d: {sentence}")))?;
        let conversion = self.conversion.as_deref().map(conversion).transpose().map_err(usage)?;
        if conversion.is_some() && input_queue.is_none() {
            return Err(usage("-P: only messages of a source queue can be converted".to_owned()));
        }
        let delay = self.delay.as_deref().map(delay).transpose().map_err(usage)?;
        let selection = self.selection().map_err(usage)?;
        let unit = match self.unit {
            None => Some(200),
            Some(number) => u64::try_from(number).ok(),
        };
        Ok(Job {
            door: self.door,
            queue_manager: self.queue_manager,
            user: self.user,
            input_queue,
            removes,
            input_file,
            output_queue: self.output_queue,
            output_file,
            replaces,
            appends: self.mode.is_some_and(|mode| mode.contains('a')),
            context,
            conversion,
            listing,
            delay,
            strips_headers: self.strip,
            quiet: self.quiet,
            selection,
            unit,
            wait: Duration::from_millis(self.wait.unwrap_or_default()),
        })
    }

    fn selection(&self) -> Result<Selection, String> {
        let mut selection = Selection { range: self.range, ..Selection::default() };
        for key in &self.keys {
            let (is_hexadecimal, key) = key.strip_prefix('x').map_or((false, key.as_str()), |rest| (true, rest));
            let mut letters = key.chars();
            let target = match letters.next() {
                Some('m') => &mut selection.message_id,
                Some('c') => &mut selection.correlation_id,
                Some('g') => &mut selection.group_id,
                _ => return Err(format!("-g: '{key}' is not a key, expected m, c, g, xm, xc or xg and an identifier")),
            };
            let value = letters.as_str();
            let bytes = if is_hexadecimal { hexadecimal(value)? } else { value.as_bytes().to_vec() };
            if bytes.len() > 24 {
                return Err("-g: an identifier has at most 24 bytes".to_owned());
            }
            let mut identifier = [0; 24];
            identifier[..bytes.len()].copy_from_slice(&bytes);
            *target = Some(identifier);
        }
        if let Some(text) = &self.age {
            age(text, &mut selection).map_err(|problem| format!("-T: {problem}"))?;
        }
        let texts = [
            (&self.ascii, &self.not_ascii, ascii as fn(&str) -> Result<Vec<u8>, String>),
            (&self.ebcdic, &self.not_ebcdic, ebcdic),
            (&self.hexadecimal, &self.not_hexadecimal, hexadecimal),
        ];
        for (with, without, bytes) in texts {
            if with.len() > MOST_TEXTS || without.len() > MOST_TEXTS {
                return Err(format!("-s, -e and -x may each be given {MOST_TEXTS} times"));
            }
            let wanted = with.iter().map(|text| (text, true)).chain(without.iter().map(|text| (text, false)));
            for (text, is_wanted) in wanted {
                selection.content.push((bytes(text)?, is_wanted));
            }
        }
        Ok(selection)
    }
}

fn ascii(text: &str) -> Result<Vec<u8>, String> {
    Ok(text.as_bytes().to_vec())
}

fn ebcdic(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    match codepage::encode(37, text, &mut bytes) {
        Ok(0) => Ok(bytes),
        _ => Err(format!("-e: '{text}' has characters that code page 37 does not have")),
    }
}

fn hexadecimal(text: &str) -> Result<Vec<u8>, String> {
    let wrong = || format!("'{text}' is not hexadecimal, expected pairs of digits");
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return Err(wrong());
    }
    let pairs = (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16));
    pairs.collect::<Result<_, _>>().map_err(|_| wrong())
}

/// `CCSID`, or `CCSID:ENCODING` with the encoding in hexadecimal.
fn conversion(text: &str) -> Result<(Ccsid, Encoding), String> {
    let wrong = || format!("-P: '{text}' is not valid, expected CCSID or CCSID:ENCODING, such as 1208:222");
    let (ccsid, encoding) = text.split_once(':').map_or((text, None), |(ccsid, encoding)| (ccsid, Some(encoding)));
    let encoding = encoding.map(|digits| i32::from_str_radix(digits, 16)).transpose().map_err(|_| wrong())?;
    let ccsid = ccsid.parse().map_err(|_| wrong())?;
    Ok((Ccsid(ccsid), encoding.map_or(Encoding::NATIVE, Encoding)))
}

fn delay(text: &str) -> Result<Delay, String> {
    let wrong = |_| format!("-D: '{text}' is not a delay, expected milliseconds, -MILLISECONDS or rPERCENT");
    Ok(match (text.strip_prefix('r'), text.strip_prefix('-')) {
        (Some(""), _) => Delay::Relative(100),
        (Some(percent), _) => Delay::Relative(percent.parse().map_err(wrong)?),
        (_, Some(most)) => Delay::Random(most.parse().map_err(wrong)?),
        _ => Delay::Fixed(text.parse().map_err(wrong)?),
    })
}

fn listing(letters: &str) -> Result<Listing, String> {
    let mut listing = Listing { style: Style::default(), header: true, ages: false };
    let style = &mut listing.style;
    let mut rest = letters.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            'a' => style.columns = true,
            'A' | 'p' | 't' if style.data != Data::Hexadecimal => {
                return Err("only one of A, p and t can be given".to_owned());
            }
            'A' => style.data = Data::Invariant,
            'p' => style.data = Data::Printable,
            't' => style.data = Data::Text,
            'c' => style.context_in_characters = true,
            'H' => listing.header = false,
            'i' => style.index = true,
            'N' => style.descriptor = false,
            'T' => listing.ages = true,
            'w' => {
                let mut digits = String::new();
                while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                    digits.push(digit);
                }
                style.width = digits.parse().map_err(|_| "w needs a number of bytes, such as w40".to_owned())?;
            }
            's' | 'C' | 'M' => {
                return Err(format!("{letter}: summaries are not written; use depth or DISPLAY QSTATUS"));
            }
            other => return Err(format!("'{other}' is not a letter of -d, expected some of aAcHiNptTw")),
        }
    }
    Ok(listing)
}
