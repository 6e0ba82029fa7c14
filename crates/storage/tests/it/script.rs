//! A small language for what happens to one store, so that a test is a line of data.
//!
//! Commands are parted by `;`. Each answers a word or more; the answers are joined by blanks, silent ones left out.
//!
//! ```text
//! put NAME [queue=N] [pri=N] [msgid=X] [corr=X] [group=X seq=N] [expires=T] [np] [unit=X] [fifo] [max=N] [receipt=KEY:VALUE until=T]   the body is NAME
//! get | browse [queue=N] [msgid=X] [corr=X] [group=X] [after=NAME] [unit=X] [owner=N] [skip=NAME]   NAME, or none
//! take NAME [queue=N] [owner=N]  as it was browsed last: yes or no
//! list [queue=N]               all that can be browsed
//! lock | unlock NAME owner=N   yes or no
//! commit | back_out | prepare unit=X, in_doubt
//! together [X]... [receipt=KEY:VALUE until=T]   commits these units of work as one
//! got unit=X                   the first message that it has got, or none
//! receipt KEY                  its value, or none
//! forget_receipts              those whose time has come; says when that is for the next one
//! depth [queue=N]              current/uncommitted
//! clear [queue=N], drop queue=N, save KEY VALUE, forget KEY, definitions
//! at T                         moves the clock
//! expire, next_expiry
//! quarantine                   how many messages are set aside
//! reopen                       closes and opens again; without effect on an ephemeral store
//! ```

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use model::descriptor::{MessageDescriptor, Persistence};
use model::identifier::{CorrelationId, GroupId, MessageId};
use model::message::Message;
use model::timestamp::Timestamp;
use storage::private::log::disk::Disk;
use storage::{
    Candidate, DefinitionChange, DeliveryKey, LockOwner, Placement, QueueId, Receipt, ReceiptKey, Selection,
    SharedOptions, Store, StoreError, StoreOptions, StoredMessage, UnitOfWorkId, Xid, block_on,
};

use crate::postgres::Database;
use crate::shared::group::{create_queue_in, know_queue, member};
use crate::shared::structures::Databases;

/// Where what a script does lasts.
#[derive(Clone)]
pub(crate) enum Home {
    Ephemeral,
    Disk(Arc<dyn Disk>, StoreOptions),
    /// Queues are shared; of what is private nothing lasts.
    Group(Arc<Database>),
    /// As `Group`, and the first queue is in a database of its structure's own.
    Structures(Arc<Databases>),
}

pub(crate) struct Script {
    store: Store,
    home: Home,
    queues: Vec<QueueId>,
    units: HashMap<String, UnitOfWorkId>,
    keys: HashMap<String, DeliveryKey>,
    /// As they were browsed last.
    seen: HashMap<String, StoredMessage>,
    definitions: Vec<(String, Vec<u8>)>,
    now: u64,
}

/// When a script begins, in the year 2100: a group forgets receipts that are over by its database's clock.
const BEGINNING: u64 = 4_102_444_800_000_000;

/// So many microseconds after the beginning.
fn moment(time: u64) -> Timestamp {
    Timestamp(BEGINNING + time)
}

fn told(moment: Option<Timestamp>) -> String {
    moment.map_or("never".to_owned(), |at| (at.0 - BEGINNING).to_string())
}

/// An identifier that begins with the bytes of a word.
pub(crate) fn identifier(word: &str) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[..word.len()].copy_from_slice(word.as_bytes());
    bytes
}

/// `receipt=KEY:VALUE until=TIME`
fn receipt(words: &Words<'_>) -> Option<Receipt> {
    let (key, value) = words.value("receipt")?.split_once(':').expect("KEY:VALUE");
    let expires = moment(words.number("until").expect("until="));
    Some(Receipt { key: receipt_key(key), expires, value: Bytes::copy_from_slice(value.as_bytes()) })
}

fn receipt_key(word: &str) -> ReceiptKey {
    let mut bytes = [0; 16];
    bytes[..word.len()].copy_from_slice(word.as_bytes());
    ReceiptKey(bytes)
}

struct Words<'a> {
    first: &'a str,
    all: Vec<&'a str>,
}

impl<'a> Words<'a> {
    fn value(&self, key: &str) -> Option<&'a str> {
        self.all.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.value(key).map(|value| value.parse().expect("a number"))
    }

    fn flag(&self, flag: &str) -> bool {
        self.all.contains(&flag)
    }
}

