use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use crate::handed_in;

/// More of them by `QUAYMASTER_ROUNDS`.
const ROUNDS: usize = 20_000;

#[test]
fn structures_of_any_version_with_any_numbers_end_with_a_reason_and_never_with_a_panic() {
    let of = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seed: u64 = of("QUAYMASTER_SEED").unwrap_or_else(rand::random);
    println!("QUAYMASTER_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let rounds = of("QUAYMASTER_ROUNDS").map_or(ROUNDS, |rounds: u64| usize::try_from(rounds).unwrap_or(ROUNDS));
    let mut reasons = std::collections::BTreeSet::new();
    for _ in 0..rounds {
        let mut input = vec![0; random.gen_range(20..2000)];
        random.fill(&mut input[..]);
        reasons.insert(handed_in::call(&input));
    }
    // Right structures are among them: those calls come as far as the connection, or succeed.
    for expected in [0, 2012, 2018, 2026, 2044, 2155, 2158, 2173, 2186, 2442, 2460] {
        assert!(reasons.contains(&expected), "QUAYMASTER_SEED={seed}: {expected} is not among {reasons:?}");
    }
}
