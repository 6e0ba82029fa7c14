//! The client end of a client channel on a stream of any bytes in any pieces: segments, units, replies, messages. What
//! decodes as a reply is written again in segments of any size, and reads as the same reply.
#![no_main]

use bytes::{Buf, BytesMut};
use channel_protocol::assembly::{Assembler, Limits, Unit};
use channel_protocol::error::DecodeError;
use channel_protocol::flow::initial::Initial;
use channel_protocol::negotiate::accept;
use channel_protocol::output::Output;
use channel_protocol::reply::Reply;
use channel_protocol::segment::Framer;
use libfuzzer_sys::fuzz_target;

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
    let reply = match Reply::decode(unit) {
        Ok(reply) => reply,
        Err(DecodeError::Protocol(error)) => return assert!(error.status().0 != 0),
        Err(DecodeError::Refused(_)) => return,
    };
    if let Reply::Initial(initial) = &reply {
        let _ = accept(&Initial::default(), initial);
    }
    let mut output = Output::new(maximum_segment);
    reply.write(unit.address, unit.control, unit.form, &mut output);
    // Text beyond the partner's character set and places of strings are settled by the first writing.
    let settled = Reply::decode(&again(&mut output, maximum_segment)).expect("what was written decodes");
    let mut output = Output::new(maximum_segment);
    settled.write(unit.address, unit.control, unit.form, &mut output);
    assert_eq!(Reply::decode(&again(&mut output, maximum_segment)), Ok(settled));
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
