use proptest::prelude::*;

use super::*;

fn layout_of_vectors() -> Vec<u8> {
    let contents = include_bytes!("../../../tests/it/vectors/vectors.keys");
    LtpaKeys::parse(contents, "vectors").expect("keys").private_layout()
}

#[test]
fn a_private_key_layout_is_as_long_as_published() {
    let layout = layout_of_vectors();
    assert!(matches!((layout.len(), &layout[..4]), (265, [0, 0, 0, 128]) | (266, [0, 0, 0, 129])));
}

#[test]
fn the_older_form_without_the_private_exponent_is_read() {
    let layout = layout_of_vectors();
    let older = &layout[layout.len() - PRIMES_FORM_BYTES..];
    assert_eq!(parse_private(older), parse_private(&layout));
    assert!(parse_private(older).is_ok());
}

#[test]
fn a_stored_exponent_is_not_trusted() {
    let mut layout = layout_of_vectors();
    layout[10] ^= 1;
    assert_eq!(parse_private(&layout), parse_private(&layout_of_vectors()));
}

#[test]
fn numbers_that_would_break_the_arithmetic_are_refused() {
    let layout = layout_of_vectors();
    let (e, p, q) = (layout.len() - PRIMES_FORM_BYTES, layout.len() - 2 * PRIME_BYTES, layout.len() - PRIME_BYTES);
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut changed = layout.clone();
        change(&mut changed);
        parse_private(&changed)
    };
    let refused = Err(KeysError::Layout(PRIVATE_KEY));
    assert_eq!(with(&|layout| layout[p..q].fill(0)), refused, "p is zero");
    assert_eq!(with(&|layout| layout[q..].fill(0)), refused, "q is zero");
    assert_eq!(with(&|layout| *layout.last_mut().expect("bytes") &= 0xFE), refused, "q is even");
    assert_eq!(with(&|layout| layout.copy_within(p..q, q)), refused, "p is q");
    assert_eq!(with(&|layout| layout[e..p].fill(0)), refused, "e is zero");
    assert_eq!(with(&|layout| layout.truncate(20)), refused, "too short");
    assert_eq!(with(&|layout| layout[..4].fill(0xFF)), refused, "an impossible length");
    assert_eq!(parse_private(&[]), refused);
}

#[test]
fn a_made_key_has_the_larger_prime_first() {
    let layout = LtpaKeys::generate().expect("keys").private_layout();
    let primes = &layout[layout.len() - 2 * PRIME_BYTES..];
    assert!(primes[..PRIME_BYTES] > primes[PRIME_BYTES..]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_numbers_are_read_without_a_panic(
        mut numbers in proptest::collection::vec(any::<u8>(), PRIMES_FORM_BYTES),
        odd in any::<bool>(),
    ) {
        if odd {
            for last in [EXPONENT_BYTES, EXPONENT_BYTES + PRIME_BYTES, PRIMES_FORM_BYTES] {
                numbers[last - 1] |= 1;
            }
            numbers[EXPONENT_BYTES] = 0;
            numbers[EXPONENT_BYTES + PRIME_BYTES] = 0;
        }
        let _ = parse_private(&numbers);
    }

    #[test]
    fn any_file_is_read_without_a_panic(contents in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(LtpaKeys::parse(&contents, DEFAULT_PASSWORD).is_err());
    }
}
