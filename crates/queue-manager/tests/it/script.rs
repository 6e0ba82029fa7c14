//! A tiny language for tests: verbs with words and `key=value`, separated by semicolons.
//!
//! ```text
//! define NAME [alias|remote|model] KEYWORD=VALUE...      MQSC keywords of the attribute table
//! alter NAME KEYWORD=VALUE... [force]    delete NAME [purge]    clear NAME    depth NAME
//! open HANDLE NAME [words of MQOO]       close HANDLE [delete|purge]
//! put BODY [on=HANDLE] [pri= id= corr= ...] [due=SECONDS] [words of MQPMO, MQMF, MQRO]     put1 BODY to=NAME ...
//! get [on=HANDLE] [id= corr= wait= buf= show=...] [words of MQGMO]
//! detach NAME    attach NAME    settle NAME [back_out]    forget NAME    together NAME... [receipt=KEY]    receipt KEY
//! commit    back_out    advance SECONDS    housekeep [MILLISECONDS]    expire    start NAME get ...    join NAME
//! ```
//!
//! `@N` before a verb uses connection N; the first handle `q` is queue Q, opened for everything. What a verb prints: a get
//! its body and what `show` asks for, a failure its reason, a warning `!` and its reason; the rest nothing.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use model::authority::Principal;
use model::definition::attribute::{self, Kind, Target, Value, ValueType, View};
use model::definition::queue::{AliasQueue, ModelQueue, RemoteQueue};
use model::definition::{QueueDefinition, QueueKind};
use model::descriptor::{
    Ccsid, Encoding, Expiry, Format, MessageDescriptor, MessageFlags, MessageType, Persistence, Report,
};
use model::identifier::{CorrelationId, GroupId, MessageId};
use model::message::Message;
use model::name::ObjectName;
use model::options::{
    CloseOptions, ConversionTarget, GetFlags, GetOptions, MatchOptions, ObjectDescriptor, ObjectKind, OpenOptions,
    PutFlags, PutOptions,
};
use model::reason::Reason;
use model::text::Text;
use model::timestamp::Timestamp;
use queue_manager::connection::{GetResult, ObjectHandle};
use queue_manager::detached::DetachedUnit;
use queue_manager::objects::ObjectError;
use queue_manager::{Clock, ConnectOptions, Connection, Due, Home, QueueManager, StartOptions};
use storage::{Receipt, ReceiptKey, StoreOptions};

/// 2026-11-21T00:00:00Z.
pub(crate) const START: Timestamp = Timestamp(1_795_219_200_000_000);

/// How long anything may take before a test gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// A clock that moves when told.
pub(crate) struct FakeClock(AtomicU64);

impl FakeClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(AtomicU64::new(START.0)))
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.0.fetch_add(u64::try_from(by.as_micros()).unwrap(), Ordering::SeqCst);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

pub(crate) fn administrator() -> Principal {
    Principal::administrator("mqadmin")
}

pub(crate) fn name(text: &str) -> ObjectName {
    ObjectName::literal(text)
}

/// A queue manager QM1 without a disk.
pub(crate) fn ephemeral(clock: Arc<dyn Clock>) -> QueueManager {
    start(Home::Ephemeral, clock)
}

pub(crate) fn start(home: Home, clock: Arc<dyn Clock>) -> QueueManager {
    start_with(home, StoreOptions::default(), clock)
}

pub(crate) fn start_with(home: Home, store: StoreOptions, clock: Arc<dyn Clock>) -> QueueManager {
    let options = StartOptions { name: name("QM1"), home, store, clock, server_user: "mqadmin".to_owned() };
    QueueManager::start(options).unwrap()
}

pub(crate) fn connect(queue_manager: &QueueManager, principal: Principal) -> Connection {
    let options = ConnectOptions {
        principal,
        application_name: "script".to_owned(),
        application_type: 6,
        channel: String::new(),
        connection_name: String::new(),
    };
    queue_manager.connect(options).unwrap()
}

