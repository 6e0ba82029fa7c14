//! PCF: what decodes, encodes to something that decodes to the same; data conversion of any bytes.
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use model::conversion::convert;
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use model::options::ConversionTarget;
use model::pcf::{Coding, decode};

fuzz_target!(|input: (u16, bool, &[u8])| {
    let (ccsid, little_endian, bytes) = input;
    let ccsid = Ccsid(ccsid.into());
    let (encoding, other) = if little_endian {
        (Encoding::LITTLE_ENDIAN, Encoding::BIG_ENDIAN)
    } else {
        (Encoding::BIG_ENDIAN, Encoding::LITTLE_ENDIAN)
    };
    if let Ok((message, length)) = decode(bytes, encoding, ccsid) {
        assert!(length <= bytes.len());
        let coding = Coding::new(other, Ccsid::UTF_8).expect("UTF-8 is known");
        let again = coding.bytes(&message);
        assert_eq!(decode(&again, other, ccsid), Ok((message, again.len())));
    }
    let descriptor = MessageDescriptor { format: Format::ADMIN, ccsid, encoding, ..Default::default() };
    let target = ConversionTarget { ccsid: Ccsid::UTF_8, encoding: other };
    let _ = convert(&descriptor, &Bytes::copy_from_slice(bytes), target);
});
