//! Writing JSON values straight into bytes: numbers, texts, timestamps. No tree is built and nothing else is allocated.

use command::rest::Json;
use model::timestamp::Timestamp;

/// `2021-03-04T05:30:10.000Z`.
const MOMENT_LENGTH: usize = 24;
const SECONDS_A_DAY: u64 = 86_400;

pub(super) fn write(out: &mut Vec<u8>, value: Json<'_>) {
    match value {
        Json::Integer(number) => integer(out, number),
        Json::Truth(true) => out.extend_from_slice(b"true"),
        Json::Truth(false) => out.extend_from_slice(b"false"),
        Json::Text(plain) => text(out, plain),
        Json::Moment(None) => out.extend_from_slice(b"\"\""),
        Json::Moment(Some(at)) => {
            out.push(b'"');
            out.extend_from_slice(&moment(at));
            out.push(b'"');
        }
        Json::Connections(names) => connections(out, names),
        Json::Texts(texts) => {
            out.push(b'[');
            for (index, one) in texts.iter().enumerate() {
                if index > 0 {
                    out.extend_from_slice(b", ");
                }
                text(out, one);
            }
            out.push(b']');
        }
    }
}

/// `host(port),host(port)` as objects; a name that is not of that form is a host as a whole.
fn connections(out: &mut Vec<u8>, names: &str) {
    out.push(b'[');
    for (index, name) in names.split(',').map(str::trim).filter(|name| !name.is_empty()).enumerate() {
        if index > 0 {
            out.extend_from_slice(b", ");
        }
        out.extend_from_slice(b"{\"host\": ");
        match host_and_port(name) {
            Some((host, port)) => {
                text(out, host);
                out.extend_from_slice(b", \"port\": ");
                integer(out, port.into());
            }
            None => text(out, name),
        }
        out.push(b'}');
    }
    out.push(b']');
}

/// Without a port, that of a queue manager's listener.
fn host_and_port(name: &str) -> Option<(&str, u16)> {
    const LISTENER: u16 = 1414;
    match name.split_once('(') {
        None => Some((name, LISTENER)),
        Some((host, port)) => Some((host.trim(), port.strip_suffix(')')?.trim().parse().ok()?)),
    }
}

fn integer(out: &mut Vec<u8>, number: i64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    let mut rest = number.unsigned_abs();
    loop {
        start -= 1;
        digits[start] = digit(rest % 10);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[start..]);
}

const fn digit(value: u64) -> u8 {
    b'0' + (value % 10) as u8
}

/// Quoted, with what JSON cannot hold as it is escaped.
pub(super) fn text(out: &mut Vec<u8>, plain: &str) {
    out.push(b'"');
    let bytes = plain.as_bytes();
    if bytes.iter().all(|&byte| is_plain(byte)) {
        out.extend_from_slice(bytes);
    } else {
        for &byte in bytes {
            escaped(out, byte);
        }
    }
    out.push(b'"');
}

const fn is_plain(byte: u8) -> bool {
    byte >= b' ' && byte != b'"' && byte != b'\\'
}

fn escaped(out: &mut Vec<u8>, byte: u8) {
    const HEXADECIMAL: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        control if control < b' ' => {
            let (high, low) = (usize::from(control >> 4), usize::from(control & 15));
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', HEXADECIMAL[high], HEXADECIMAL[low]]);
        }
        plain => out.push(plain),
    }
}

/// In UTC, to the second, as MQ keeps its dates and times.
pub(super) fn moment(at: Timestamp) -> [u8; MOMENT_LENGTH] {
    let seconds = at.as_millis() / 1000;
    let (year, month, day) = civil(seconds / SECONDS_A_DAY);
    let of_day = seconds % SECONDS_A_DAY;
    let mut field = *b"0000-00-00T00:00:00.000Z";
    field[0] = digit(year / 1000);
    field[1] = digit(year / 100);
    two(&mut field[2..4], year);
    two(&mut field[5..7], month);
    two(&mut field[8..10], day);
    two(&mut field[11..13], of_day / 3600);
    two(&mut field[14..16], of_day / 60 % 60);
    two(&mut field[17..19], of_day % 60);
    field
}

fn two(field: &mut [u8], value: u64) {
    field[0] = digit(value / 10);
    field[1] = digit(value);
}

/// Year, month and day of a number of days since 1970-01-01, in the Gregorian calendar.
///
/// Counted in eras of 400 years that begin on a first of March, so that a leap day is the last of its year.
const fn civil(days: u64) -> (u64, u64, u64) {
    const DAYS_TO_1970: u64 = 719_468;
    const DAYS_AN_ERA: u64 = 146_097;
    let days = days + DAYS_TO_1970;
    let era = days / DAYS_AN_ERA;
    let of_era = days % DAYS_AN_ERA;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + (month <= 2) as u64;
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(value: Json<'_>) -> String {
        let mut out = Vec::new();
        write(&mut out, value);
        String::from_utf8(out).expect("UTF-8")
    }

    proptest! {
        #[test]
        fn any_text_is_read_back_by_a_json_parser(plain in any::<String>()) {
            let back: String = serde_json::from_str(&written(Json::Text(&plain))).expect("JSON");
            prop_assert_eq!(back, plain);
        }

        #[test]
        fn any_number_is_its_decimal_form(number in any::<i64>()) {
            prop_assert_eq!(written(Json::Integer(number)), number.to_string());
        }

        #[test]
        fn any_moment_is_that_of_the_time_library(micros in 0_u64..253_402_300_800_000_000) {
            let at = Timestamp(micros);
            let date = at.date_time();
            let expected = format!(
                "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.000Z",
                date.year(), u8::from(date.month()), date.day(), date.hour(), date.minute(), date.second()
            );
            prop_assert_eq!(moment(at).to_vec(), expected.into_bytes());
        }
    }

    #[test]
    fn connection_names_become_hosts_and_ports() {
        assert_eq!(written(Json::Connections("")), "[]");
        assert_eq!(
            written(Json::Connections("a.example(1415), b")),
            r#"[{"host": "a.example", "port": 1415}, {"host": "b", "port": 1414}]"#
        );
        assert_eq!(written(Json::Connections("c(x)")), r#"[{"host": "c(x)"}]"#);
    }

    #[test]
    fn arrays_truths_and_moments_that_never_were() {
        let texts = ["a".to_owned(), "b\"".to_owned()];
        assert_eq!(written(Json::Texts(&texts)), r#"["a", "b\""]"#);
        assert_eq!(written(Json::Truth(true)), "true");
        assert_eq!(written(Json::Moment(None)), "\"\"");
    }
}
