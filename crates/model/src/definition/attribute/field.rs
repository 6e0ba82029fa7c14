//! How fields of definitions become values and back, and the shorthand that rows are written in.

use crate::definition::attribute::{Seen, Value};
use crate::definition::authentication::{CheckPassword, GroupSearch, SecureCommunication};
use crate::definition::channel::{Compression, DefaultDisposition, Reconnect, Transport};
use crate::definition::communication::MulticastProperties;
use crate::definition::listener::StartControl;
use crate::definition::queue::{
    AliasTarget, Bind, ClusterWorkloadUse, DefinitionType, DeliverySequence, Disposition, ImageRecovery, IndexType,
    PropertyControl, PutResponse, ReadAhead, ServiceIntervalEvent, TriggerType, Usage,
};
use crate::definition::queue_manager::IntraGroupAuthority;
use crate::definition::queue_manager::{Control, Recording, Undelivered};
use crate::definition::structure::{DataSetBlock, Offload, OnLoss};
use crate::definition::subscription::{MadeBy, PublishProperties};
use crate::definition::topic::{Allowed, ClusterRoute, Delivery, Multicast, Scope};
use crate::definition::{Collect, EventSwitch};
use crate::identifier::{AccountingToken, CorrelationId};
use crate::name::ObjectName;
use crate::text::Text;
use crate::timestamp::Timestamp;