pub(crate) const EVERYTHING: OpenOptions = OpenOptions::INPUT_SHARED
    .union(OpenOptions::BROWSE)
    .union(OpenOptions::OUTPUT)
    .union(OpenOptions::INQUIRE)
    .union(OpenOptions::SET)
    .union(OpenOptions::SAVE_ALL_CONTEXT)
    .union(OpenOptions::SET_ALL_CONTEXT)
    .union(OpenOptions::PASS_ALL_CONTEXT);

/// Runs a script against a fresh queue manager with an empty queue Q, and compares what it prints.
pub(crate) fn check(script: &str, expected: expect_test::Expect) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    expected.assert_eq(&runtime.block_on(run(script)));
}

async fn run(script: &str) -> String {
    let clock = FakeClock::new();
    let queue_manager = ephemeral(clock.clone());
    queue_manager.define_queue(&administrator(), QueueDefinition::local(name("Q")), false).await.unwrap();
    let mut session = Session::new(queue_manager, clock);
    session.run(script).await
}

fn receipt_key(text: &str) -> ReceiptKey {
    let mut key = [0; 16];
    key[..text.len()].copy_from_slice(text.as_bytes());
    ReceiptKey(key)
}

/// A script being run.
pub(crate) struct Session {
    pub(crate) queue_manager: QueueManager,
    clock: Arc<FakeClock>,
    connections: HashMap<String, Arc<Connection>>,
    handles: HashMap<(String, String), ObjectHandle>,
    tasks: HashMap<String, tokio::task::JoinHandle<String>>,
    tokens: HashMap<String, [u8; 16]>,
    detached: HashMap<String, DetachedUnit>,
}

/// One statement, taken apart.
struct Statement<'a> {
    connection: &'a str,
    words: Vec<&'a str>,
    keys: HashMap<&'a str, &'a str>,
}

impl<'a> Statement<'a> {
    fn parse(text: &'a str) -> Self {
        let mut statement = Self { connection: "1", words: Vec::new(), keys: HashMap::new() };
        for part in text.split_whitespace() {
            if let Some(connection) = part.strip_prefix('@') {
                statement.connection = connection;
            } else if let Some((key, value)) = part.split_once('=') {
                statement.keys.insert(key, value);
            } else {
                statement.words.push(part);
            }
        }
        statement
    }

    fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    fn word(&self, index: usize) -> &'a str {
        self.words.get(index).unwrap_or_else(|| panic!("{:?} lacks word {index}", self.words))
    }

    fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T>
    where
        T::Err: std::fmt::Debug,
    {
        self.keys.get(key).map(|value| value.parse().unwrap())
    }

    fn flags<T>(&self, table: &[(&str, T)]) -> T
    where
        T: bitflags_of::Union,
    {
        table.iter().filter(|(word, _)| self.has(word)).fold(T::none(), |flags, (_, flag)| flags.with(*flag))
    }
}

/// Just enough of bit flags to fold them.
mod bitflags_of {
    pub(crate) trait Union: Copy {
        fn none() -> Self;
        fn with(self, other: Self) -> Self;
    }

    macro_rules! union {
        ($($flags:ty),*) => {$(
            impl Union for $flags {
                fn none() -> Self {
                    Self::empty()
                }
                fn with(self, other: Self) -> Self {
                    self | other
                }
            }
        )*};
    }
    union!(
        model::options::OpenOptions,
        model::options::PutFlags,
        model::options::GetFlags,
        model::options::MatchOptions,
        model::descriptor::MessageFlags,
        model::descriptor::Report
    );
}

pub(crate) fn identifier(text: &str) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[..text.len()].copy_from_slice(text.as_bytes());
    bytes
}

fn readable(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches(['\0', ' ']).to_owned()
}

impl Session {
    pub(crate) fn new(queue_manager: QueueManager, clock: Arc<FakeClock>) -> Self {
        Self {
            queue_manager,
            clock,
            connections: HashMap::new(),
            handles: HashMap::new(),
            tasks: HashMap::new(),
            tokens: HashMap::new(),
            detached: HashMap::new(),
        }
    }

    pub(crate) async fn run(&mut self, script: &str) -> String {
        let mut printed = Vec::new();
        for text in script.split(';').map(str::trim).filter(|text| !text.is_empty()) {
            let output = self.statement(text).await;
            if !output.is_empty() {
                printed.push(output);
            }
        }
        printed.join(" ")
    }

