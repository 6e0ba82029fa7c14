use std::collections::BTreeSet;

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use crate::handed_in;

/// More of them by `QUAYMASTER_ROUNDS`.
const ROUNDS: usize = 20_000;
/// The rarest of the expected reasons comes about once in 10,000 calls.
const MOST_ROUNDS: usize = 50 * ROUNDS;
/// Right structures are among them: those calls come as far as the connection, or succeed.
const EXPECTED: [i32; 11] = [0, 2012, 2018, 2026, 2044, 2155, 2158, 2173, 2186, 2442, 2460];

/// The library lets no panic be printed: what is wrong is an error.
#[test]
fn structures_of_any_version_with_any_numbers_end_with_a_reason_and_never_with_a_panic() -> Result<(), String> {
    let of = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seed: u64 = of("QUAYMASTER_SEED").unwrap_or_else(rand::random);
    println!("QUAYMASTER_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let rounds = of("QUAYMASTER_ROUNDS").map_or(ROUNDS, |rounds: u64| usize::try_from(rounds).unwrap_or(ROUNDS));
    let mut missing: BTreeSet<i32> = EXPECTED.into();
    for round in 0..rounds.max(MOST_ROUNDS) {
        if round >= rounds && missing.is_empty() {
            break;
        }
        let mut input = vec![0; random.gen_range(20..2000)];
        random.fill(&mut input[..]);
        missing.remove(&handed_in::call(&input));
    }
    if missing.is_empty() { Ok(()) } else { Err(format!("QUAYMASTER_SEED={seed}: no call has ended with {missing:?}")) }
}
