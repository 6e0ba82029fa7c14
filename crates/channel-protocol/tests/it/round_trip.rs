//! What one end writes the other reads: every flow, both byte orders, ASCII and EBCDIC, any cut of the stream.

use bytes::{Buf, BytesMut};
use channel_protocol::assembly::{Assembler, Limits, Unit};
use channel_protocol::form::Form;
use channel_protocol::output::Output;
use channel_protocol::reply::Reply;
use channel_protocol::request::Request;
use channel_protocol::segment::{Address, ControlFlags, Framer, SegmentType};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::generate;

const LIMITS: Limits = Limits { unit: 1 << 20, open: 4, buffered: 1 << 20 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_server_end_decodes_every_request_as_it_was_written(
        request in generate::request(),
        form in generate::form(),
        address in generate::address(),
        maximum in 1024..40_000_usize,
        cuts in prop::collection::vec(1..3000_usize, 0..40),
    ) {
        let mut output = Output::new(maximum);
        request.write(address, ControlFlags::empty(), form, &mut output);
        let unit = one_unit(&mut output, maximum, &cuts)?;
        check_envelope(&unit, address, form, request.segment_type())?;
        prop_assert_eq!(Request::decode(&unit).map_err(|error| fail(&error))?, request);
    }

    #[test]
    fn the_client_end_decodes_every_reply_as_it_was_written(
        reply in generate::reply(),
        form in generate::form(),
        address in generate::address(),
        maximum in 1024..40_000_usize,
        cuts in prop::collection::vec(1..3000_usize, 0..40),
    ) {
        let mut output = Output::new(maximum);
        reply.write(address, ControlFlags::empty(), form, &mut output);
        let unit = one_unit(&mut output, maximum, &cuts)?;
        check_envelope(&unit, address, form, reply.segment_type())?;
        prop_assert_eq!(Reply::decode(&unit).map_err(|error| fail(&error))?, reply);
    }
}

fn fail(error: &dyn std::fmt::Display) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

fn check_envelope(unit: &Unit, address: Address, form: Form, segment_type: SegmentType) -> Result<(), TestCaseError> {
    prop_assert_eq!(unit.address, address);
    prop_assert_eq!(unit.form, form);
    prop_assert_eq!(unit.segment_type, segment_type);
    prop_assert_eq!(unit.control, ControlFlags::FIRST | ControlFlags::LAST);
    Ok(())
}

/// Reads all of `output` through a framer in pieces of the lengths of `cuts`, then what is left.
fn one_unit(output: &mut Output, maximum: usize, cuts: &[usize]) -> Result<Unit, TestCaseError> {
    let mut bytes = output.copy_to_bytes(output.remaining());
    let framer = Framer::new(maximum);
    let mut assembler = Assembler::new(LIMITS);
    let mut buffer = BytesMut::new();
    let mut units = Vec::new();
    let rest = bytes.len();
    for &cut in cuts.iter().chain(std::iter::once(&rest)) {
        buffer.extend_from_slice(&bytes.split_to(cut.min(bytes.len())));
        while let Some(segment) = framer.next(&mut buffer).map_err(|error| fail(&error))? {
            units.extend(assembler.push(segment).map_err(|error| fail(&error))?);
        }
    }
    prop_assert!(buffer.is_empty());
    prop_assert_eq!(units.len(), 1);
    Ok(units.remove(0))
}