impl Script {
    pub(crate) fn new(home: Home) -> Self {
        let (store, _) = open(&home);
        let queues = (0..2).map(|number| create_queue(&home, &store, number)).collect();
        let (units, keys, definitions) = (HashMap::new(), HashMap::new(), Vec::new());
        Self { store, home, queues, units, keys, seen: HashMap::new(), definitions, now: 1_000 }
    }

    pub(crate) fn run(&mut self, script: &str) -> String {
        let answers: Vec<String> = script
            .split(';')
            .map(str::trim)
            .filter(|command| !command.is_empty())
            .map(|command| self.command(command))
            .filter(|answer| !answer.is_empty())
            .collect();
        answers.join(" ")
    }

    fn command(&mut self, command: &str) -> String {
        let mut words = command.split_whitespace();
        let verb = words.next().expect("a verb");
        let all: Vec<&str> = words.collect();
        let words = Words { first: all.first().copied().unwrap_or(""), all };
        let answer = match verb {
            "put" => self.put(&words),
            "get" => self.get(&words),
            "browse" => self.browse(&words),
            "take" => self.take(&words),
            "list" => self.list(&words),
            "lock" => Ok(self.lock(&words, true)),
            "unlock" => Ok(self.lock(&words, false)),
            "commit" => {
                let unit = self.unit(&words).expect("unit=");
                block_on(self.store.commit(unit)).map(|()| String::new())
            }
            "back_out" => {
                let unit = self.unit(&words).expect("unit=");
                block_on(self.store.back_out(unit)).map(|()| String::new())
            }
            "prepare" => self.prepare(&words),
            "together" => self.together(&words),
            "got" => {
                let unit = self.unit(&words).expect("unit=");
                block_on(self.store.got_first(unit)).map(|got| got.map_or("none".to_owned(), |message| text(&message)))
            }
            "receipt" => self.receipt(&words),
            "forget_receipts" => Ok(told(self.store.expire_receipts(moment(self.now)))),
            "in_doubt" => Ok(self.in_doubt()),
            "depth" => Ok(self.depth(&words)),
            "clear" => block_on(self.store.clear(self.queue(&words))).map(|count| format!("cleared={count}")),
            "drop" => self.change(DefinitionChange::DropQueue(self.queue(&words))),
            "save" => self.change(DefinitionChange::Save {
                key: words.first.to_owned(),
                value: words.all[1].as_bytes().to_vec(),
            }),
            "forget" => self.change(DefinitionChange::Delete { key: words.first.to_owned() }),
            "definitions" => Ok(self.definitions()),
            "at" => {
                self.now = words.first.parse().expect("a moment");
                Ok(String::new())
            }
            "expire" => self.expire(&words),
            "next_expiry" => Ok(told(self.store.next_expiry(self.queue(&words)))),
            "quarantine" => Ok(format!("aside={}", self.store.quarantine().len())),
            "reopen" => {
                self.reopen();
                Ok(String::new())
            }
            other => panic!("no command {other}"),
        };
        answer.unwrap_or_else(|error| match error {
            StoreError::QueueFull { .. } => "full".to_owned(),
            other => format!("{other:?}"),
        })
    }

    fn queue(&self, words: &Words<'_>) -> QueueId {
        self.queues[usize::try_from(words.number("queue").unwrap_or(0)).unwrap()]
    }

    fn unit(&mut self, words: &Words<'_>) -> Option<UnitOfWorkId> {
        let name = words.value("unit")?;
        let store = &self.store;
        Some(*self.units.entry(name.to_owned()).or_insert_with(|| store.begin()))
    }

    fn put(&mut self, words: &Words<'_>) -> Result<String, StoreError> {
        let persistent = !words.flag("np");
        let descriptor = MessageDescriptor {
            priority: i32::try_from(words.number("pri").unwrap_or(0)).unwrap(),
            persistence: if persistent { Persistence::Persistent } else { Persistence::NonPersistent },
            message_id: MessageId::new(identifier(words.value("msgid").unwrap_or(words.first))),
            correlation_id: CorrelationId::new(identifier(words.value("corr").unwrap_or(""))),
            group_id: GroupId::new(identifier(words.value("group").unwrap_or(""))),
            message_sequence_number: u32::try_from(words.number("seq").unwrap_or(1)).unwrap(),
            ..MessageDescriptor::default()
        };
        let message = Message { descriptor, body: Bytes::copy_from_slice(words.first.as_bytes()) };
        let placement = Placement {
            by_priority: !words.flag("fifo"),
            maximum_depth: words.number("max").map_or(u32::MAX, |max| u32::try_from(max).unwrap()),
            expires: words.number("expires").map(moment),
            persistent,
        };
        self.now += 1;
        let (unit, queue, now) = (self.unit(words), self.queue(words), moment(self.now));
        let outcome = match receipt(words) {
            None => block_on(self.store.put(unit, queue, message, placement, now))?,
            Some(receipt) => {
                let of_put = |_| receipt.clone();
                block_on(self.store.put_with_receipt(queue, message, placement, &of_put, now))?
            }
        };
        self.keys.insert(words.first.to_owned(), outcome.key);
        Ok(String::new())
    }

