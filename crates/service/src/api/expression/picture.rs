//! `$formatNumber`: numbers by a picture of the digits that are shown, `#,##0.00`.
//!
//! Source: XPath and XQuery Functions and Operators 3.1, 4.7 (JSONata names it as its own source); of it the digits, the
//! grouping of thousands and the decimal point. Pictures of percents, exponents and negative numbers are refused.

use super::EvaluationError;
use super::decimal::Decimal;

/// What a picture says.
struct Picture {
    before: String,
    after: String,
    /// Digits before the point that are shown in any case.
    least_whole: usize,
    has_groups: bool,
    /// Digits behind it: those that are shown in any case, and all.
    least_decimals: usize,
    most_decimals: usize,
}

/// # Errors
/// The picture says what is not done here.
pub(super) fn formatted(number: Decimal, picture: &str) -> Result<String, EvaluationError> {
    let picture = Picture::read(picture)?;
    let rounded = number.rounded(u32::try_from(picture.most_decimals).unwrap_or(u32::MAX)).to_string();
    let (sign, digits) = rounded.strip_prefix('-').map_or(("", rounded.as_str()), |digits| ("-", digits));
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = whole.trim_start_matches('0');
    let whole = format!("{}{whole}", "0".repeat(picture.least_whole.saturating_sub(whole.len())));
    let decimals = decimals.trim_end_matches('0');
    let decimals = format!("{decimals}{}", "0".repeat(picture.least_decimals.saturating_sub(decimals.len())));
    let point = if decimals.is_empty() { "" } else { "." };
    let whole = if picture.has_groups { grouped(&whole) } else { whole };
    Ok(format!("{}{sign}{whole}{point}{decimals}{}", picture.before, picture.after))
}

fn grouped(digits: &str) -> String {
    let mut written = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

impl Picture {
    fn read(text: &str) -> Result<Self, EvaluationError> {
        let wrong = || EvaluationError(format!("{text:?} is no picture of a number, such as #,##0.00"));
        let is_digit = |one: char| matches!(one, '0' | '#');
        let is_active = |one: char| is_digit(one) || matches!(one, ',' | '.');
        let start = text.find(is_active).ok_or_else(wrong)?;
        let end = text.rfind(is_active).map_or(start, |last| last + 1);
        let (before, shown, after) = (&text[..start], &text[start..end], &text[end..]);
        let (whole, decimals) = shown.split_once('.').unwrap_or((shown, ""));
        let (has_groups, whole) = match whole.split_once(',') {
            Some((first, last)) if last.len() == 3 && !first.is_empty() => (true, format!("{first}{last}")),
            Some(_) => return Err(wrong()),
            None => (false, whole.to_owned()),
        };
        let outside = |part: &str| part.contains(['%', ';', '\u{2030}']);
        let is_ordered =
            |first: char, part: &str| part.trim_start_matches(first).chars().all(|one| is_digit(one) && one != first);
        let is_right = is_ordered('#', &whole) && is_ordered('0', decimals) && !outside(before) && !outside(after);
        if !is_right || whole.is_empty() && decimals.is_empty() {
            return Err(wrong());
        }
        let zeros = |part: &str| part.chars().filter(|one| *one == '0').count();
        Ok(Self {
            before: before.to_owned(),
            after: after.to_owned(),
            least_whole: zeros(&whole),
            has_groups,
            least_decimals: zeros(decimals),
            most_decimals: decimals.len(),
        })
    }
}
