//! An axis of numbers: its ends, its ticks, and where a value lies.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

use crate::render::number;

#[derive(Debug, Clone)]
pub(super) struct Scale {
    is_logarithmic: bool,
    low: f64,
    high: f64,
    /// Values that are labelled.
    ticks: Vec<f64>,
}

impl Scale {
    /// Room for all values. `few` ticks where there is little room for labels.
    pub(super) fn of(values: impl Iterator<Item = f64>, is_logarithmic: bool, few: bool) -> Self {
        let usable = values.filter(|value| value.is_finite() && (!is_logarithmic || *value > 0.0));
        let (low, high) =
            usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        // Without a value there is an empty axis.
        let (low, high) = if low.is_finite() { (low, high) } else { (1.0, 1.0) };
        if is_logarithmic { Self::logarithmic(low, high, few) } else { Self::linear(low, high, few) }
    }

    /// Ends at the next of 1, 2 and 5 times a power of ten beyond the values.
    fn logarithmic(low: f64, high: f64, few: bool) -> Self {
        let steps = steps(low.log10().floor(), high.log10().ceil());
        let from = steps.iter().rposition(|step| *step <= low * 0.9).unwrap_or_default();
        let to = steps.iter().position(|step| *step >= high * 1.1).unwrap_or(steps.len() - 1).max(from + 1);
        let ends = &steps[from..=to.min(steps.len() - 1)];
        let most = if few { 5 } else { 9 };
        let ticks = match ends.len() {
            length if length <= most => ends.to_vec(),
            _ => ends.iter().copied().filter(|step| is_power_of_ten(*step)).collect(),
        };
        let last = ends.last().copied().unwrap_or(high * 2.0);
        Self { is_logarithmic: true, low: ends[0], high: last, ticks }
    }

    /// From zero, with steps of 1, 2 or 5 times a power of ten.
    fn linear(low: f64, high: f64, few: bool) -> Self {
        let (low, high) = (low.min(0.0), if high > 0.0 { high * 1.05 } else { 1.0 });
        let wanted = if few { 4.0 } else { 6.0 };
        let rough = (high - low) / wanted;
        let magnitude = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * magnitude).find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let mut ticks = Vec::new();
        let mut tick = (low / step).ceil() * step;
        while tick <= high {
            ticks.push(tick);
            tick += step;
        }
        Self { is_logarithmic: false, low, high, ticks }
    }

    /// The same axis with the values themselves as ticks.
    pub(super) fn at_values(mut self, values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        self.ticks = values;
        self
    }

    /// An axis of so many rows, the first at the top.
    #[expect(clippy::cast_precision_loss, reason = "rows of a chart")]
    pub(super) fn rows(count: usize) -> Self {
        let ticks = (0..count).map(|row| row as f64).collect();
        Self { is_logarithmic: false, low: count as f64 - 0.4, high: -0.6, ticks }
    }

    pub(super) fn low(&self) -> f64 {
        self.low
    }

    /// Part of the way from the low end to the high one.
    fn part(&self, value: f64) -> f64 {
        let at = |value: f64| if self.is_logarithmic { value.max(self.low).log10() } else { value };
        (at(value) - at(self.low)) / (at(self.high) - at(self.low))
    }
}

/// A value, without digits that say nothing.
pub(super) fn label(value: &f64) -> String {
    let text = number::plain(*value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        #[expect(clippy::cast_possible_truncation, reason = "a place among pixels")]
        let along = (f64::from(last - first) * self.part(*value)).round() as i32;
        first + along
    }

    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        // There are no light lines.
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

fn steps(from: f64, to: f64) -> Vec<f64> {
    #[expect(clippy::cast_possible_truncation, reason = "powers of ten of figures people measure")]
    let powers = (from as i32 - 1)..=(to as i32 + 1);
    powers.flat_map(|power| [1.0, 2.0, 5.0].map(|step| step * 10_f64.powi(power))).collect()
}

fn is_power_of_ten(value: f64) -> bool {
    (value.log10() - value.log10().round()).abs() < 1e-9
}

#[cfg(test)]
mod tests;