    async fn statement(&mut self, text: &str) -> String {
        let statement = Statement::parse(text);
        match statement.word(0) {
            "define" | "alter" => self.define(&statement).await,
            "alter_qmgr" => self.alter_queue_manager(&statement).await,
            "delete" => {
                let deleted = name(statement.word(1));
                let purge = statement.has("purge");
                problem(self.queue_manager.delete_queue(&administrator(), &deleted, purge).await)
            }
            "clear" => problem(self.queue_manager.clear_queue(&administrator(), &name(statement.word(1))).await),
            "depth" => {
                let status = self.queue_manager.queue_status(&name(statement.word(1)));
                status.map_or("none".to_owned(), |status| status.depth.current.to_string())
            }
            "procs" => {
                let status = self.queue_manager.queue_status(&name(statement.word(1))).unwrap();
                format!("in={} out={}", status.open_input, status.open_output)
            }
            "advance" => {
                self.clock.advance(Duration::from_secs_f64(statement.word(1).parse().unwrap()));
                String::new()
            }
            "housekeep" => {
                let millis = statement.words.get(1).map_or(50, |word| word.parse().unwrap());
                self.housekeep(Duration::from_millis(millis)).await
            }
            "quiesce" => {
                self.queue_manager.quiesce();
                String::new()
            }
            "stop" => {
                self.queue_manager.stop().await;
                String::new()
            }
            "drop" => {
                self.handles.retain(|(connection, _), _| connection != statement.connection);
                self.connections.remove(statement.connection);
                self.housekeep(Duration::from_millis(50)).await
            }
            "open" => self.open(&statement).await,
            "close" => {
                let handle = self.handle(&statement, statement.word(1)).await;
                let options = if statement.has("delete") {
                    CloseOptions::DELETE
                } else if statement.has("purge") {
                    CloseOptions::DELETE_PURGE
                } else {
                    CloseOptions::empty()
                };
                reason(self.connection(&statement).close(handle, options).await)
            }
            "put" | "put1" => self.put(&statement).await,
            "commit" => reason(self.connection(&statement).commit().await),
            "back_out" => reason(self.connection(&statement).back_out().await),
            "get" => {
                let (connection, handle, options, show) = self.prepare_get(&statement).await;
                let got = connection.get(handle, &options).await;
                if let (Some(token), Ok(got)) = (statement.keys.get("token"), &got) {
                    self.tokens.insert((*token).to_owned(), got.message_token);
                }
                print_get(got, &show)
            }
            "start" => {
                let task = statement.word(1).to_owned();
                let (connection, handle, options, show) = self.prepare_get(&statement).await;
                let running = tokio::spawn(async move { print_get(connection.get(handle, &options).await, &show) });
                // The task takes its place in line before the script goes on.
                tokio::task::yield_now().await;
                self.tasks.insert(task, running);
                String::new()
            }
            "join" => {
                // Of a clock that runs ahead when nothing else is left to do.
                let a_day = Duration::from_secs(86_400);
                let task = tokio::time::timeout(a_day, self.tasks.remove(statement.word(1)).unwrap());
                task.await.unwrap_or_else(|_| panic!("{} has not ended", statement.word(1))).unwrap()
            }
            "cancel" => {
                let task = self.tasks.remove(statement.word(1)).unwrap();
                task.abort();
                let _ = task.await;
                String::new()
            }
            "detach" => match self.connection(&statement).detach() {
                Some(unit) => {
                    self.detached.insert(statement.word(1).to_owned(), unit);
                    String::new()
                }
                None => "nothing".to_owned(),
            },
            "attach" => {
                let unit = self.detached.remove(statement.word(1)).unwrap();
                reason(self.connection(&statement).attach(unit))
            }
            "settle" => {
                let unit = self.detached.remove(statement.word(1)).unwrap();
                let done = if statement.has("back_out") {
                    unit.back_out().await
                } else {
                    unit.commit().await.map_err(|refused| refused.reason)
                };
                reason(done)
            }
            "forget" => {
                self.detached.remove(statement.word(1));
                self.housekeep(Duration::from_millis(50)).await
            }
            "together" => self.together(&statement).await,
            "receipt" => match self.queue_manager.receipt(&receipt_key(statement.word(1))).await {
                Ok(value) => value.map_or("none".to_owned(), |value| String::from_utf8_lossy(&value).into_owned()),
                Err(reason) => reason.number().to_string(),
            },
            "inquire" => self.inquire(&statement).await,
            "set" => self.set(&statement).await,
            other => panic!("no verb {other}"),
        }
    }

