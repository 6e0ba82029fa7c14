//! MQOD, versions 1 to 4.
//!
//! ```text
//!   0 StrucId "OD  "        4      168 RecsPresent         4     336 ObjectString     20
//!   4 Version               4      172 KnownDestCount      4     356 SelectionString  20
//!   8 ObjectType            4      176 UnknownDestCount    4     376 ResObjectString  20
//!  12 ObjectName           48      180 InvalidDestCount    4     396 ResolvedType      4
//!  60 ObjectQMgrName       48      184 ObjectRecOffset     4     400 version 4, then the texts
//! 108 DynamicQName         48      188 ResponseRecOffset   4
//! 156 AlternateUserId      12      192 two pointers        8
//! 168 version 1                    200 version 2
//!                                  200 AlternateSecurityId 40
//!                                  240 ResolvedQName       48
//!                                  288 ResolvedQMgrName    48
//!                                  336 version 3
//! ```
//!
//! Records of a distribution list follow (`distribution`). Source: reference, section 8 (C for versions 1, 2 and 4).

use model::name::ObjectName;
use model::options::{ObjectDescriptor, ObjectKind};
use model::reason::Reason;
use model::text::Text;

use crate::cursor::{Reader, Writer};
use crate::error::{DecodeError, ProtocolError};
use crate::form::Form;
use crate::structure::char_string::{self, CharString};
use crate::structure::distribution::{self, ObjectRecord, ResponseRecord};

/// MQOT_*.
pub mod object_type {
    pub const QUEUE: i32 = 1;
    pub const NAME_LIST: i32 = 2;
    pub const PROCESS: i32 = 3;
    pub const QUEUE_MANAGER: i32 = 5;
    pub const TOPIC: i32 = 8;
}

/// Fields beyond `version` are not sent and stay as the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectStructure {
    /// 1 to 4.
    pub version: i32,
    pub object_type: i32,
    pub name: Text<48>,
    pub queue_manager: Text<48>,
    pub dynamic_queue: Text<48>,
    pub alternate_user: Text<12>,
    /// Counts, offsets and pointers of a distribution list, in order.
    pub distribution: [i32; 8],
    /// The queues of a distribution list.
    pub destinations: Vec<ObjectRecord>,
    pub responses: Vec<ResponseRecord>,
    pub alternate_security: [u8; 40],
    pub resolved_queue: Text<48>,
    pub resolved_queue_manager: Text<48>,
    pub object_string: CharString,
    pub selection_string: CharString,
    pub resolved_object_string: CharString,
    pub resolved_type: i32,
}

impl Default for ObjectStructure {
    /// MQOD_DEFAULT, version 1.
    fn default() -> Self {
        Self {
            version: 1,
            object_type: object_type::QUEUE,
            name: Text::BLANK,
            queue_manager: Text::BLANK,
            dynamic_queue: Text::new("AMQ.*"),
            alternate_user: Text::BLANK,
            distribution: [0; 8],
            destinations: Vec::new(),
            responses: Vec::new(),
            alternate_security: [0; 40],
            resolved_queue: Text::BLANK,
            resolved_queue_manager: Text::BLANK,
            object_string: CharString::default(),
            selection_string: CharString::default(),
            resolved_object_string: CharString::default(),
            resolved_type: 0,
        }
    }
}

const LENGTHS: [usize; 4] = [168, 200, 336, 400];

impl ObjectStructure {
    /// Of the structure without its texts.
    pub fn length(&self) -> usize {
        let index = usize::try_from(self.version.clamp(1, 4) - 1).unwrap_or(0);
        LENGTHS[index]
    }

