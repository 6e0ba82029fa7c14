use super::{Addresses, Call};
use crate::error::StubError;

/// The areas of a call, each in memory of exactly its length.
struct Areas {
    api: Vec<u8>,
    info: Vec<u8>,
    record: Vec<u8>,
    area: Vec<u8>,
    request_length: i32,
    response_length: i32,
}

impl Areas {
    fn new(level: i32) -> Self {
        let mut api = vec![b' '; 780];
        for (at, text) in [(0, "Book-API_1.0.0"), (260, "%2Fbooks%2F%7Bisbn%7D"), (520, "GET")] {
            put(&mut api, at, 255, text.as_bytes());
        }
        let length = [4, 1056, 1576, 1832][usize::try_from(level).expect("a level")];
        let mut info = vec![0; length];
        info[..4].copy_from_slice(&level.to_ne_bytes());
        Self { api, info, record: b"record".to_vec(), area: vec![0; 16], request_length: 6, response_length: 16 }
    }

    fn read<T>(&mut self, see: impl FnOnce(Result<Call<'_>, StubError>) -> T) -> T {
        let record = self.record.as_ptr();
        let area = self.area.as_mut_ptr();
        let addresses = Addresses {
            api_info: self.api.as_ptr(),
            request_info: self.info.as_ptr(),
            request_pointer: (&raw const record).cast(),
            request_length: (&raw const self.request_length).cast(),
            response_pointer: (&raw const area).cast(),
            response_length: (&raw const self.response_length).cast(),
        };
        // SAFETY: areas of the lengths that their levels promise.
        see(unsafe { Call::read(&addresses) })
    }

    fn refusal(&mut self) -> i32 {
        self.read(|call| call.err().map_or(0, |error| error.status()))
    }
}

fn put(area: &mut [u8], at: usize, room: usize, text: &[u8]) {
    area[at..at + text.len()].copy_from_slice(text);
    let length = i32::try_from(text.len()).expect("short");
    number(area, (at + room).next_multiple_of(4), length);
}

fn number(area: &mut [u8], at: usize, value: i32) {
    area[at..at + 4].copy_from_slice(&value.to_ne_bytes());
}

#[test]
fn a_call_is_read_at_every_comp_level() {
    for level in 0..=3 {
        Areas::new(level).read(|call| {
            let call = call.expect("a call");
            assert_eq!(call.name, b"Book-API_1.0.0");
            assert_eq!(call.path, b"%2Fbooks%2F%7Bisbn%7D");
            assert_eq!(call.method, b"GET");
            assert_eq!((call.request.length, call.response.map(|area| area.length())), (6, Some(16)));
            assert!(call.server.is_none());
            assert!(call.credentials.oauth_scope.is_empty());
        });
    }
}

#[test]
fn credentials_and_server_are_read_where_the_level_has_them() {
    let scope = b"read write  ".to_vec();
    for level in 1..=3 {
        let mut areas = Areas::new(level);
        put(&mut areas.info, 4, 256, b"user");
        put(&mut areas.info, 264, 256, b"secret");
        put(&mut areas.info, 524, 256, b"client");
        put(&mut areas.info, 784, 256, &[b'x'; 256]);
        areas.info[1044..1052].copy_from_slice(&(scope.as_ptr() as usize).to_ne_bytes());
        number(&mut areas.info, 1052, 12);
        if level >= 2 {
            put(&mut areas.info, 1056, 256, b"token user");
            put(&mut areas.info, 1316, 256, b"token secret");
        }
        if level == 3 {
            areas.info[1576..].fill(b' ');
            areas.info[1576..1589].copy_from_slice(b"http://host:1");
        }
        areas.read(|call| {
            let call = call.expect("a call");
            let credentials = &call.credentials;
            assert_eq!(credentials.oauth_username, b"user");
            assert_eq!(credentials.oauth_password, b"secret");
            assert_eq!(credentials.oauth_client_id, b"client");
            assert_eq!(credentials.oauth_client_secret, [b'x'; 256]);
            assert_eq!(credentials.oauth_scope, b"read write");
            assert_eq!(credentials.token_username, if level >= 2 { &b"token user"[..] } else { b"" });
            assert_eq!(credentials.token_password, if level >= 2 { &b"token secret"[..] } else { b"" });
            assert_eq!(call.server, (level == 3).then_some(&b"http://host:1"[..]));
        });
    }
}

#[test]
fn length_items_decide_and_blanks_at_the_end_do_not_belong() {
    let mut areas = Areas::new(0);
    areas.api[14..18].copy_from_slice(b"-DEV");
    number(&mut areas.api, 256, 20);
    areas.read(|call| assert_eq!(call.expect("a call").name, b"Book-API_1.0.0-DEV"));
    number(&mut areas.api, 256, 4);
    areas.read(|call| assert_eq!(call.expect("a call").name, b"Book"));
}

#[test]
fn a_length_out_of_range_is_refused_with_the_number_of_its_item() {
    for (at, status) in [(256, 12), (516, 13), (776, 14)] {
        for length in [-1, 0, 256, i32::MAX, i32::MIN] {
            let mut areas = Areas::new(0);
            number(&mut areas.api, at, length);
            assert_eq!(areas.refusal(), status, "{length} at {at}");
        }
    }
    for at in [260, 520, 780, 1040, 1312, 1572] {
        for length in [-1, 257, i32::MIN] {
            let mut areas = Areas::new(3);
            number(&mut areas.info, at, length);
            assert_eq!(areas.refusal(), 17, "{length} at {at}");
        }
    }
    for length in [-1, 1, 8193] {
        let mut areas = Areas::new(1);
        number(&mut areas.info, 1052, length);
        assert_eq!(areas.refusal(), 17, "a scope of {length} at the address null");
    }
}

#[test]
fn blank_texts_and_strange_methods_are_refused() {
    let mut areas = Areas::new(0);
    areas.api[..14].fill(b' ');
    assert_eq!(areas.refusal(), 12);
    for method in ["GE T", "GET\r\nX: y", "G3T", "ABCDEFGHIJKLMNOPQ", "   "] {
        let mut areas = Areas::new(0);
        put(&mut areas.api, 520, 255, method.as_bytes());
        assert_eq!(areas.refusal(), 14, "{method:?}");
    }
}

#[test]
fn an_unknown_comp_level_is_refused_before_anything_behind_it_is_read() {
    for level in [-1, 4, 0x2020_2020] {
        let mut areas = Areas::new(0);
        number(&mut areas.info, 0, level);
        assert_eq!(areas.refusal(), 11, "{level}");
    }
}

#[test]
fn record_and_area_need_an_address_unless_they_are_empty() {
    for (request, response, status) in [(-1, 16, 15), (6, -1, 16), (i32::MIN, i32::MIN, 15)] {
        let mut areas = Areas::new(0);
        (areas.request_length, areas.response_length) = (request, response);
        assert_eq!(areas.refusal(), status);
    }
    let null: *const u8 = std::ptr::null();
    let (none, some) = (0i32, 1i32);
    let areas = Areas::new(0);
    for (request, response, status) in [(&none, &none, 0), (&some, &none, 15), (&none, &some, 16)] {
        let addresses = Addresses {
            api_info: areas.api.as_ptr(),
            request_info: areas.info.as_ptr(),
            request_pointer: (&raw const null).cast(),
            request_length: std::ptr::from_ref(request).cast(),
            response_pointer: (&raw const null).cast(),
            response_length: std::ptr::from_ref(response).cast(),
        };
        // SAFETY: areas of the lengths that they promise.
        let refused = unsafe { Call::read(&addresses) }.err().map_or(0, |error| error.status());
        assert_eq!(refused, status);
    }
}

#[test]
fn a_missing_address_is_named() {
    let areas = Areas::new(0);
    let record = areas.record.as_ptr();
    let length = 6i32;
    let full = || Addresses {
        api_info: areas.api.as_ptr(),
        request_info: areas.info.as_ptr(),
        request_pointer: (&raw const record).cast(),
        request_length: (&raw const length).cast(),
        response_pointer: (&raw const record).cast(),
        response_length: (&raw const length).cast(),
    };
    type Forget = fn(&mut Addresses);
    let forget: [(&str, Forget); 6] = [
        ("the API information", |each| each.api_info = std::ptr::null()),
        ("BAQ-REQUEST-INFO", |each| each.request_info = std::ptr::null()),
        ("BAQ-REQUEST-PTR", |each| each.request_pointer = std::ptr::null()),
        ("BAQ-REQUEST-LEN", |each| each.request_length = std::ptr::null()),
        ("BAQ-RESPONSE-PTR", |each| each.response_pointer = std::ptr::null()),
        ("BAQ-RESPONSE-LEN", |each| each.response_length = std::ptr::null()),
    ];
    for (name, forget) in forget {
        let mut addresses = full();
        forget(&mut addresses);
        // SAFETY: null, or areas of the lengths that they promise.
        let error = unsafe { Call::read(&addresses) }.err().expect("refused");
        assert_eq!((error.status(), error.to_string()), (10, format!("the address of {name} is null")));
    }
}