    async fn together(&mut self, statement: &Statement<'_>) -> String {
        let units = statement.words[1..].iter().map(|name| self.detached.remove(*name).unwrap()).collect();
        let receipt = statement.keys.get("receipt").map(|key| Receipt {
            key: receipt_key(key),
            expires: self.clock.now().saturating_add(Duration::from_secs(60)),
            value: Bytes::copy_from_slice(key.as_bytes()),
        });
        let done = self.connection(statement).commit_together(units, receipt).await;
        reason(done.map_err(|refused| refused.reason))
    }

    /// Lets the housekeeping of the queue manager run for a while, by the clock of the runtime.
    async fn housekeep(&self, time: Duration) -> String {
        let _ = tokio::time::timeout(time, self.queue_manager.run()).await;
        String::new()
    }

    fn connection(&mut self, statement: &Statement<'_>) -> Arc<Connection> {
        let queue_manager = &self.queue_manager;
        let connection = self.connections.entry(statement.connection.to_owned());
        connection.or_insert_with(|| Arc::new(connect(queue_manager, administrator()))).clone()
    }

    /// An open handle by its name; `q` is opened when first used.
    async fn handle(&mut self, statement: &Statement<'_>, handle: &str) -> ObjectHandle {
        let key = (statement.connection.to_owned(), handle.to_owned());
        if let Some(handle) = self.handles.get(&key) {
            return *handle;
        }
        if handle != "q" {
            return ObjectHandle(999);
        }
        let object = ObjectDescriptor { name: name("Q"), ..ObjectDescriptor::default() };
        let connection = self.connection(statement);
        let opened = connection.open(&administrator(), &object, EVERYTHING).await.unwrap();
        self.handles.insert(key, opened.handle);
        opened.handle
    }

    async fn define(&mut self, statement: &Statement<'_>) -> String {
        let queue = name(statement.word(1));
        let altered = statement.word(0) == "alter";
        let mut definition = match (altered, statement.words.get(2).copied()) {
            (true, _) => match self.queue_manager.queue(&queue) {
                Some(definition) => (*definition).clone(),
                None => return "not_found".to_owned(),
            },
            (false, Some("alias")) => QueueDefinition::new(queue, QueueKind::Alias(AliasQueue::default())),
            (false, Some("remote")) => QueueDefinition::new(queue, QueueKind::Remote(RemoteQueue::default())),
            (false, Some("model")) => QueueDefinition::new(queue, QueueKind::Model(Box::<ModelQueue>::default())),
            (false, _) => QueueDefinition::local(queue),
        };
        let kind = View::Queue(&definition, None).kind();
        for (keyword, text) in &statement.keys {
            write(kind, keyword, text, Target::Queue(&mut definition));
        }
        for word in ["TRIGGER", "NOTRIGGER", "NOSHARE", "SHARE"] {
            if statement.has(word) {
                write(kind, word, "", Target::Queue(&mut definition));
            }
        }
        if altered {
            problem(self.queue_manager.alter_queue(&administrator(), definition, statement.has("force")).await)
        } else {
            let replace = statement.has("replace");
            problem(self.queue_manager.define_queue(&administrator(), definition, replace).await)
        }
    }

    async fn alter_queue_manager(&mut self, statement: &Statement<'_>) -> String {
        let mut definition = (*self.queue_manager.definition()).clone();
        for (keyword, text) in &statement.keys {
            write(Kind::QueueManager, keyword, text, Target::QueueManager(&mut definition));
        }
        problem(self.queue_manager.alter_queue_manager(&administrator(), definition).await)
    }

