//! Structures of C and of the channel: field by field, for addresses and the places of texts differ.
//!
//! Invariants
//! - A field that this end does not know is passed on as the program left it.
//! - Records of distribution lists travel behind the structure that counts them, wherever the program has them.

use bytes::Bytes;
use channel_protocol::structure::char_string::CharString;
use channel_protocol::structure::distribution::ResponseRecord;
use channel_protocol::structure::get_options::GetStructure;
use channel_protocol::structure::object_descriptor::ObjectStructure;
use channel_protocol::structure::put_options::PutStructure;
use channel_protocol::structure::status_structure::StatusStructure;
use channel_protocol::structure::subscription_descriptor::SubscriptionStructure;
use model::options::{GetFlags, MatchOptions, PutFlags};
use model::subscribe::SubscribeFlags;
use model::text::Text;

use crate::structure::{Mqgmo, Mqod, Mqpmo, Mqsd, Mqsts};
use crate::verb::{Records, Variable};

impl Variable {
    fn to_string_structure(&self) -> CharString {
        CharString {
            buffer_size: u32::try_from(self.room).unwrap_or(u32::MAX),
            ccsid: self.ccsid,
            text: Bytes::copy_from_slice(&self.text),
            placed: !self.text.is_empty(),
        }
    }

    fn take_from(&mut self, string: &CharString) {
        self.text = string.text.to_vec();
        self.ccsid = string.ccsid;
    }
}

pub(crate) fn object(od: &Mqod, strings: &[Variable; 3], records: &Records) -> ObjectStructure {
    let mut distribution = [0; 8];
    if od.version >= 2 {
        distribution[0] = od.recs_present;
    }
    let [object, selection, resolved] = strings;
    ObjectStructure {
        version: od.version,
        object_type: od.object_type,
        name: Text::from_bytes(od.object_name),
        queue_manager: Text::from_bytes(od.object_q_mgr_name),
        dynamic_queue: Text::from_bytes(od.dynamic_q_name),
        alternate_user: Text::from_bytes(od.alternate_user_id),
        distribution,
        destinations: records.destinations.clone(),
        responses: records.opened.clone(),
        alternate_security: od.alternate_security_id,
        resolved_queue: Text::from_bytes(od.resolved_q_name),
        resolved_queue_manager: Text::from_bytes(od.resolved_q_mgr_name),
        object_string: object.to_string_structure(),
        selection_string: selection.to_string_structure(),
        resolved_object_string: CharString { text: Bytes::new(), placed: false, ..resolved.to_string_structure() },
        resolved_type: od.resolved_type,
    }
}

/// How the queues of a list were opened, as far as the program wants to know.
pub(crate) fn responses_back(answered: &[ResponseRecord], own: &mut [ResponseRecord]) {
    for (own, answered) in own.iter_mut().zip(answered) {
        *own = *answered;
    }
}

pub(crate) fn object_back(object: &ObjectStructure, od: &mut Mqod, resolved: &mut Variable) {
    od.object_name = *object.name.as_bytes();
    od.object_q_mgr_name = *object.queue_manager.as_bytes();
    if od.version >= 2 {
        [od.known_dest_count, od.unknown_dest_count, od.invalid_dest_count] =
            [object.distribution[1], object.distribution[2], object.distribution[3]];
    }
    if od.version >= 3 {
        od.resolved_q_name = *object.resolved_queue.as_bytes();
        od.resolved_q_mgr_name = *object.resolved_queue_manager.as_bytes();
    }
    if od.version >= 4 {
        od.resolved_type = object.resolved_type;
        resolved.take_from(&object.resolved_object_string);
    }
}

pub(crate) fn put_options(pmo: &Mqpmo, records: &Records) -> PutStructure {
    let mut distribution = [0; 6];
    if pmo.version >= 2 {
        (distribution[0], distribution[1]) = (pmo.recs_present, pmo.put_msg_rec_fields);
    }
    PutStructure {
        version: pmo.version,
        flags: PutFlags::from_bits_retain(pmo.options.cast_unsigned()),
        timeout: pmo.timeout,
        context: pmo.context,
        counts: [pmo.known_dest_count, pmo.unknown_dest_count, pmo.invalid_dest_count],
        resolved_queue: Text::from_bytes(pmo.resolved_q_name),
        resolved_queue_manager: Text::from_bytes(pmo.resolved_q_mgr_name),
        distribution,
        records: records.messages.clone(),
        responses: records.put.clone(),
        // Handles of messages are this end's alone.
        original_handle: [0; 8],
        new_handle: [0; 8],
        action: pmo.action,
        publish_level: pmo.pub_level,
    }
}

