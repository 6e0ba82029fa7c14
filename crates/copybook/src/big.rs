//! Unsigned integers of up to 2048 bits on the stack: what exact conversion of hexadecimal floats needs.

const LIMBS: usize = 64;

#[derive(Clone)]
pub(crate) struct Big {
    /// Least significant first.
    limbs: [u32; LIMBS],
}

/// A quotient and how the rest compares with half the divisor.
pub(crate) struct Quotient {
    pub(crate) value: u128,
    pub(crate) rest: std::cmp::Ordering,
}

impl Big {
    /// # Panics
    /// The product of `number`, 10 to the power of `tens` and 2 to the power of `twos` has more than 2048 bits; callers
    /// bound the exponents.
    pub(crate) fn of(number: u128, tens: u32, twos: u32) -> Self {
        let mut big = Self { limbs: [0; LIMBS] };
        for (limb, shift) in big.limbs.iter_mut().zip([0, 32, 64, 96]) {
            *limb = low(u64::try_from((number >> shift) & u128::from(u32::MAX)).unwrap_or(0));
        }
        for _ in 0..tens / 9 {
            big.multiply(1_000_000_000);
        }
        big.multiply(10u32.pow(tens % 9));
        big.shift(twos);
        big
    }

    fn multiply(&mut self, factor: u32) {
        let mut carry = 0u64;
        for limb in &mut self.limbs {
            let product = u64::from(*limb) * u64::from(factor) + carry;
            *limb = low(product);
            carry = product >> 32;
        }
        assert_eq!(carry, 0, "exponents are bounded");
    }

    fn shift(&mut self, bits: u32) {
        let (words, bits) = ((bits / 32) as usize, bits % 32);
        assert!(self.bits() as usize + words * 32 + 32 <= LIMBS * 32, "exponents are bounded");
        for at in (0..LIMBS).rev() {
            let high = if at >= words { self.limbs[at - words] } else { 0 };
            let under = if at > words { self.limbs[at - words - 1] } else { 0 };
            self.limbs[at] = if bits == 0 { high } else { (high << bits) | (under >> (32 - bits)) };
        }
    }

    fn halve(&mut self) {
        for at in 0..LIMBS {
            let above = self.limbs.get(at + 1).copied().unwrap_or(0);
            self.limbs[at] = (self.limbs[at] >> 1) | (above << 31);
        }
    }

    pub(crate) fn bits(&self) -> u32 {
        let top = self.limbs.iter().rposition(|&limb| limb != 0);
        top.map_or(0, |at| u32::try_from(at).unwrap_or(0) * 32 + 32 - self.limbs[at].leading_zeros())
    }

    fn compare(&self, other: &Self) -> std::cmp::Ordering {
        self.limbs.iter().rev().cmp(other.limbs.iter().rev())
    }

    fn subtract(&mut self, other: &Self) {
        let mut borrow = 0i64;
        for (limb, other) in self.limbs.iter_mut().zip(&other.limbs) {
            let difference = i64::from(*limb) - i64::from(*other) + borrow;
            *limb = low(difference.rem_euclid(1 << 32).unsigned_abs());
            borrow = difference >> 32;
        }
    }

    /// `None` when the quotient has more than 127 bits.
    pub(crate) fn divide(mut self, divisor: &Self) -> Option<Quotient> {
        let steps = (self.bits() + 1).saturating_sub(divisor.bits());
        if steps > 127 {
            return None;
        }
        let mut shifted = divisor.clone();
        shifted.shift(steps);
        let mut value = 0u128;
        for _ in 0..=steps {
            value <<= 1;
            if self.compare(&shifted).is_ge() {
                self.subtract(&shifted);
                value |= 1;
            }
            shifted.halve();
        }
        self.shift(1);
        Some(Quotient { value, rest: self.compare(divisor) })
    }
}

impl Quotient {
    /// To the nearest, ties to even.
    pub(crate) fn rounded(&self) -> u128 {
        let up = match self.rest {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => self.value % 2 == 1,
            std::cmp::Ordering::Greater => true,
        };
        self.value + u128::from(up)
    }
}

fn low(wide: u64) -> u32 {
    u32::try_from(wide & u64::from(u32::MAX)).unwrap_or(0)
}
