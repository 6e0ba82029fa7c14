//! Numbers as people read them: three digits that count, groups of thousands, no exponents.

use crate::outcome::{Cell, Measured, State};

/// `0.0123`, `1.23`, `123`, `12,345`.
pub fn plain(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    // Counted rather than measured.
    if value.fract() == 0.0 && value.abs() >= 10.0 {
        return grouped(&format!("{value:.0}"));
    }
    // Digits before the point, or minus the zeros behind it.
    #[expect(clippy::cast_possible_truncation, reason = "a logarithm of a finite number fits")]
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = usize::try_from(2 - magnitude).unwrap_or_default().min(9);
    let text = format!("{value:.decimals$}");
    let text = if decimals > 0 { trimmed(&text, magnitude) } else { text };
    grouped(&text)
}

/// Zeros at the end say something below ten (`1.20`), and nothing where there would be many.
fn trimmed(text: &str, magnitude: i32) -> String {
    match magnitude {
        -3..=2 => text.to_owned(),
        _ => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

fn grouped(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut out = String::from(sign);
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

/// `4 %`, `0.6 %`.
pub fn percent(value: f64) -> String {
    if value >= 9.95 { format!("{value:.0} %") } else { format!("{value:.1} %") }
}

/// `×0.019`: what was measured over what was published. Two digits that count below one.
pub fn ratio(value: f64) -> String {
    let digits = match value.abs() {
        0.995.. => 2,
        small if small > 0.0 => {
            #[expect(clippy::cast_possible_truncation, reason = "a logarithm of a finite number fits")]
            let zeros = -(small.log10().floor() as i32);
            usize::try_from(zeros + 1).unwrap_or(2).clamp(2, 9)
        }
        _ => 2,
    };
    format!("×{value:.digits$}")
}

/// `1.20 to 1.30`, or the one value.
pub fn range(measured: &Measured) -> String {
    let (low, high) = (plain(measured.low), plain(measured.high));
    if low == high { low } else { format!("{low} to {high}") }
}

/// The measured figure, or the word for its absence.
pub fn shown(cell: &Cell) -> String {
    match (&cell.measured, cell.state) {
        (Some(measured), _) => plain(measured.median),
        (None, State::NotApplicable) => "not applicable".to_owned(),
        (None, _) => "not measured".to_owned(),
    }
}

/// `1.2 GiB`.
pub fn bytes(value: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let mut amount = value as f64;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if amount < 1024.0 {
            return format!("{} {unit}", plain(amount));
        }
        amount /= 1024.0;
    }
    format!("{} TiB", plain(amount))
}

/// `45 s`, `3 min 20 s`.
pub fn seconds(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a run's length in whole seconds")]
    let whole = value.max(0.0).round() as u64;
    if whole < 60 { format!("{whole} s") } else { format!("{} min {} s", whole / 60, whole % 60) }
}

#[cfg(test)]
mod tests;
