//! Samples brought to the points of a chart: equal steps, each with the least and the greatest of what it stands for.

use serde_json::value::RawValue;

use super::timeline::{MINUTE, ROUND, Timeline};
use super::track::{Kind, Sample, Track, a_second, number};

/// Most points of a series.
pub const MOST_POINTS: u64 = 2000;

/// The steps of a chart, by the time of the timeline, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) from: u64,
    pub(super) step: u64,
    pub(super) points: usize,
    /// Of samples of minutes: it begins before the rounds that are kept.
    in_minutes: bool,
}

/// One series on a grid. A value is `None` where nothing is known.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Points {
    /// The begin of the first moment that is known, whether it is on the grid or not.
    pub(super) since: Option<u64>,
    pub(super) points: Vec<Option<Point>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) value: f64,
    pub(super) least: f64,
    pub(super) greatest: f64,
}

impl Grid {
    /// Covers the range by at most so many points, in steps that samples have: of a minute and more where it begins before the rounds
    /// that are kept.
    pub(super) fn of(timeline: &Timeline, from: u64, to: u64, most: u64) -> Self {
        let most = most.clamp(1, MOST_POINTS);
        let in_minutes = from < timeline.rounds.begin();
        let unit = if in_minutes { MINUTE } else { ROUND };
        let span = to.saturating_sub(from);
        let mut step = span.div_ceil(most).div_ceil(unit).max(1) * unit;
        // The grid stands still while time goes on: it begins at a multiple of its step, so it may need one more.
        let points = |step: u64| to.saturating_sub(from / step * step).div_ceil(step).max(1);
        while points(step) > most {
            step += unit;
        }
        Self { from: from / step * step, step, points: usize::try_from(points(step)).expect("few"), in_minutes }
    }

    /// Which point a sample belongs to: the one in which the middle of its time is.
    fn point(&self, sample: &Sample) -> Option<usize> {
        let middle = sample.begin.midpoint(sample.end).checked_sub(self.from)?;
        usize::try_from(middle / self.step).ok().filter(|point| *point < self.points)
    }
}

/// What is known of one point so far.
struct Gathered {
    last: u64,
    total: u64,
    milliseconds: u64,
    least: f64,
    greatest: f64,
}

impl Points {
    pub(super) fn of(track: &Track, kind: Kind, timeline: &Timeline, grid: Grid) -> Self {
        let (rounds, minutes) = (track.by_round(timeline), track.by_minute(timeline));
        let begin = |samples: &[Option<Sample>]| samples.iter().flatten().next().map(|sample| sample.begin);
        let since = [begin(&rounds), begin(&minutes)].into_iter().flatten().min();
        // Minutes as far as they go, then the rounds that make no whole minute yet.
        let (minutes, from) = if grid.in_minutes { (&minutes[..], timeline.minutes.end()) } else { (&[][..], 0) };
        let rounds = rounds.iter().flatten().filter(|sample| sample.end > from);
        let mut gathered: Vec<Option<Gathered>> = (0..grid.points).map(|_| None).collect();
        for sample in minutes.iter().flatten().chain(rounds) {
            if let Some(point) = grid.point(sample) {
                gather(&mut gathered[point], sample);
            }
        }
        let points = gathered.into_iter().map(|point| point.map(|gathered| gathered.point(kind))).collect();
        Self { since, points }
    }
}

fn gather(place: &mut Option<Gathered>, sample: &Sample) {
    let milliseconds = sample.end - sample.begin;
    match place {
        Some(all) => {
            all.last = sample.value;
            all.total += sample.value;
            all.milliseconds += milliseconds;
            all.least = all.least.min(sample.least);
            all.greatest = all.greatest.max(sample.greatest);
        }
        None => {
            let (last, total) = (sample.value, sample.value);
            *place = Some(Gathered { last, total, milliseconds, least: sample.least, greatest: sample.greatest });
        }
    }
}

impl Gathered {
    fn point(self, kind: Kind) -> Point {
        let value = match kind {
            Kind::Level => number(self.last),
            Kind::Count => a_second(self.total, self.milliseconds),
        };
        Point { value, least: self.least, greatest: self.greatest }
    }
}

impl Points {
    /// One number of each point as a list of JSON, with at most three decimals.
    pub(super) fn list(&self, of: fn(&Point) -> f64) -> Box<RawValue> {
        let text = |point: &Option<Point>| point.as_ref().map_or("null".to_owned(), |point| decimal(of(point)));
        let numbers: Vec<_> = self.points.iter().map(text).collect();
        RawValue::from_string(format!("[{}]", numbers.join(","))).expect("a list of numbers")
    }
}

fn decimal(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