    fn selection<'a>(
        &self,
        words: &Words<'_>,
        accept: &'a (dyn Fn(&Candidate<'_>) -> bool + Send + Sync),
    ) -> Selection<'a> {
        Selection {
            message_id: words.value("msgid").map(|word| MessageId::new(identifier(word))),
            correlation_id: words.value("corr").map(|word| CorrelationId::new(identifier(word))),
            group_id: words.value("group").map(|word| GroupId::new(identifier(word))),
            sequence_number: words.number("seq").map(|number| u32::try_from(number).unwrap()),
            offset: None,
            position: words.value("position").map(|name| self.keys[name].position),
            accept: words.value("skip").is_some().then_some(accept),
            lock_owner: words.number("owner").map(LockOwner),
        }
    }

    fn get(&mut self, words: &Words<'_>) -> Result<String, StoreError> {
        let skip = MessageId::new(identifier(words.value("skip").unwrap_or("")));
        let accept = move |candidate: &Candidate<'_>| *candidate.message_id != skip;
        let unit = self.unit(words);
        let selection = self.selection(words, &accept);
        let got = block_on(self.store.get(unit, self.queue(words), &selection, moment(self.now)))?;
        Ok(got.map_or("none".to_owned(), |message| text(&message)))
    }

    fn take(&mut self, words: &Words<'_>) -> Result<String, StoreError> {
        let owner = LockOwner(words.number("owner").unwrap_or(0));
        let (queue, seen) = (self.queue(words), &self.seen[words.first]);
        let taken = block_on(self.store.take_browsed(queue, seen, owner, moment(self.now)))?;
        Ok(if taken { "yes".to_owned() } else { "no".to_owned() })
    }

    fn browse(&mut self, words: &Words<'_>) -> Result<String, StoreError> {
        let skip = MessageId::new(identifier(words.value("skip").unwrap_or("")));
        let accept = move |candidate: &Candidate<'_>| *candidate.message_id != skip;
        let selection = self.selection(words, &accept);
        let after = words.value("after").map(|name| self.keys[name]);
        let seen = block_on(self.store.browse(self.queue(words), after, &selection, moment(self.now)))?;
        let Some(seen) = seen else { return Ok("none".to_owned()) };
        let (name, shown) = (String::from_utf8_lossy(&seen.message.body).into_owned(), text(&seen));
        self.seen.insert(name, seen);
        Ok(shown)
    }

    fn list(&mut self, words: &Words<'_>) -> Result<String, StoreError> {
        let mut after = None;
        let mut names = Vec::new();
        while let Some(message) =
            block_on(self.store.browse(self.queue(words), after, &Selection::default(), moment(self.now)))?
        {
            after = Some(message.key);
            names.push(text(&message));
        }
        Ok(format!("[{}]", names.join(" ")))
    }

    fn lock(&mut self, words: &Words<'_>, on: bool) -> String {
        let owner = LockOwner(words.number("owner").expect("owner="));
        let (queue, key) = (self.queue(words), self.keys[words.first]);
        let done = if on {
            block_on(self.store.lock(queue, key, owner)).expect("locks or does not")
        } else {
            self.store.unlock(queue, key, owner)
        };
        if done { "yes".to_owned() } else { "no".to_owned() }
    }

    fn prepare(&mut self, words: &Words<'_>) -> Result<String, StoreError> {
        let name = words.value("unit").expect("unit=").as_bytes().to_vec();
        let xid = Xid { format_id: 7, global_transaction: name, branch: vec![1, 2] };
        let unit = self.unit(words).expect("unit=");
        block_on(self.store.prepare(unit, Some(xid))).map(|()| String::new())
    }

    fn together(&mut self, words: &Words<'_>) -> Result<String, StoreError> {
        let named = words.all.iter().filter(|word| !word.contains('='));
        let units: Vec<UnitOfWorkId> = named.map(|name| self.units[*name]).collect();
        let receipt = receipt(words);
        block_on(self.store.commit_together(&units, receipt.as_ref(), moment(self.now))).map(|()| String::new())
    }

    fn receipt(&mut self, words: &Words<'_>) -> Result<String, StoreError> {
        let value = block_on(self.store.receipt(&receipt_key(words.first), moment(self.now)))?;
        Ok(value.map_or("none".to_owned(), |value| String::from_utf8_lossy(&value).into_owned()))
    }

    fn in_doubt(&self) -> String {
        let names: Vec<String> = self
            .store
            .in_doubt()
            .into_iter()
            .map(|(_, xid)| String::from_utf8(xid.expect("an xid").global_transaction).unwrap())
            .collect();
        format!("in_doubt=[{}]", names.join(" "))
    }

    fn depth(&self, words: &Words<'_>) -> String {
        let depth = self.store.depth(self.queue(words));
        format!("{}/{}", depth.current, depth.uncommitted)
    }

    fn change(&mut self, change: DefinitionChange) -> Result<String, StoreError> {
        match &change {
            DefinitionChange::Save { key, value } => {
                self.definitions.retain(|(known, _)| known != key);
                self.definitions.push((key.clone(), value.clone()));
                self.definitions.sort();
            }
            DefinitionChange::Delete { key } => self.definitions.retain(|(known, _)| known != key),
            DefinitionChange::DropQueue(_) => {}
        }
        block_on(self.store.change_definitions(vec![change])).map(|()| String::new())
    }

    fn definitions(&self) -> String {
        let texts: Vec<String> =
            self.definitions.iter().map(|(key, value)| format!("{key}={}", String::from_utf8_lossy(value))).collect();
        format!("[{}]", texts.join(" "))
    }

    fn expire(&mut self, words: &Words<'_>) -> Result<String, StoreError> {
        let mut expired = VecDeque::new();
        block_on(self.store.discard_expired(self.queue(words), moment(self.now), &mut expired))?;
        Ok(format!("expired=[{}]", expired.iter().map(text).collect::<Vec<_>>().join(" ")))
    }

    /// This queue's definition is gone, though the store was not told.
    pub(crate) fn forget_queue(&mut self, number: usize) {
        self.queues.remove(number);
    }

    pub(crate) fn create_queue(&self) -> QueueId {
        create_queue(&self.home, &self.store, self.queues.len())
    }

    fn reopen(&mut self) {
        if let Home::Ephemeral = self.home {
            return;
        }
        self.store.close();
        let (store, definitions) = open(&self.home);
        store.retain_queues(&self.queues);
        if store.shared().is_some() {
            self.queues.iter().for_each(|queue| know_queue(&store, *queue));
        }
        for (unit, xid) in store.in_doubt() {
            let name = String::from_utf8(xid.expect("an xid").global_transaction).unwrap();
            self.units.insert(name, unit);
        }
        self.definitions = definitions;
        self.store = store;
    }
}

/// The store, and its definitions.
fn open(home: &Home) -> (Store, Vec<(String, Vec<u8>)>) {
    match home {
        Home::Ephemeral => (Store::ephemeral(StoreOptions::default()), Vec::new()),
        Home::Disk(disk, options) => {
            let (store, recovered) = Store::open(Arc::clone(disk), options.clone()).expect("opens");
            (store, recovered.definitions)
        }
        Home::Group(database) => (member(SharedOptions::new(database.url.clone(), "QM1".to_owned())), Vec::new()),
        Home::Structures(databases) => (databases.member(databases.options("QM1")), Vec::new()),
    }
}

fn create_queue(home: &Home, store: &Store, number: usize) -> QueueId {
    match home {
        Home::Group(_) => create_queue_in(store, "APP1"),
        Home::Structures(_) => create_queue_in(store, if number == 0 { "APP1" } else { "APP0" }),
        Home::Ephemeral | Home::Disk(..) => store.create_queue(),
    }
}

/// The body, with the backout count when there is one.
fn text(message: &StoredMessage) -> String {
    let body = String::from_utf8_lossy(&message.message.body).into_owned();
    match message.message.descriptor.backout_count {
        0 => body,
        count => format!("{body}(backed_out={count})"),
    }
}
