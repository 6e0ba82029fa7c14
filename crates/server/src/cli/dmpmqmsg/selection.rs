//! Which messages: `-g`, `-r`, `-s`, `-e`, `-x`, `-T`.

use model::descriptor::MessageDescriptor;
use model::timestamp::Timestamp;

#[derive(Debug, Default)]
pub(super) struct Selection {
    pub message_id: Option<[u8; 24]>,
    pub correlation_id: Option<[u8; 24]>,
    pub group_id: Option<[u8; 24]>,
    /// First and last number, from 1.
    pub range: Option<(u64, u64)>,
    /// Bytes that the data must hold, or must not.
    pub content: Vec<(Vec<u8>, bool)>,
    /// Minutes: older than the first, younger than the second.
    pub older_minutes: Option<u64>,
    pub younger_minutes: Option<u64>,
}

impl Selection {
    pub(super) fn is_everything(&self) -> bool {
        self.message_id.is_none()
            && self.correlation_id.is_none()
            && self.group_id.is_none()
            && self.range.is_none()
            && self.content.is_empty()
            && self.older_minutes.is_none()
            && self.younger_minutes.is_none()
    }

    /// `number` counts the messages that were read, from 1.
    pub(super) fn includes(&self, number: u64, descriptor: &MessageDescriptor, body: &[u8], now: Timestamp) -> bool {
        let id = |wanted: Option<[u8; 24]>, is: &[u8; 24]| wanted.is_none_or(|wanted| wanted == *is);
        self.range.is_none_or(|(first, last)| (first..=last).contains(&number))
            && id(self.message_id, descriptor.message_id.as_bytes())
            && id(self.correlation_id, descriptor.correlation_id.as_bytes())
            && id(self.group_id, descriptor.group_id.as_bytes())
            && self.content.iter().all(|(part, wanted)| holds(body, part) == *wanted)
            && self.has_age(descriptor, now)
    }

    /// No message after this one can be included.
    pub(super) fn is_last(&self, number: u64) -> bool {
        self.range.is_some_and(|(_, last)| number >= last)
    }

    /// A message without a put date has no age.
    fn has_age(&self, descriptor: &MessageDescriptor, now: Timestamp) -> bool {
        if self.older_minutes.is_none() && self.younger_minutes.is_none() {
            return true;
        }
        let Some(put) = Timestamp::of_put(&descriptor.put_date, &descriptor.put_time) else { return false };
        let seconds = now.since(put).as_secs();
        self.older_minutes.is_none_or(|minutes| seconds >= minutes.saturating_mul(60))
            && self.younger_minutes.is_none_or(|minutes| seconds <= minutes.saturating_mul(60))
    }
}

fn holds(body: &[u8], part: &[u8]) -> bool {
    part.is_empty() || body.windows(part.len()).any(|window| window == part)
}

/// `x`, `x..y`, `..y`, `x#n` (n messages from x on), `#n`.
pub(super) fn range(text: &str) -> Result<(u64, u64), String> {
    let wrong = || format!("'{text}' is not a range, expected X, X..Y, ..Y, X#N or #N");
    let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number > 0).ok_or_else(wrong);
    let first = |text: &str| if text.is_empty() { Ok(1) } else { number(text) };
    let (from, to) = if let Some((from, to)) = text.split_once("..") {
        (first(from)?, number(to)?)
    } else if let Some((from, count)) = text.split_once('#') {
        let from = first(from)?;
        (from, from.saturating_add(number(count)? - 1))
    } else {
        (number(text)?, number(text)?)
    };
    Ok((from.min(to), from.max(to)))
}

/// `[[days:]hours:]minutes`, older than this; with a minus younger; two with a comma between give both.
pub(super) fn age(text: &str, selection: &mut Selection) -> Result<(), String> {
    let wrong =
        || format!("'{text}' is not an age, expected [[DAYS:]HOURS:]MINUTES, with a minus for younger messages");
    for part in text.split(',') {
        let (part, is_younger) = part.strip_prefix('-').map_or((part, false), |rest| (rest, true));
        let mut numbers = Vec::new();
        for number in part.split(':') {
            numbers.push(number.parse::<u64>().map_err(|_| wrong())?);
        }
        let minutes = match numbers.as_slice() {
            [minutes] => *minutes,
            [hours, minutes] => hours.saturating_mul(60).saturating_add(*minutes),
            [days, hours, minutes] => {
                days.saturating_mul(24).saturating_add(*hours).saturating_mul(60).saturating_add(*minutes)
            }
            _ => return Err(wrong()),
        };
        *(if is_younger { &mut selection.younger_minutes } else { &mut selection.older_minutes }) = Some(minutes);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_ages_are_read_in_every_form() {
        for (text, expected) in
            [("3", (3, 3)), ("3..5", (3, 5)), ("..4", (1, 4)), ("3#2", (3, 4)), ("#9", (1, 9)), ("5..3", (3, 5))]
        {
            assert_eq!(range(text), Ok(expected), "{text}");
        }
        for text in ["", "x", "0", "3..", "#", "1.5", "#0"] {
            assert!(range(text).is_err(), "{text}");
        }
        let ages = |text: &str| {
            let mut selection = Selection::default();
            age(text, &mut selection).map(|()| (selection.older_minutes, selection.younger_minutes))
        };
        assert_eq!(ages("5"), Ok((Some(5), None)));
        assert_eq!(ages("-1:30"), Ok((None, Some(90))));
        assert_eq!(ages("1:0:1,-2:0:0"), Ok((Some(1441), Some(2880))));
        assert!(ages("soon").is_err() && ages("1:2:3:4").is_err());
    }
}
