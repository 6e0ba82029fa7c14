//! Both directions of every capture: decoded, encoded again, compared byte for byte.

use bytes::Buf;
use channel_protocol::assembly::Unit;
use channel_protocol::flow::xa::{XaRequest, XaVerb};
use channel_protocol::output::Output;
use channel_protocol::reply::Reply;
use channel_protocol::request::{Request, Verb};
use channel_protocol::segment::{ControlFlags, SegmentType};

use crate::capture;

#[test]
fn every_request_of_the_java_client_decodes_and_encodes_to_the_same_bytes() {
    let mut count = 0;
    for capture in capture::all("c2s") {
        for (index, (unit, raw)) in capture::units(&capture).into_iter().enumerate() {
            let place = format!("{} unit {index} {:?}", capture.name, unit.segment_type);
            let request = Request::decode(&unit).unwrap_or_else(|error| panic!("{place}: {error}"));
            let written = written(&unit, |output| {
                request.write(unit.address, control(&unit), unit.form, output);
            });
            compare(&place, &without_junk(&unit, &request, &raw), &without_junk(&unit, &request, &written));
            count += 1;
        }
    }
    assert_eq!(count, 630, "units of all captures together");
}

#[test]
fn every_answer_the_java_client_accepted_decodes_and_encodes_to_the_same_bytes() {
    for capture in capture::all("s2c") {
        for (index, (unit, raw)) in capture::units(&capture).into_iter().enumerate() {
            let place = format!("{} unit {index} {:?}", capture.name, unit.segment_type);
            let reply = Reply::decode(&unit).unwrap_or_else(|error| panic!("{place}: {error}"));
            let written = written(&unit, |output| reply.write(unit.address, control(&unit), unit.form, output));
            compare(&place, &without_blemish(&unit, &reply, &raw), &without_blemish(&unit, &reply, &written));
        }
    }
}

fn control(unit: &Unit) -> ControlFlags {
    unit.control - (ControlFlags::FIRST | ControlFlags::LAST)
}

fn written(unit: &Unit, write: impl FnOnce(&mut Output)) -> Vec<u8> {
    let mut output = Output::new(32_748);
    write(&mut output);
    assert!(output.has_remaining(), "{:?} wrote something", unit.segment_type);
    output.copy_to_bytes(output.remaining()).to_vec()
}

/// Blanks what is not ours to reproduce.
fn blank(raw: &[u8], from: usize, to: usize) -> Vec<u8> {
    let mut raw = raw.to_vec();
    let length = raw.len();
    raw[from.min(length)..to.min(length)].fill(0);
    raw
}

/// What of a request of the Java client is junk: bytes left over from earlier calls.
fn without_junk(unit: &Unit, request: &Request, raw: &[u8]) -> Vec<u8> {
    let body = unit.address.header_length();
    match request {
        Request::Call(call) => match &call.verb {
            // Names of a descriptor that only selects: NULs for blanks.
            Verb::Get(_) => blank(raw, body + 16 + 100, body + 16 + 196),
            // A consumer's close carries the completion code of an earlier call.
            Verb::Close(_) => blank(raw, body + 4, body + 8),
            // Up to three bytes behind the data.
            Verb::Put(_) | Verb::Put1(_) => blank(raw, call.reply_length as usize, raw.len()),
            _ => raw.to_vec(),
        },
        // All behind the name, and the length of the segment with it.
        Request::Xa(XaRequest { verb: XaVerb::Open(name) | XaVerb::Close(name), .. }) => {
            blank(raw, 4, 8)[..body + 17 + name.len()].to_vec()
        }
        _ => raw.to_vec(),
    }
}

/// What of the prototype's answers is not as ours.
fn without_blemish(unit: &Unit, reply: &Reply, raw: &[u8]) -> Vec<u8> {
    let body = unit.address.header_length();
    match reply {
        // The request's descriptor again, with its junk.
        Reply::Answer(answer) if answer.segment_type == SegmentType::GetReply && answer.ending.is_failed() => {
            blank(raw, body + 16 + 100, body + 16 + 196)
        }
        // Its length left out the count.
        Reply::Xa(xa) if xa.segment_type == SegmentType::XaRecoverReply => blank(raw, body, body + 4),
        // It did not pad messages.
        Reply::Answer(answer) if answer.segment_type == SegmentType::GetReply => padded(raw),
        Reply::Message(_) => padded(raw),
        _ => raw.to_vec(),
    }
}

/// With its last segment at a multiple of four, where it was one segment.
fn padded(raw: &[u8]) -> Vec<u8> {
    let mut raw = raw.to_vec();
    raw.resize(raw.len().next_multiple_of(4), 0);
    blank(&raw, 4, 8)
}

fn compare(place: &str, raw: &[u8], written: &[u8]) {
    let differing: Vec<String> = (0..raw.len().max(written.len()))
        .filter(|&at| raw.get(at) != written.get(at))
        .take(12)
        .map(|at| format!("{at}: {:02x?} -> {:02x?}", raw.get(at), written.get(at)))
        .collect();
    assert!(differing.is_empty(), "{place}: {} -> {} bytes; {}", raw.len(), written.len(), differing.join(", "));
}
