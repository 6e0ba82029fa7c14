//! Measuring in turns.

use anyhow::{Context, Result};

/// One thing that is measured again and again.
pub struct Cell<'a> {
    pub name: &'static str,
    pub measure: Box<dyn FnMut() -> Result<f64> + 'a>,
}

impl<'a> Cell<'a> {
    pub fn new(name: &'static str, measure: impl FnMut() -> Result<f64> + 'a) -> Self {
        Self { name, measure: Box::new(measure) }
    }
}

/// What the rounds brought, by cell in the order given.
#[derive(Debug, Clone)]
pub struct Measured(Vec<(&'static str, Vec<f64>)>);

/// Measures every cell once a round; every other round backwards, so that a drift favours nobody.
pub fn interleave(rounds: usize, mut cells: Vec<Cell<'_>>) -> Result<Measured> {
    let mut values: Vec<Vec<f64>> = vec![Vec::with_capacity(rounds); cells.len()];
    for round in 0..rounds {
        let mut order: Vec<usize> = (0..cells.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for at in order {
            let cell = &mut cells[at];
            let value = (cell.measure)().with_context(|| format!("{} in round {round}", cell.name))?;
            eprintln!("  {round} {:<44} {value:.3}", cell.name);
            values[at].push(value);
        }
    }
    Ok(Measured(cells.iter().map(|cell| cell.name).zip(values).collect()))
}

impl Measured {
    fn values(&self, name: &str) -> &[f64] {
        let found = self.0.iter().find(|(cell, _)| *cell == name);
        found.map_or(&[], |(_, values)| values)
    }

    /// Adds a cell: round by round what one measured less what another did.
    #[must_use]
    pub fn with_difference(mut self, name: &'static str, of: &str, less: &str) -> Self {
        let values = self.values(of).iter().zip(self.values(less)).map(|(a, b)| a - b).collect();
        self.0.push((name, values));
        self
    }

    /// What was measured in pieces: so many in a row are one round, their mean its value. A machine that is now quick, now
    /// slow, for seconds at a time, is so to all cells of a round alike.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a handful of pieces")]
    pub fn in_rounds_of(self, pieces: usize) -> Self {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        Self(self.0.into_iter().map(|(name, values)| (name, values.chunks(pieces).map(mean).collect())).collect())
    }

    pub fn median(&self, name: &str) -> f64 {
        median(self.values(name).to_vec())
    }

    /// Each of them through their mean in the same round, and of that the median: what the rounds differ by counts for none.
    #[expect(clippy::cast_precision_loss, reason = "a handful of cells")]
    pub fn beside_each_other<const N: usize>(&self, names: [&str; N]) -> [f64; N] {
        let rounds = names.map(|name| self.values(name));
        let mean = |round: usize| rounds.iter().map(|values| values[round]).sum::<f64>() / N as f64;
        rounds.map(|values| median(values.iter().enumerate().map(|(round, value)| value / mean(round)).collect()))
    }

    /// Median of the rounds' ratios, each of two figures taken within seconds.
    pub fn ratio(&self, of: &str, to: &str) -> f64 {
        median(self.values(of).iter().zip(self.values(to)).map(|(a, b)| a / b).collect())
    }

    /// Median of the rounds' differences.
    pub fn difference(&self, of: &str, less: &str) -> f64 {
        median(self.values(of).iter().zip(self.values(less)).map(|(a, b)| a - b).collect())
    }
}

/// NaN of nothing.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

#[cfg(test)]
mod tests;
