//! Exact decimal numbers of up to 38 digits, as JSON writes them.

use std::cmp::Ordering;
use std::fmt;

/// Decimals that a quotient has at most.
const QUOTIENT_DECIMALS: u32 = 18;
/// Decimals that a number has at most.
const MOST_DECIMALS: u32 = 38;

/// `digits` times ten to the power of minus `scale`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decimal {
    digits: i128,
    scale: u32,
}

impl Decimal {
    pub(super) fn of_integer(digits: i128) -> Self {
        Self { digits, scale: 0 }
    }

    /// `None`: it is no number of JSON, or has too many digits.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let unsigned = whole.strip_prefix('-').unwrap_or(whole);
        if unsigned.is_empty() || !is_digits(unsigned) || !is_digits(fraction) {
            return None;
        }
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
        match u32::try_from(scale) {
            Ok(scale) => (scale <= MOST_DECIMALS).then_some(Self { digits, scale }),
            Err(_) => Some(Self { digits: digits.checked_mul(10i128.checked_pow(scale.unsigned_abs())?)?, scale: 0 }),
        }
    }

    pub(super) fn is_zero(self) -> bool {
        self.digits == 0
    }

    pub(super) fn negative(self) -> Option<Self> {
        Some(Self { digits: self.digits.checked_neg()?, ..self })
    }

    /// Both with the decimals of the one that has more.
    fn aligned(self, other: Self) -> Option<(i128, i128, u32)> {
        let scale = self.scale.max(other.scale);
        let to = |one: Self| one.digits.checked_mul(10i128.checked_pow(scale - one.scale)?);
        Some((to(self)?, to(other)?, scale))
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let (one, other, scale) = self.aligned(other)?;
        Some(Self { digits: one.checked_add(other)?, scale })
    }

    pub(super) fn minus(self, other: Self) -> Option<Self> {
        self.plus(other.negative()?)
    }

    pub(super) fn times(self, other: Self) -> Option<Self> {
        let scale = self.scale.checked_add(other.scale).filter(|&scale| scale <= MOST_DECIMALS)?;
        Some(Self { digits: self.digits.checked_mul(other.digits)?, scale })
    }

    /// `None`: the divisor is zero, or there are too many digits.
    pub(super) fn divided(self, other: Self) -> Option<Self> {
        let (one, other, _) = self.aligned(other)?;
        // As many decimals as there is room for.
        let room =
            (0..=QUOTIENT_DECIMALS).rev().find_map(|scale| Some((one.checked_mul(10i128.checked_pow(scale)?)?, scale)));
        let (digits, scale) = room?;
        let quotient = digits.checked_div(other)?;
        let rest = digits.checked_rem(other)?;
        let is_half = rest.unsigned_abs() >= other.unsigned_abs() - rest.unsigned_abs();
        let away = if (rest < 0) == (other < 0) { 1 } else { -1 };
        Some(Self { digits: quotient + if rest != 0 && is_half { away } else { 0 }, scale }.shortest())
    }

    pub(super) fn remainder(self, other: Self) -> Option<Self> {
        let (one, other, scale) = self.aligned(other)?;
        Some(Self { digits: one.checked_rem(other)?, scale }.shortest())
    }

    /// To so many decimals, halves to the even digit.
    pub(super) fn rounded(self, decimals: u32) -> Self {
        if self.scale <= decimals {
            return self;
        }
        let unit = unit(self.scale - decimals);
        let (quotient, rest) = (self.digits / unit, (self.digits % unit).unsigned_abs() * 2);
        let is_up = rest > unit.unsigned_abs() || (rest == unit.unsigned_abs() && quotient % 2 != 0);
        Self { digits: quotient + if is_up { self.digits.signum() } else { 0 }, scale: decimals }
    }

    /// The largest whole number that is not above it.
    pub(super) fn floor(self) -> Self {
        Self::of_integer(self.digits.div_euclid(unit(self.scale)))
    }

    /// Whole numbers that fit.
    pub(super) fn to_integer(self) -> Option<i64> {
        let shortest = self.shortest();
        i64::try_from(shortest.digits).ok().filter(|_| shortest.scale == 0)
    }

    fn shortest(mut self) -> Self {
        while self.scale > 0 && self.digits % 10 == 0 {
            self.digits /= 10;
            self.scale -= 1;
        }
        self
    }

    pub(super) fn compare(self, other: Self) -> Ordering {
        let scale = self.scale.max(other.scale);
        // There may be no room for the digits before the point beside all decimals, but there is for the decimals.
        let decimals = |one: Self| one.digits.rem_euclid(unit(one.scale)) * unit(scale - one.scale);
        let parts = |one: Self| (one.floor().digits, decimals(one));
        parts(self).cmp(&parts(other))
    }
}

/// Ten to the power of so many decimals as a number may have.
fn unit(decimals: u32) -> i128 {
    10i128.checked_pow(decimals).expect("no number has more than MOST_DECIMALS")
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = self.scale as usize;
        let digits = format!("{:0>width$}", self.digits.unsigned_abs(), width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        let sign = if self.digits < 0 { "-" } else { "" };
        if scale == 0 { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{fraction}") }
    }
}