    async fn open(&mut self, statement: &Statement<'_>) -> String {
        let options = statement.flags(&[
            ("input", OpenOptions::INPUT_AS_Q_DEF),
            ("shared", OpenOptions::INPUT_SHARED),
            ("exclusive", OpenOptions::INPUT_EXCLUSIVE),
            ("browse", OpenOptions::BROWSE),
            ("output", OpenOptions::OUTPUT),
            ("inquire", OpenOptions::INQUIRE),
            ("set", OpenOptions::SET),
            ("save_context", OpenOptions::SAVE_ALL_CONTEXT),
            ("pass_identity", OpenOptions::PASS_IDENTITY_CONTEXT),
            ("pass_all", OpenOptions::PASS_ALL_CONTEXT),
            ("set_identity", OpenOptions::SET_IDENTITY_CONTEXT),
            ("set_all", OpenOptions::SET_ALL_CONTEXT),
            ("co_op", OpenOptions::CO_OP),
            ("fail_if_quiescing", OpenOptions::FAIL_IF_QUIESCING),
            ("bind_on_open", OpenOptions::BIND_ON_OPEN),
            ("bind_not_fixed", OpenOptions::BIND_NOT_FIXED),
        ]);
        let object = object(statement, statement.word(2));
        let connection = self.connection(statement);
        match connection.open(&administrator(), &object, options).await {
            Ok(opened) => {
                self.handles.insert((statement.connection.to_owned(), statement.word(1).to_owned()), opened.handle);
                if statement.has("show") {
                    let resolved = format!("{}@{}", opened.resolved_queue, opened.resolved_queue_manager);
                    return format!("{}={resolved}", opened.object_name);
                }
                String::new()
            }
            Err(reason) => reason.number().to_string(),
        }
    }

