//! MQRFH2: what decodes, encodes to something that decodes to the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use model::descriptor::Encoding;
use model::header::rfh2::Rfh2;

fuzz_target!(|bytes: &[u8]| {
    for encoding in [Encoding::BIG_ENDIAN, Encoding::LITTLE_ENDIAN] {
        let Ok((header, length)) = Rfh2::decode(bytes, encoding) else { continue };
        assert!(length <= bytes.len());
        let mut out = Vec::new();
        let length = header.encode(encoding, &mut out);
        assert_eq!(Rfh2::decode(&out, encoding), Ok((header, length)));
    }
});
