//! From a reply to messages: one an object, numbered, the last one marked.

use model::definition::attribute::Shown;
use model::pcf::{Header, Message, MessageKind, Parameter};

use crate::pcf::Answer;
use crate::pcf::meaning::Vocabulary;
use crate::reply::{Item, Reply};

const MQCC_OK: i32 = 0;
const MQCC_FAILED: i32 = 2;

/// Messages of type MQCFT_RESPONSE, numbered from 1.
pub(super) fn numbered(command: i32, answers: Vec<Answer>) -> Vec<Message> {
    let last = answers.len();
    answers
        .into_iter()
        .enumerate()
        .map(|(index, answer)| Message {
            header: Header {
                kind: MessageKind::RESPONSE,
                version: 1,
                command,
                sequence: i32::try_from(index + 1).unwrap_or(i32::MAX),
                is_last: index + 1 == last,
                completion: if answer.reason == 0 { MQCC_OK } else { MQCC_FAILED },
                reason: answer.reason,
            },
            parameters: answer.parameters,
        })
        .collect()
}

/// MQCACF_RESPONSE_Q_MGR_NAME.
const RESPONSE_QUEUE_MANAGER: i32 = 3070;

/// What became of a change: its reason alone, as one message from each queue manager.
pub(super) fn outcome(reply: &Reply) -> Vec<Answer> {
    let of_member = |items: &[Item]| {
        let failed = items.iter().find(|item| item.reason != 0);
        let parameters = items.first().and_then(member).into_iter().collect();
        Answer { reason: failed.map_or(0, |item| item.reason), parameters }
    };
    reply.items.chunk_by(|one, next| one.member == next.member).map(of_member).collect()
}

/// Which queue manager says it, where several are asked.
pub(super) fn member(item: &Item) -> Option<Parameter> {
    item.member.as_ref().map(|name| Parameter::text(RESPONSE_QUEUE_MANAGER, name.clone()))
}

/// One message an object, or the reason why there is none.
pub(super) fn shown(reply: &Reply, vocabulary: &Vocabulary) -> Vec<Answer> {
    reply.items.iter().map(|item| answer(item, vocabulary)).collect()
}

pub(super) fn answer(item: &Item, vocabulary: &Vocabulary) -> Answer {
    let mut parameters = parameters(&item.attributes, vocabulary);
    parameters.extend(member(item));
    Answer { reason: item.reason, parameters }
}

pub(super) fn parameters(attributes: &[Shown], vocabulary: &Vocabulary) -> Vec<Parameter> {
    attributes.iter().filter_map(|shown| vocabulary.by_keyword(shown.keyword)?.parameter(&shown.value)).collect()
}