    async fn put(&mut self, statement: &Statement<'_>) -> String {
        let connection = self.connection(statement);
        let context = match statement.keys.get("context") {
            Some(handle) => Some(self.handle(statement, handle).await.0),
            None => None,
        };
        let options = PutOptions { flags: put_flags(statement), context };
        let body = body(statement);
        let descriptor = descriptor(statement);
        let due = statement.number("due").map(|seconds: f64| {
            if seconds < 0.0 { Due::At(Timestamp(1)) } else { Due::After(Duration::from_secs_f64(seconds)) }
        });
        let result = if statement.word(0) == "put1" {
            let object = object(statement, statement.keys["to"]);
            let message = Box::new(Message { descriptor, body });
            connection.put1_due(&administrator(), &object, message, &options, due).await
        } else if let Some(due) = due {
            let handle = self.handle(statement, statement.keys.get("on").unwrap_or(&"q")).await;
            connection.put_due(handle, Box::new(Message { descriptor, body }), &options, due).await
        } else {
            let handle = self.handle(statement, statement.keys.get("on").unwrap_or(&"q")).await;
            connection.put(handle, descriptor, &options, body).await
        };
        match result {
            Ok(result) => {
                let shown = show(&result.message.descriptor, statement.keys.get("show").unwrap_or(&""));
                let warning = result.warning.map(|reason| format!("!{}", reason.number()));
                [warning, Some(shown).filter(|shown| !shown.is_empty())]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            Err(reason) => reason.number().to_string(),
        }
    }

    async fn prepare_get(&mut self, statement: &Statement<'_>) -> (Arc<Connection>, ObjectHandle, GetOptions, String) {
        let handle = self.handle(statement, statement.keys.get("on").unwrap_or(&"q")).await;
        let mut options = get_options(statement);
        if let Some(token) = statement.keys.get("match_token") {
            options.match_options |= MatchOptions::MSG_TOKEN;
            options.message_token = self.tokens[*token];
        }
        let show = (*statement.keys.get("show").unwrap_or(&"")).to_owned();
        (self.connection(statement), handle, options, show)
    }

    async fn inquire(&mut self, statement: &Statement<'_>) -> String {
        let handle = self.handle(statement, statement.keys.get("on").unwrap_or(&"q")).await;
        let selectors: Vec<i32> = statement.words[1..].iter().map(|word| word.parse().unwrap()).collect();
        match self.connection(statement).inquire(handle, &selectors) {
            Ok(inquired) => {
                let text = readable(&inquired.characters);
                let warning = inquired.warning.map_or(String::new(), |reason| format!(" !{}", reason.number()));
                format!("{:?} {text:?}{warning}", inquired.integers)
            }
            Err(reason) => reason.number().to_string(),
        }
    }

    async fn set(&mut self, statement: &Statement<'_>) -> String {
        let handle = self.handle(statement, statement.keys.get("on").unwrap_or(&"q")).await;
        let pairs: Vec<(i32, i32)> = statement.words[1..]
            .iter()
            .map(|word| word.split_once(':').unwrap())
            .map(|(selector, value)| (selector.parse().unwrap(), value.parse().unwrap()))
            .collect();
        let (selectors, integers): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        reason(self.connection(statement).set(handle, &selectors, &integers, &[]).await)
    }
}

fn write(kind: Kind, keyword: &str, text: &str, target: Target<'_>) {
    let keyword = keyword.to_uppercase();
    let row = attribute::find(kind, &keyword).unwrap_or_else(|| panic!("no attribute {keyword}"));
    let value = match row.value {
        ValueType::Flag(words) => Value::Integer(words.iter().find(|word| word.mqsc == keyword).unwrap().code),
        _ => row.value.parse(text).unwrap_or_else(|problem| panic!("{keyword}={text}: {problem}")),
    };
    (row.write)(target, &value).unwrap();
}

fn object(statement: &Statement<'_>, queue: &str) -> ObjectDescriptor {
    ObjectDescriptor {
        object: if statement.has("qmgr") { ObjectKind::QueueManager } else { ObjectKind::Queue },
        name: if queue == "-" { ObjectName::BLANK } else { name(queue) },
        queue_manager: statement.keys.get("qm").map_or(ObjectName::BLANK, |text| name(text)),
        dynamic_queue: statement.keys.get("dynamic").unwrap_or(&"").to_string(),
        ..ObjectDescriptor::default()
    }
}

/// `A*5` is a body of five letters.
fn body(statement: &Statement<'_>) -> Bytes {
    match statement.word(1).split_once('*') {
        Some((letter, count)) => Bytes::from(letter.repeat(count.parse().unwrap())),
        None => Bytes::from(statement.word(1).to_owned()),
    }
}

fn put_flags(statement: &Statement<'_>) -> PutFlags {
    statement.flags(&[
        ("syncpoint", PutFlags::SYNCPOINT),
        ("no_syncpoint", PutFlags::NO_SYNCPOINT),
        ("new_id", PutFlags::NEW_MSG_ID),
        ("new_corr", PutFlags::NEW_CORREL_ID),
        ("no_context", PutFlags::NO_CONTEXT),
        ("default_context", PutFlags::DEFAULT_CONTEXT),
        ("pass_identity", PutFlags::PASS_IDENTITY_CONTEXT),
        ("pass_all", PutFlags::PASS_ALL_CONTEXT),
        ("set_identity", PutFlags::SET_IDENTITY_CONTEXT),
        ("set_all", PutFlags::SET_ALL_CONTEXT),
        ("logical", PutFlags::LOGICAL_ORDER),
        ("fail_if_quiescing", PutFlags::FAIL_IF_QUIESCING),
    ])
}

fn descriptor(statement: &Statement<'_>) -> MessageDescriptor {
    let text = |key: &str| statement.keys.get(key).copied();
    let default = MessageDescriptor::default();
    MessageDescriptor {
        priority: statement.number("pri").unwrap_or(default.priority),
        persistence: match text("pst") {
            None => Persistence::AsQueueDefinition,
            Some("yes") => Persistence::Persistent,
            Some(_) => Persistence::NonPersistent,
        },
        expiry: statement.number("exp").map_or(Expiry::UNLIMITED, Expiry),
        message_type: statement.number("type").map_or(MessageType::DATAGRAM, MessageType),
        message_id: text("id").map_or(MessageId::NONE, |text| MessageId::new(identifier(text))),
        correlation_id: text("corr").map_or(CorrelationId::NONE, |text| CorrelationId::new(identifier(text))),
        group_id: text("group").map_or(GroupId::NONE, |text| GroupId::new(identifier(text))),
        message_sequence_number: statement.number("seq").unwrap_or(1),
        offset: statement.number("off").unwrap_or(0),
        reply_to_queue: text("rq").map_or(ObjectName::BLANK, name),
        reply_to_queue_manager: text("rqm").map_or(ObjectName::BLANK, name),
        format: text("fmt").map_or(Format::NONE, |text| Format(Text::new(text))),
        ccsid: statement.number("ccsid").map_or(Ccsid::Q_MGR, Ccsid),
        user_identifier: text("user").map_or(Text::BLANK, Text::new),
        put_application_name: text("appl").map_or(Text::BLANK, Text::new),
        message_flags: statement.flags(&[
            ("in_group", MessageFlags::MSG_IN_GROUP),
            ("last_in_group", MessageFlags::LAST_MSG_IN_GROUP),
            ("segment", MessageFlags::SEGMENT),
            ("last_segment", MessageFlags::LAST_SEGMENT),
            ("may_segment", MessageFlags::SEGMENTATION_ALLOWED),
        ]) | MessageFlags::from_bits_retain(statement.number("flags").unwrap_or(0)),
        report: statement.flags(&[
            ("coa", Report::COA),
            ("coa_data", Report::COA_WITH_DATA),
            ("coa_full", Report::COA_WITH_FULL_DATA),
            ("cod", Report::COD),
            ("cod_full", Report::COD_WITH_FULL_DATA),
            ("expiration", Report::EXPIRATION),
            ("expiration_full", Report::EXPIRATION_WITH_FULL_DATA),
            ("exception", Report::EXCEPTION),
            ("pass_id", Report::PASS_MSG_ID),
            ("pass_corr", Report::PASS_CORREL_ID),
            ("discard", Report::DISCARD_MSG),
        ]) | Report::from_bits_retain(statement.number("report").unwrap_or(0)),
        ..default
    }
}

fn get_options(statement: &Statement<'_>) -> GetOptions {
    let text = |key: &str| statement.keys.get(key).copied();
    let mut match_options = MatchOptions::empty();
    for (key, option) in [
        ("id", MatchOptions::MSG_ID),
        ("corr", MatchOptions::CORREL_ID),
        ("group", MatchOptions::GROUP_ID),
        ("seq", MatchOptions::MSG_SEQ_NUMBER),
        ("off", MatchOptions::OFFSET),
    ] {
        match_options.set(option, text(key).is_some());
    }
    let wait = text("wait");
    let flags = statement.flags(&[
        ("syncpoint", GetFlags::SYNCPOINT),
        ("no_syncpoint", GetFlags::NO_SYNCPOINT),
        ("syncpoint_if_persistent", GetFlags::SYNCPOINT_IF_PERSISTENT),
        ("first", GetFlags::BROWSE_FIRST),
        ("next", GetFlags::BROWSE_NEXT),
        ("browse_cursor", GetFlags::BROWSE_MSG_UNDER_CURSOR),
        ("cursor", GetFlags::MSG_UNDER_CURSOR),
        ("lock", GetFlags::LOCK),
        ("unlock", GetFlags::UNLOCK),
        ("truncate", GetFlags::ACCEPT_TRUNCATED_MSG),
        ("skip_backout", GetFlags::MARK_SKIP_BACKOUT),
        ("logical", GetFlags::LOGICAL_ORDER),
        ("complete", GetFlags::COMPLETE_MSG),
        ("all_messages", GetFlags::ALL_MSGS_AVAILABLE),
        ("all_segments", GetFlags::ALL_SEGMENTS_AVAILABLE),
        ("mark", GetFlags::MARK_BROWSE_CO_OP),
        ("unmark", GetFlags::UNMARK_BROWSE_CO_OP),
        ("mark_handle", GetFlags::MARK_BROWSE_HANDLE),
        ("unmarked", GetFlags::UNMARKED_BROWSE_MSG),
        ("signal", GetFlags::SET_SIGNAL),
        ("convert", GetFlags::CONVERT),
        ("fail_if_quiescing", GetFlags::FAIL_IF_QUIESCING),
    ]) | if wait.is_some() { GetFlags::WAIT } else { GetFlags::empty() };
    GetOptions {
        flags,
        wait: wait.filter(|text| *text != "unlimited").map(|text| Duration::from_millis(text.parse().unwrap())),
        match_options,
        message_id: text("id").map_or(MessageId::NONE, |text| MessageId::new(identifier(text))),
        correlation_id: text("corr").map_or(CorrelationId::NONE, |text| CorrelationId::new(identifier(text))),
        group_id: text("group").map_or(GroupId::NONE, |text| GroupId::new(identifier(text))),
        message_sequence_number: statement.number("seq").unwrap_or(0),
        offset: statement.number("off").unwrap_or(0),
        buffer_length: statement.number("buf"),
        target: statement
            .number("ccsid")
            .map(|ccsid| ConversionTarget { ccsid: Ccsid(ccsid), encoding: Encoding::NATIVE }),
        ..GetOptions::default()
    }
}

fn print_get(got: Result<Box<GetResult>, Reason>, shown: &str) -> String {
    match got {
        Ok(result) => {
            let mut text = String::from_utf8_lossy(&result.body).into_owned();
            if text.is_empty() {
                text.push('-');
            }
            let shown = show(&result.descriptor, shown);
            if !shown.is_empty() {
                text = format!("{text} {shown}");
            }
            match result.warning {
                Some(reason) => format!("{text} !{}", reason.number()),
                None => text,
            }
        }
        Err(reason) => reason.number().to_string(),
    }
}

/// The descriptor's fields that a test asks for.
fn show(descriptor: &MessageDescriptor, fields: &str) -> String {
    let of = descriptor;
    let shown = fields.split(',').filter(|field| !field.is_empty()).map(|field| {
        let value = match field {
            "pri" => of.priority.to_string(),
            "pst" => format!("{:?}", of.persistence),
            "exp" => of.expiry.0.to_string(),
            "type" => of.message_type.0.to_string(),
            "fb" => of.feedback.0.to_string(),
            "bc" => of.backout_count.to_string(),
            "id" => readable(of.message_id.as_bytes()),
            "corr" => readable(of.correlation_id.as_bytes()),
            "rq" => of.reply_to_queue.to_string(),
            "rqm" => of.reply_to_queue_manager.to_string(),
            "seq" => of.message_sequence_number.to_string(),
            "off" => of.offset.to_string(),
            "mf" => format!("{:#x}", of.message_flags.bits()),
            "fmt" => of.format.0.to_string(),
            "ccsid" => of.ccsid.0.to_string(),
            "user" => of.user_identifier.to_string(),
            "appl" => of.put_application_name.to_string(),
            "at" => of.put_application_type.to_string(),
            "date" => format!("{}/{}", of.put_date, of.put_time),
            "ol" => of.original_length.to_string(),
            other => panic!("no field {other}"),
        };
        format!("{field}={value}")
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn reason(result: Result<(), Reason>) -> String {
    result.map_or_else(|reason| reason.number().to_string(), |()| String::new())
}

fn problem(result: Result<(), ObjectError>) -> String {
    match result {
        Ok(()) => String::new(),
        Err(ObjectError::AlreadyExists { .. }) => "already_exists".to_owned(),
        Err(ObjectError::NotFound { .. }) => "not_found".to_owned(),
        Err(ObjectError::WrongType { .. }) => "wrong_type".to_owned(),
        Err(ObjectError::InUse { .. }) => "in_use".to_owned(),
        Err(ObjectError::StillActive { .. }) => "still_active".to_owned(),
        Err(ObjectError::NotEmpty { .. }) => "not_empty".to_owned(),
        Err(ObjectError::NotAuthorized { missing, .. }) => format!("not_authorized:{missing}"),
        Err(ObjectError::Attribute { attribute, .. }) => format!("attribute:{attribute}"),
        Err(ObjectError::TopicStringExists { other, .. }) => format!("topic_string_of:{other}"),
        Err(ObjectError::Missing { .. }) => "missing".to_owned(),
        Err(ObjectError::NotInGroup) => "not_in_group".to_owned(),
        Err(ObjectError::Disposition { .. }) => "disposition".to_owned(),
        Err(ObjectError::Structure { .. }) => "structure".to_owned(),
        Err(ObjectError::Reason(reason)) => reason.number().to_string(),
    }
}