/// A field type the table can read and write.
pub(super) trait Field: Sized {
    fn to_value(&self) -> Value;
    fn from_value(value: &Value) -> Option<Self>;
    /// As `to_value`, without a copy where the field holds its text already.
    fn show(&self, see: &mut dyn FnMut(Seen<'_>)) {
        see(self.to_value().seen());
    }
}

impl Field for bool {
    fn to_value(&self) -> Value {
        Value::Integer(i64::from(*self))
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value.number()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

macro_rules! number_fields {
    ($($type:ty),*) => { $(
        impl Field for $type {
            fn to_value(&self) -> Value {
                Value::Integer(i64::from(*self))
            }
            fn from_value(value: &Value) -> Option<Self> {
                Self::try_from(value.number()?).ok()
            }
        }
    )* };
}

number_fields!(u8, u32, i32);

/// Numbers that may be left open: -1 is NOLIMIT, UNLIMITED, DEFAULT.
impl Field for Option<u32> {
    fn to_value(&self) -> Value {
        Value::Integer(self.map_or(-1, i64::from))
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value.number()? {
            -1 => Some(None),
            number => u32::try_from(number).ok().map(Some),
        }
    }
}

impl Field for String {
    fn to_value(&self) -> Value {
        Value::Text(self.clone())
    }
    fn from_value(value: &Value) -> Option<Self> {
        value.text().map(str::to_owned)
    }
    fn show(&self, see: &mut dyn FnMut(Seen<'_>)) {
        see(Seen::Text(self));
    }
}

impl Field for ObjectName {
    fn to_value(&self) -> Value {
        Value::from(self.as_str())
    }
    fn from_value(value: &Value) -> Option<Self> {
        Self::parse(value.text()?).ok()
    }
    fn show(&self, see: &mut dyn FnMut(Seen<'_>)) {
        see(Seen::Text(self.as_str()));
    }
}

impl Field for Vec<String> {
    fn to_value(&self) -> Value {
        Value::List(self.clone())
    }
    fn from_value(value: &Value) -> Option<Self> {
        value.list().map(<[String]>::to_vec)
    }
    fn show(&self, see: &mut dyn FnMut(Seen<'_>)) {
        see(Seen::List(self));
    }
}

impl Field for Vec<ObjectName> {
    fn to_value(&self) -> Value {
        Value::List(self.iter().map(ObjectName::to_string).collect())
    }
    fn from_value(value: &Value) -> Option<Self> {
        value.list()?.iter().map(|name| ObjectName::parse(name).ok()).collect()
    }
}

impl Field for Vec<Compression> {
    fn to_value(&self) -> Value {
        Value::Numbers(self.iter().filter_map(|compression| compression.to_value().number()).collect())
    }
    fn from_value(value: &Value) -> Option<Self> {
        value.numbers()?.iter().map(|number| Compression::from_value(&Value::Integer(*number))).collect()
    }
}

impl<const N: usize> Field for Text<N> {
    fn to_value(&self) -> Value {
        Value::Text(self.to_text().into_owned())
    }
    fn from_value(value: &Value) -> Option<Self> {
        Some(Self::new(value.text()?))
    }
    fn show(&self, see: &mut dyn FnMut(Seen<'_>)) {
        see(Seen::Text(&self.to_text()));
    }
}

macro_rules! identifier_fields {
    ($($type:ty),*) => { $(
        impl Field for $type {
            fn to_value(&self) -> Value {
                Value::Text(self.to_string().to_ascii_uppercase())
            }
            fn from_value(value: &Value) -> Option<Self> {
                Self::from_hex(value.text()?)
            }
        }
    )* };
}

identifier_fields!(CorrelationId, AccountingToken);

/// Enums with their published numbers.
macro_rules! coded {
    ($($type:ident { $($variant:ident = $code:literal),* $(,)? })*) => { $(
        impl Field for $type {
            fn to_value(&self) -> Value {
                Value::Integer(match self { $(Self::$variant => $code,)* })
            }
            fn from_value(value: &Value) -> Option<Self> {
                match value.number()? { $($code => Some(Self::$variant),)* _ => None }
            }
        }
    )* };
}

coded! {
    Collect { QueueManager = -3, None = -1, Off = 0, On = 1, Low = 17, Medium = 33, High = 65 }
    EventSwitch { Disabled = 0, Enabled = 1, Exception = 2 }
    DeliverySequence { Priority = 0, Fifo = 1 }
    Usage { Normal = 0, Transmission = 1 }
    DefinitionType { Predefined = 1, PermanentDynamic = 2, TemporaryDynamic = 3, SharedDynamic = 4 }
    PutResponse { Synchronous = 1, Asynchronous = 2 }
    Bind { OnOpen = 0, NotFixed = 1, Group = 2 }
    PropertyControl { Compatibility = 0, None = 1, All = 2, ForceRfh2 = 3, Version6Compatible = 4 }
    ReadAhead { No = 0, Yes = 1, Disabled = 2 }
    AliasTarget { Queue = 1, Topic = 8 }
    ServiceIntervalEvent { None = 0, High = 1, Ok = 2 }
    ClusterWorkloadUse { QueueManager = -3, Any = 1, Local = 0 }
    ImageRecovery { QueueManager = 2, Yes = 1, No = 0 }
    TriggerType { None = 0, First = 1, Every = 2, Depth = 3 }
    Recording { Disabled = 0, Queue = 1, Message = 2 }
    Control { QueueManager = 0, Manual = 2 }
    Undelivered { Normal = 0, Safe = 1, Discard = 2, Keep = 3 }
    Allowed { AsParent = 0, Disabled = 1, Enabled = 2 }
    Delivery { AsParent = 0, All = 1, AllDurable = 2, AllAvailable = 3 }
    Scope { All = 0, AsParent = 1, QueueManager = 4 }
    Multicast { AsParent = 0, Enabled = 1, Disabled = 2, Only = 3 }
    ClusterRoute { Direct = 0, TopicHost = 1, None = 2 }
    MadeBy { Api = 1, Administrator = 2, Proxy = 3 }
    Transport { Tcp = 2, Lu62 = 1, Netbios = 3, Spx = 4 }
    Compression {
        None = 0, RunLength = 1, ZlibFast = 2, ZlibHigh = 4, System = 8, Lz4Fast = 16, Lz4High = 32, Any = 268_435_455,
    }
    DefaultDisposition { Private = 4, Shared = 2, FixedShared = 5 }
    Reconnect { No = 0, Yes = 1, QueueManager = 2, Disabled = 3 }
    StartControl { QueueManager = 0, StartOnly = 1, Manual = 2 }
    CheckPassword { Optional = 0, None = 1, RequiredOfAdministrators = 2, Required = 3 }
    SecureCommunication { No = 0, Yes = 1, Anonymous = 2 }
    GroupSearch { OperatingSystem = 0, Group = 1, User = 2, GroupShortName = 3 }
    MulticastProperties { All = -1, Compatible = -2, None = 0, User = 1, Reply = 2 }
    Disposition { QueueManager = 0, Copy = 1, Shared = 2, Group = 3 }
    IndexType { None = 0, MessageId = 1, CorrelId = 2, MessageToken = 4, GroupId = 5 }
    OnLoss { Terminate = 0, Tolerate = 1, AsQueueManager = 2 }
    IntraGroupAuthority { Default = 1, Context = 2, OnlyAgent = 3, AlternateOrAgent = 4 }
    Offload { None = 0, Smds = 1, Db2 = 2 }
    DataSetBlock { K8 = 1, K16 = 2, K32 = 3, K64 = 4, K128 = 5, K256 = 6, K512 = 7, M1 = 8 }
    PublishProperties { None = 0, Compatible = 1, Rfh2 = 2, MessageProperty = 3 }
}

/// `see` of a row that has only `read`.
macro_rules! see_through {
    ($read:expr) => {
        |view, see| {
            let read: fn(crate::definition::attribute::View<'_>) -> Option<Value> = $read;
            if let Some(value) = read(view) {
                see(value.seen());
            }
        }
    };
}

/// One settable row whose field converts by itself:
/// `row!(MAXDEPTH = 15, "storage.maximumDepth", LOCAL_AND_MODEL, integer(..), local.maximum_depth, "help")`.
/// `-` stands for a JSON name REST v1 does not have; a field in brackets is a switch with two published numbers.
macro_rules! row {
    ($mqsc:ident = $pcf:expr, -, $($rest:tt)*) => { row!(@ $mqsc, $pcf, None, $($rest)*) };
    ($mqsc:ident = $pcf:expr, $json:literal, $($rest:tt)*) => { row!(@ $mqsc, $pcf, Some($json), $($rest)*) };
    (@ $mqsc:ident, $pcf:expr, $json:expr, $kinds:expr, $value:expr,
     [$part:ident . $($field:ident).+ = $off:literal | $on:literal], $help:literal) => {
        Attribute {
            mqsc: stringify!($mqsc), synonyms: &[], pcf: Some($pcf), json: $json, applies_to: $kinds, value: $value,
            access: Access::Settable, membership: crate::definition::attribute::Membership::Alone,
            read: |view| Some(Value::Integer(if view.$part()?.$($field).+ { $on } else { $off })),
            write: |target, value| {
                target.$part()?.$($field).+ = match value.number()? {
                    $on => true,
                    $off => false,
                    _ => return None,
                };
                Some(())
            },
            see: |view, see| {
                if let Some(part) = view.$part() {
                    see(crate::definition::attribute::Seen::Integer(if part.$($field).+ { $on } else { $off }));
                }
            },
            moment: None,
            help: $help,
        }
    };
    (@ $mqsc:ident, $pcf:expr, $json:expr, $kinds:expr, $value:expr, $part:ident . $($field:ident).+, $help:literal) => {
        Attribute {
            mqsc: stringify!($mqsc), synonyms: &[], pcf: Some($pcf), json: $json, applies_to: $kinds, value: $value,
            access: Access::Settable, membership: crate::definition::attribute::Membership::Alone,
            read: |view| Some(view.$part()?.$($field).+.to_value()),
            write: |target, value| {
                target.$part()?.$($field).+ = Field::from_value(value)?;
                Some(())
            },
            see: |view, see| {
                if let Some(part) = view.$part() {
                    part.$($field).+.show(see);
                }
            },
            moment: None,
            help: $help,
        }
    };
    // Both ways spelled out.
    (@ $mqsc:ident, $pcf:expr, $json:expr, $kinds:expr, $value:expr, $read:expr, $write:expr, $help:literal) => {
        Attribute {
            mqsc: stringify!($mqsc), synonyms: &[], pcf: Some($pcf), json: $json, applies_to: $kinds, value: $value,
            access: Access::Settable, membership: crate::definition::attribute::Membership::Alone, read: $read, write: $write, see: see_through!($read), moment: None, help: $help,
        }
    };
}

/// One row that only DISPLAY knows.
macro_rules! shown {
    ($mqsc:ident = $pcf:expr, -, $($rest:tt)*) => { shown!(@ $mqsc, $pcf, None, $($rest)*) };
    ($mqsc:ident = $pcf:expr, $json:literal, $($rest:tt)*) => { shown!(@ $mqsc, $pcf, Some($json), $($rest)*) };
    (@ $mqsc:ident, $pcf:expr, $json:expr, $kinds:expr, $value:expr, $read:expr, $help:literal) => {
        Attribute {
            mqsc: stringify!($mqsc), synonyms: &[], pcf: $pcf, json: $json, applies_to: $kinds, value: $value,
            access: Access::ReadOnly, membership: crate::definition::attribute::Membership::Alone, read: $read, write: |_, _| None,
            see: see_through!($read), moment: None, help: $help,
        }
    };
}

/// `attribute` under another access or with synonyms.
impl super::Attribute {
    pub(super) const fn fixed(mut self) -> Self {
        self.access = super::Access::Fixed;
        self
    }

    pub(super) const fn also(mut self, synonyms: &'static [&'static str]) -> Self {
        self.synonyms = synonyms;
        self
    }

    /// Only members of a queue-sharing group have it.
    pub(super) const fn of_members(mut self) -> Self {
        self.membership = super::Membership::Member;
        self
    }

    /// The moment of which a date or time row shows a part.
    pub(super) const fn of_moment(mut self, moment: super::MomentOf) -> Self {
        self.moment = Some(moment);
        self
    }

    /// What `read` reads, without a copy.
    pub(super) const fn seen_by(mut self, see: super::See) -> Self {
        self.see = see;
        self
    }
}

/// `YYYY-MM-DD` in UTC; blank for the beginning of time, which stands for "never".
pub fn date_text(moment: Timestamp) -> String {
    if moment == Timestamp::default() {
        return String::new();
    }
    let date = moment.date_time();
    format!("{:04}-{:02}-{:02}", date.year(), u8::from(date.month()), date.day())
}

/// `HH.MM.SS` in UTC; blank for the beginning of time.
pub fn time_text(moment: Timestamp) -> String {
    if moment == Timestamp::default() {
        return String::new();
    }
    let time = moment.date_time();
    format!("{:02}.{:02}.{:02}", time.hour(), time.minute(), time.second())
}
