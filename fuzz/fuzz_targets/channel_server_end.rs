//! The server end of a client channel on a stream of any bytes in any pieces: segments, units, requests. What decodes as
//! a request is written again in segments of any size, and reads as the same request; every call can be refused.
#![no_main]

use bytes::{Buf, BytesMut};
use channel_protocol::assembly::{Assembler, Limits, Unit};
use channel_protocol::error::DecodeError;
use channel_protocol::negotiate::{ServerOffer, answer};
use channel_protocol::output::Output;
use channel_protocol::reply::{Answer, Reply};
use channel_protocol::request::Request;
use channel_protocol::segment::{ControlFlags, Framer};
use libfuzzer_sys::fuzz_target;
use model::reason::Reason;
use model::text::Text;

const LIMITS: Limits = Limits { unit: 1 << 18, open: 3, buffered: 1 << 19 };

fuzz_target!(|input: (u8, u16, &[u8])| {
    let (cut, size, stream) = input;
    let maximum_segment = 1024 + usize::from(size);
    let framer = Framer::new(1 << 17);
    let mut assembler = Assembler::new(LIMITS);
    let mut buffer = BytesMut::new();
    for piece in stream.chunks(usize::from(cut).max(1)) {
        buffer.extend_from_slice(piece);
        loop {
            let segment = match framer.next(&mut buffer) {
                Ok(Some(segment)) => segment,
                Ok(None) => break,
                Err(error) => return assert!(error.status().0 != 0),
            };
            match assembler.push(segment) {
                Ok(Some(unit)) => check(&unit, maximum_segment),
                Ok(None) => {}
                Err(error) => return assert!(error.status().0 != 0),
            }
        }
    }
});

fn check(unit: &Unit, maximum_segment: usize) {
    let request = match Request::decode(unit) {
        Ok(request) => request,
        Err(DecodeError::Protocol(error)) => return assert!(error.status().0 != 0),
        Err(DecodeError::Refused(reason)) => return refuse(unit, Answer::refused(unit.segment_type, reason)),
    };
    if let Request::Initial(initial) = &request {
        let _ = answer(initial, &offer());
    }
    let mut output = Output::new(maximum_segment);
    request.write(unit.address, unit.control, unit.form, &mut output);
    let first = again(&mut output, maximum_segment);
    // Text beyond the partner's character set and places of strings are settled by the first writing.
    let settled = Request::decode(&first).expect("what was written decodes");
    let mut output = Output::new(maximum_segment);
    settled.write(unit.address, unit.control, unit.form, &mut output);
    let second = again(&mut output, maximum_segment);
    assert_eq!(Request::decode(&second).as_ref(), Ok(&settled));
    if let Request::Call(call) = settled {
        refuse(unit, call.refused(Reason::NotAuthorized));
    }
}

fn refuse(unit: &Unit, answer: Answer) {
    let (segment_type, ending) = (answer.segment_type, answer.ending);
    let mut output = Output::new(1 << 17);
    Reply::Answer(answer).write(unit.address, ControlFlags::empty(), unit.form, &mut output);
    match Reply::decode(&again(&mut output, 1 << 17)) {
        Ok(Reply::Answer(read)) => assert_eq!((read.segment_type, read.ending), (segment_type, ending)),
        other => panic!("{other:?}"),
    }
}

fn again(output: &mut Output, maximum_segment: usize) -> Unit {
    let mut bytes = BytesMut::from(&output.copy_to_bytes(output.remaining())[..]);
    let framer = Framer::new(maximum_segment);
    let limits = Limits { unit: 1 << 20, open: 1, buffered: 1 << 20 };
    let mut assembler = Assembler::new(limits);
    while let Some(segment) = framer.next(&mut bytes).expect("own segments") {
        if let Some(unit) = assembler.push(segment).expect("own segments are in order") {
            assert!(bytes.is_empty());
            return unit;
        }
    }
    panic!("no whole unit");
}

fn offer() -> ServerOffer {
    ServerOffer {
        protected: false,
        maximum_transmission: 32_766,
        maximum_message: 4_194_304,
        heartbeat_interval: 300,
        conversations: 10,
        queue_manager: Text::new("QM1"),
        queue_manager_identifier: Text::new("QM1"),
        product: Text::new("MQMM09040200"),
        nonce: [0; 12],
    }
}
