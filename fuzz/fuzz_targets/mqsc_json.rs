//! Any bytes are read as a command in JSON without a panic, and prepared if they are one.

#![no_main]

use command::json::Request;
use model::definition::attribute::Membership;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    if let Ok(request) = Request::read(body) {
        let _ = request.prepare(Membership::Alone);
        let _ = request.prepare(Membership::Member);
    }
});