    /// # Errors
    /// Too short, or a text outside the body; refused with 2044 for another identifier or version.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.enter("MQOD");
        let base = reader.offset();
        if reader.peek_identifier()? != *b"OD  " {
            return Err(DecodeError::Refused(Reason::OdError));
        }
        reader.take(4)?;
        let version = reader.integer()?;
        if !(1..=4).contains(&version) {
            return Err(DecodeError::Refused(Reason::OdError));
        }
        let mut object = Self {
            version,
            object_type: reader.integer()?,
            name: reader.text()?,
            queue_manager: reader.text()?,
            dynamic_queue: reader.text()?,
            alternate_user: reader.text()?,
            ..Self::default()
        };
        object.decode_later_versions(base, reader)?;
        Ok(object)
    }

    fn decode_later_versions(&mut self, base: usize, reader: &mut Reader<'_>) -> Result<(), ProtocolError> {
        if self.version >= 2 {
            for field in &mut self.distribution {
                *field = reader.integer()?;
            }
        }
        if self.version >= 3 {
            self.alternate_security = reader.array()?;
            self.resolved_queue = reader.text()?;
            self.resolved_queue_manager = reader.text()?;
        }
        if self.version >= 4 {
            let mut strings = char_string::Decoding::new(base);
            self.object_string = strings.read(reader)?;
            self.selection_string = strings.read(reader)?;
            self.resolved_object_string = strings.read(reader)?;
            self.resolved_type = reader.integer()?;
            strings.finish(reader);
        }
        if self.distribution[0] > 0 {
            (self.destinations, self.responses) = distribution::decode_of_object(base, &self.distribution, reader)?;
            // Where they are is a matter of the bytes.
            [self.distribution[4], self.distribution[5]] = [0; 2];
        }
        Ok(())
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        let base = writer.offset();
        writer.text(b"OD  ");
        writer.integer(self.version);
        writer.integer(self.object_type);
        writer.text(self.name.as_bytes());
        writer.text(self.queue_manager.as_bytes());
        writer.text(self.dynamic_queue.as_bytes());
        writer.text(self.alternate_user.as_bytes());
        if self.version >= 2 {
            writer.integers(&self.distribution);
        }
        if self.version >= 3 {
            writer.bytes(&self.alternate_security);
            writer.text(self.resolved_queue.as_bytes());
            writer.text(self.resolved_queue_manager.as_bytes());
        }
        if self.version >= 4 {
            let strings = [&self.object_string, &self.selection_string, &self.resolved_object_string];
            let mut running = self.length();
            for string in strings {
                char_string::encode(string, &mut running, writer);
            }
            writer.integer(self.resolved_type);
            char_string::encode_texts(&strings, base, writer);
        }
        if self.version >= 2 && self.distribution[0] > 0 {
            distribution::encode_of_object(base, &self.destinations, &self.responses, writer);
        }
    }

    /// The same for a reply: strings come back as zeros, never as a length without text.
    #[must_use]
    pub fn without_strings(mut self) -> Self {
        self.object_string = CharString::default();
        self.selection_string = CharString::default();
        self.resolved_object_string = CharString::default();
        self
    }

    /// What it names, for the engine.
    ///
    /// # Errors
    /// Refused: 2043 object type, 2085 a queue name no object can have, 2086 the same of a queue manager, 2441 or 2519 a
    /// string that cannot be decoded.
    pub fn to_model(&self, form: Form) -> Result<ObjectDescriptor, Reason> {
        let object = match self.object_type {
            object_type::QUEUE => ObjectKind::Queue,
            object_type::NAME_LIST => ObjectKind::NameList,
            object_type::PROCESS => ObjectKind::Process,
            object_type::QUEUE_MANAGER => ObjectKind::QueueManager,
            object_type::TOPIC => ObjectKind::Topic,
            _ => return Err(Reason::ObjectTypeError),
        };
        Ok(ObjectDescriptor {
            object,
            name: object_name(&self.name).ok_or(Reason::UnknownObjectName)?,
            queue_manager: object_name(&self.queue_manager).ok_or(Reason::UnknownObjectQMgr)?,
            dynamic_queue: self.dynamic_queue.to_text().into_owned(),
            topic_string: self.object_string.to_text(form).ok_or(Reason::ObjectStringError)?,
            selector: self.selection_string.to_text(form).ok_or(Reason::SelectionStringError)?,
            alternate_user: self.alternate_user.to_text().into_owned(),
        })
    }

    /// The smallest version that holds it: 4 with strings, else 1.
    pub fn from_model(object: &ObjectDescriptor) -> Self {
        let version = if object.topic_string.is_empty() && object.selector.is_empty() { 1 } else { 4 };
        Self {
            version,
            object_type: match object.object {
                ObjectKind::Queue => object_type::QUEUE,
                ObjectKind::NameList => object_type::NAME_LIST,
                ObjectKind::Process => object_type::PROCESS,
                ObjectKind::QueueManager => object_type::QUEUE_MANAGER,
                ObjectKind::Topic => object_type::TOPIC,
            },
            name: Text::from_bytes(object.name.padded()),
            queue_manager: Text::from_bytes(object.queue_manager.padded()),
            dynamic_queue: Text::new(if object.dynamic_queue.is_empty() { "AMQ.*" } else { &object.dynamic_queue }),
            alternate_user: Text::new(&object.alternate_user),
            object_string: CharString::utf_8(&object.topic_string),
            selection_string: CharString::utf_8(&object.selector),
            ..Self::default()
        }
    }
}

/// A name from a character field; `None` when no object can have it.
pub fn object_name(field: &Text<48>) -> Option<ObjectName> {
    std::str::from_utf8(field.trimmed()).ok().and_then(|name| ObjectName::parse(name).ok())
}
