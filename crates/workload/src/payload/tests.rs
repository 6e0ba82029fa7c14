use super::*;

#[test]
fn an_identifier_is_read_back_from_a_body() {
    let id = PutId { run: u64::MAX, client: 7, sequence: 1 << 40 };
    let body = Payload::new(1024).body(&id.to_hex());
    assert_eq!(body.len(), 1024);
    assert_eq!(PutId::of(&body), Some(id));
}

#[test]
fn a_changed_or_cut_body_is_not_intact() {
    let payload = Payload::new(100);
    let body = payload.body(&PutId { run: 1, client: 2, sequence: 3 }.to_hex());
    let mut changed = body.to_vec();
    changed[99] ^= 1;
    assert!(payload.is_intact(&body));
    assert!(!payload.is_intact(&changed));
    assert!(!payload.is_intact(&body[..99]));
}

#[test]
fn bodies_of_others_have_no_identifier() {
    for body in [&b""[..], b"hello", &[b'0'; 48], &[0xff; 60]] {
        assert_eq!(PutId::of(body), None);
    }
}

#[test]
fn a_body_too_short_for_an_identifier_differs_from_message_to_message() {
    let id = |sequence| PutId { run: 7, client: 3, sequence }.to_hex();
    assert_eq!(Payload::short(&id(0x1a), 10), "000000001a");
    assert_eq!(Payload::short(&id(0x1a), 1), "a");
    assert_eq!(Payload::short(&id(5), 47).len(), 47);
    assert_ne!(Payload::short(&id(1), 10), Payload::short(&id(2), 10));
}
