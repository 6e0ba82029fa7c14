//! How much one run measures.

use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Effort {
    pub rounds: usize,
    /// Of one in-process cell.
    pub engine: Duration,
    /// Of one REST cell, after its warm-up.
    pub rest: Duration,
    pub warmup: Duration,
    /// Messages where the bar says a million.
    pub messages: u64,
    /// Where data directories lie: the disk that is measured.
    pub work: PathBuf,
}

impl Effort {
    /// What the bars are judged by.
    pub fn full(work: PathBuf) -> Self {
        let ms = Duration::from_millis;
        Self { rounds: 5, engine: ms(2_000), rest: ms(4_000), warmup: ms(700), messages: 1_000_000, work }
    }

    /// Shows that everything runs.
    pub fn quick(work: PathBuf) -> Self {
        let ms = Duration::from_millis;
        Self { rounds: 3, engine: ms(300), rest: ms(1_000), warmup: ms(200), messages: 100_000, work }
    }
}