pub(crate) fn put_options_back(options: &PutStructure, pmo: &mut Mqpmo, records: &mut Records) {
    responses_back(&options.responses, &mut records.put);
    if options.records.len() == records.messages.len() {
        records.messages.clone_from(&options.records);
    }
    [pmo.known_dest_count, pmo.unknown_dest_count, pmo.invalid_dest_count] = options.counts;
    pmo.resolved_q_name = *options.resolved_queue.as_bytes();
    pmo.resolved_q_mgr_name = *options.resolved_queue_manager.as_bytes();
}

pub(crate) fn get_options(gmo: &Mqgmo) -> GetStructure {
    GetStructure {
        version: gmo.version,
        flags: GetFlags::from_bits_retain(gmo.options.cast_unsigned()),
        wait_interval: gmo.wait_interval,
        signals: [gmo.signal1, gmo.signal2],
        resolved_queue: Text::from_bytes(gmo.resolved_q_name),
        match_options: MatchOptions::from_bits_retain(gmo.match_options.cast_unsigned()),
        group_status: gmo.group_status,
        segment_status: gmo.segment_status,
        segmentation: gmo.segmentation,
        reserved: gmo.reserved1,
        message_token: gmo.msg_token,
        returned_length: gmo.returned_length,
        reserved_2: gmo.reserved2,
        message_handle: [0; 8],
    }
}

pub(crate) fn get_options_back(options: &GetStructure, gmo: &mut Mqgmo) {
    [gmo.signal1, gmo.signal2] = options.signals;
    gmo.resolved_q_name = *options.resolved_queue.as_bytes();
    gmo.group_status = options.group_status;
    gmo.segment_status = options.segment_status;
    gmo.segmentation = options.segmentation;
    gmo.reserved1 = options.reserved;
    gmo.msg_token = options.message_token;
    gmo.returned_length = options.returned_length;
}

pub(crate) fn subscription(sd: &Mqsd, strings: &[Variable; 5]) -> SubscriptionStructure {
    let [object, name, user_data, selection, resolved] = strings;
    SubscriptionStructure {
        flags: SubscribeFlags::from_bits_retain(sd.options.cast_unsigned()),
        topic_object: Text::from_bytes(sd.object_name),
        alternate_user: Text::from_bytes(sd.alternate_user_id),
        alternate_security: sd.alternate_security_id,
        expiry: sd.sub_expiry,
        object_string: object.to_string_structure(),
        name: name.to_string_structure(),
        user_data: user_data.to_string_structure(),
        correlation_id: sd.sub_correl_id,
        priority: sd.pub_priority,
        accounting_token: sd.pub_accounting_token,
        application_identity_data: Text::from_bytes(sd.pub_appl_identity_data),
        selection_string: selection.to_string_structure(),
        level: sd.sub_level,
        resolved_object_string: CharString { text: Bytes::new(), placed: false, ..resolved.to_string_structure() },
    }
}

pub(crate) fn subscription_back(structure: &SubscriptionStructure, sd: &mut Mqsd, strings: &mut [Variable; 5]) {
    sd.options = structure.flags.bits().cast_signed();
    sd.object_name = *structure.topic_object.as_bytes();
    sd.sub_expiry = structure.expiry;
    sd.sub_correl_id = structure.correlation_id;
    sd.pub_priority = structure.priority;
    sd.pub_accounting_token = structure.accounting_token;
    sd.pub_appl_identity_data = *structure.application_identity_data.as_bytes();
    sd.sub_level = structure.level;
    let texts = [
        &structure.object_string,
        &structure.name,
        &structure.user_data,
        &structure.selection_string,
        &structure.resolved_object_string,
    ];
    for (string, text) in strings.iter_mut().zip(texts) {
        string.take_from(text);
    }
}

pub(crate) fn status(sts: &Mqsts) -> StatusStructure {
    StatusStructure { version: sts.version, ..StatusStructure::default() }
}

pub(crate) fn status_back(status: &StatusStructure, sts: &mut Mqsts, strings: &mut [Variable; 2]) {
    sts.comp_code = status.completion;
    sts.reason = status.reason;
    sts.put_success_count = status.put_successes;
    sts.put_warning_count = status.put_warnings;
    sts.put_failure_count = status.put_failures;
    sts.object_type = status.object_type;
    sts.object_name = *status.object.as_bytes();
    sts.object_q_mgr_name = *status.object_queue_manager.as_bytes();
    sts.resolved_object_name = *status.resolved_object.as_bytes();
    sts.resolved_q_mgr_name = *status.resolved_queue_manager.as_bytes();
    if sts.version >= 2 {
        sts.open_options = status.open_options;
        sts.sub_options = status.subscribe_options;
        for (string, text) in strings.iter_mut().zip([&status.object_string, &status.subscription_name]) {
            string.take_from(text);
        }
    }
}
