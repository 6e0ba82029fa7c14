//! The history of a queue manager that is really there, by clocks that the test moves.

use std::ops::Deref;

use model::name::QueueName;
use proptest::prelude::*;
use serde_json::Value;

use super::track::{Kind, Since};
use super::*;
use crate::test_engine::{TestEngine, server};

const START: u64 = 1_795_219_200_000;

fn clocks(seconds: u64) -> Clocks {
    at_wall(seconds, seconds.cast_signed())
}

/// A moment by the clock that is never set, and what the other one says then.
fn at_wall(seconds: u64, wall: i64) -> Clocks {
    let wall = START.checked_add_signed(wall * 1000).expect("after 1970");
    Clocks { elapsed: Duration::from_secs(seconds), wall: Timestamp::from_millis(wall) }
}

struct Engine {
    engine: TestEngine,
    history: History,
    /// Seconds.
    now: u64,
}

impl Deref for Engine {
    type Target = TestEngine;

    fn deref(&self) -> &TestEngine {
        &self.engine
    }
}

impl Engine {
    fn start(budget: usize) -> Self {
        let engine = TestEngine::start();
        let history = History::new(engine.queue_managers());
        history.set_budget(budget);
        Self { engine, history, now: 0 }
    }

    /// Ten seconds later.
    fn look(&mut self) {
        self.now += 10;
        self.history.take_samples(clocks(self.now));
    }

    fn looks(&mut self, rounds: usize) {
        (0..rounds).for_each(|_| self.look());
    }

    fn chart(&self, series: &str, span: u64, points: u64) -> Value {
        self.chart_at(clocks(self.now), series, span, points)
    }

    fn chart_at(&self, clocks: Clocks, series: &str, span: u64, points: u64) -> Value {
        let from = Some(Timestamp::from_millis(clocks.wall.as_millis().saturating_sub(span * 1000)));
        let names = [SeriesName::parse(series).expect("a name")];
        let range = Range { from, to: None, points };
        let chart = self.history.chart_at(clocks, self.queue_manager.name(), &names, range).expect("a history");
        serde_json::to_value(chart).expect("JSON")
    }
}

fn numbers(chart: &Value, member: &str) -> Vec<Option<f64>> {
    chart["series"][0][member].as_array().expect("a list").iter().map(Value::as_f64).collect()
}

#[test]
fn a_queues_depth_and_rates_are_charted_and_so_are_the_totals() {
    let mut engine = Engine::start(1 << 20);
    engine.define("Q");
    engine.looks(2);
    engine.put("Q", 20);
    engine.look();
    engine.get("Q", 5);
    engine.put("Q", 10);
    engine.look();
    engine.look();
    let last = |series: &str| numbers(&engine.chart(series, 50, 100), "values");
    assert_eq!(last("queue/Q/depth"), [Some(0.0), Some(20.0), Some(25.0), Some(25.0)]);
    assert_eq!(last("queue/Q/puts"), [Some(0.0), Some(2.0), Some(1.0), Some(0.0)]);
    assert_eq!(last("queue/Q/gets"), [Some(0.0), Some(0.0), Some(0.5), Some(0.0)]);
    assert_eq!(last("qmgr/puts"), [Some(0.0), Some(2.0), Some(1.0), Some(0.0)]);
    assert_eq!(last("qmgr/depth"), [Some(0.0), Some(20.0), Some(25.0), Some(25.0)]);
    assert_eq!(last("qmgr/connections").last(), Some(&Some(1.0)));
}

#[test]
fn a_queue_that_has_not_changed_is_known_without_a_series_and_one_that_is_not_there_is_not_known() {
    let mut engine = Engine::start(1 << 20);
    engine.define("IDLE");
    engine.put("IDLE", 3);
    engine.looks(10);
    let chart = engine.chart("queue/IDLE/depth", 60, 100);
    assert_eq!(numbers(&chart, "values"), [Some(3.0); 6]);
    assert_eq!(engine.history.kept().subjects, 1, "the queue manager alone");
    let chart = engine.chart("queue/NONE/depth", 60, 100);
    assert_eq!((numbers(&chart, "values"), &chart["series"][0]["since"]), (vec![None; 6], &Value::Null));
}

#[test]
fn the_traffic_of_queues_that_are_deleted_stays_in_the_totals() {
    let mut engine = Engine::start(1 << 20);
    engine.define("SHORT");
    engine.looks(2);
    engine.put("SHORT", 30);
    engine.get("SHORT", 30);
    let name = QueueName::literal("SHORT");
    engine.runtime.block_on(engine.queue_manager.delete_queue(&server(), &name, false)).expect("deleted");
    engine.looks(2);
    assert_eq!(numbers(&engine.chart("qmgr/puts", 20, 9), "values"), [Some(3.0), Some(0.0)]);
}

#[test]
fn a_queue_that_is_deleted_is_unknown_until_it_is_made_again() {
    let mut engine = Engine::start(1 << 20);
    engine.define("Q");
    engine.look();
    engine.put("Q", 1);
    engine.look();
    let delete = |engine: &Engine| {
        engine.get("Q", 1);
        let name = QueueName::literal("Q");
        engine.runtime.block_on(engine.queue_manager.delete_queue(&server(), &name, false)).expect("deleted");
    };
    delete(&engine);
    engine.looks(2);
    engine.define("Q");
    engine.looks(2);
    let values = numbers(&engine.chart("queue/Q/depth", 50, 100), "values");
    assert_eq!(values, [Some(1.0), None, None, Some(0.0), Some(0.0)]);
    assert_eq!(numbers(&engine.chart("queue/Q/gets", 50, 100), "values")[1..3], [None, None], "never a 0 that is none");
}

#[test]
fn a_day_is_charted_by_minutes_that_keep_the_peaks_of_their_rounds() {
    let mut engine = Engine::start(1 << 20);
    engine.define("Q");
    engine.looks(60);
    engine.put("Q", 100);
    engine.look();
    engine.get("Q", 100);
    // More than an hour later the rounds have gone.
    engine.looks(400);
    let chart = engine.chart("queue/Q/depth", 5000, 2000);
    assert_eq!(chart["step"], "60s");
    let (values, most) = (numbers(&chart, "values"), numbers(&chart, "max"));
    let peak = most.iter().position(|value| *value == Some(100.0)).expect("the peak");
    assert_eq!(values[peak], Some(0.0), "at the end of that minute the queue was empty");
    let rates = engine.chart("queue/Q/puts", 5000, 2000);
    assert_eq!(numbers(&rates, "max")[peak], Some(10.0));
    assert_eq!(numbers(&rates, "values")[peak], Some(1.667));
    assert!(values[1..].iter().all(Option::is_some), "all but the minute in which it was met: {values:?}");
}

#[test]
fn a_clock_that_is_set_back_leaves_no_hole_and_one_that_is_put_right_changes_nothing() {
    let mut engine = Engine::start(1 << 20);
    engine.define("Q");
    engine.look();
    // The clock is an hour back from the third round on.
    for (seconds, wall) in [(20, 20), (30, 30), (40, 40 - 3600), (50, 50 - 3600)] {
        engine.put("Q", 1);
        engine.now = seconds;
        engine.history.take_samples(at_wall(seconds, wall));
    }
    let back = at_wall(50, 50 - 3600);
    let chart = engine.chart_at(back, "queue/Q/depth", 40, 100);
    assert_eq!(numbers(&chart, "values"), [1.0, 2.0, 3.0, 4.0].map(Some));
    assert_eq!(
        chart["from"],
        write_moment(Timestamp::from_millis(START + 10_000 - 3_600_000)),
        "told by the clock of the answer"
    );
    engine.now = 60;
    engine.put("Q", 1);
    engine.history.take_samples(clocks(60));
    let chart = engine.chart("queue/Q/depth", 50, 100);
    assert_eq!(numbers(&chart, "values"), [1.0, 2.0, 3.0, 4.0, 5.0].map(Some));
    assert_eq!(chart["from"], write_moment(Timestamp::from_millis(START + 10_000)));
}

#[test]
fn a_clock_that_is_set_forward_leaves_a_gap() {
    let mut engine = Engine::start(1 << 20);
    engine.define("Q");
    engine.looks(2);
    engine.history.take_samples(at_wall(30, 90));
    engine.history.take_samples(at_wall(40, 100));
    let values = numbers(&engine.chart_at(at_wall(40, 100), "queue/Q/depth", 100, 100), "values");
    assert_eq!(values.iter().filter(|value| value.is_none()).count(), 6, "{values:?}");
    assert_eq!((values[0], values[8]), (Some(0.0), Some(0.0)));
}

#[test]
fn the_budget_holds_with_ten_thousand_queues_and_the_coldest_go_first() {
    const QUEUES: usize = 10_000;
    const BUDGET: usize = 3 << 20;
    let mut engine = Engine::start(BUDGET);
    let name = |number: usize| format!("Q.{number:05}");
    (0..QUEUES).for_each(|number| engine.define(&name(number)));
    engine.look();
    // A hot hundred changes in every round, another thousand in each.
    for round in 0..QUEUES / 1000 {
        (0..100).for_each(|number| engine.put(&name(number), 1));
        (0..1000).for_each(|number| engine.put(&name(1000 * round + number), 1));
        engine.look();
        let kept = engine.history.kept();
        assert!(kept.bytes <= BUDGET, "{kept:?}");
    }
    let kept = engine.history.kept();
    assert!(kept.subjects > 1000 && kept.subjects < 5000, "{kept:?}");
    let known = |number| numbers(&engine.chart(&format!("queue/{}/puts", name(number)), 120, 100), "values");
    let count = |number| known(number).iter().flatten().filter(|rate| **rate > 0.0).count();
    assert_eq!(count(50), 10, "a hot queue is known from the begin");
    assert_eq!(count(9500), 1);
    // One that was dropped is known since its last change, and the answer says so.
    assert_eq!((count(1500), known(1500).iter().flatten().count()), (0, 9));
    let shrunk = 1 << 20;
    engine.history.set_budget(shrunk);
    engine.look();
    assert!(engine.history.kept().bytes <= shrunk);
    engine.history.set_budget(0);
    assert_eq!(engine.history.kept(), Kept::default());
}

/// Prints what a look costs.
#[test]
fn a_look_at_ten_thousand_queues_costs_little() {
    let mut engine = Engine::start(16 << 20);
    let name = |number: usize| format!("Q.{number:05}");
    (0..10_000).for_each(|number| engine.define(&name(number)));
    engine.look();
    let mut quickest = Duration::MAX;
    for _ in 0..24 {
        (0..700).for_each(|number| engine.put(&name(number * 14), 1));
        let begun = Instant::now();
        engine.look();
        quickest = quickest.min(begun.elapsed());
    }
    let kept = engine.history.kept();
    println!("{quickest:?} a look; {kept:?}");
    // Others may have the processor most of the time, but not in each look.
    assert!(quickest < Duration::from_millis(500), "{quickest:?} a look");
    assert!(kept.subjects == 701 && kept.bytes < 2 << 20, "{kept:?}");
}

#[test]
fn a_chart_of_the_last_hour_has_no_hole_when_more_than_an_hour_is_known() {
    let mut timeline = Timeline::new(clocks(0));
    let first = timeline.begin_round(clocks(10)).expect("a round");
    let mut track = Track::starting(Kind::Level, Since::of(first), 0);
    for place in 0..500_u64 {
        let round = timeline.begin_round(clocks(20 + 10 * place)).expect("a round");
        track.record(round, place);
        if round.ends_minute {
            track.end_minute(round);
        }
    }
    let now = START + (20 + 10 * 499) * 1000;
    for points in [360, 100, 7] {
        // Each of these begins at a step that is before the rounds that are kept.
        let grid = Grid::of(&timeline, now - 3_600_000, now, points);
        let known = Points::of(&track, Kind::Level, &timeline, grid).points;
        assert!(known.iter().all(Option::is_some), "{points}: {known:?}");
    }
}

#[derive(Debug, Clone)]
struct Plan {
    depths: Vec<u32>,
    from: u64,
    span: u64,
    points: u64,
}

fn plan() -> impl Strategy<Value = Plan> {
    (prop::collection::vec(0..1000_u32, 1..300), 0..3000_u64, 1..3000_u64, 1..300_u64)
        .prop_map(|(depths, from, span, points)| Plan { depths, from, span, points })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn thinning_keeps_the_least_and_the_greatest(plan in plan()) {
        let mut timeline = Timeline::new(clocks(0));
        let first = timeline.begin_round(clocks(10)).expect("a round");
        let mut track = Track::starting(Kind::Level, Since::of(first), 0);
        let mut rounds = vec![(0, 10_000, 0_u32)];
        for (place, depth) in plan.depths.iter().enumerate() {
            let second = 20 + 10 * place as u64;
            let round = timeline.begin_round(clocks(second)).expect("a round");
            track.record(round, (*depth).into());
            if round.ends_minute {
                track.end_minute(round);
            }
            rounds.push((1000 * (second - 10), 1000 * second, *depth));
        }
        let from = START + plan.from.min(plan.depths.len() as u64 * 10) * 1000;
        let grid = Grid::of(&timeline, from, from + plan.span * 1000, plan.points);
        prop_assert!(grid.points as u64 <= plan.points && grid.from <= from);
        prop_assert!(grid.from + grid.step * grid.points as u64 >= from + plan.span * 1000);
        let points = Points::of(&track, Kind::Level, &timeline, grid);
        for (place, point) in points.points.iter().enumerate() {
            let begin = grid.from + grid.step * place as u64;
            let inside = |(from, to, _): &&(u64, u64, u32)| (begin..begin + grid.step).contains(&(START + from.midpoint(*to)));
            // The first round met the object: it is known at its end.
            let depths: Vec<f64> = rounds.iter().filter(inside).map(|(.., depth)| f64::from(*depth)).collect();
            let least = depths.iter().copied().reduce(f64::min);
            let greatest = depths.iter().copied().reduce(f64::max);
            let told = point.map(|point| (point.least, point.greatest, point.value));
            prop_assert_eq!(told, least.zip(greatest).zip(depths.last()).map(|((least, greatest), last)| (least, greatest, *last)));
        }
    }
}

#[test]
fn the_past_of_a_depth_says_since_when_it_is_so_and_how_it_grows() {
    let mut engine = Engine::start(1 << 20);
    engine.define("Q");
    engine.look();
    let (name, queue) = (engine.queue_manager.name(), QueueName::literal("Q"));
    for _ in 0..60 {
        engine.put("Q", 1);
        engine.look();
    }
    let since = |engine: &Engine, depth| engine.history.at_least_since_at(clocks(engine.now), name, queue, depth);
    let at = |seconds| Some(clocks(seconds).wall);
    // The depth was 1 at second 20, and 60 at second 610.
    assert_eq!((since(&engine, 50), since(&engine, 60), since(&engine, 61)), (at(510), at(610), None));
    let growth = |engine: &Engine, seconds| engine.history.growth(name, queue, Duration::from_secs(seconds));
    let grown = |messages, seconds| Some(Growth { messages, time: Duration::from_secs(seconds) });
    assert_eq!(growth(&engine, 100), grown(10, 100));
    assert_eq!(growth(&engine, 10_000), None, "less than half of it is known");
    engine.get("Q", 30);
    engine.look();
    assert_eq!((since(&engine, 50), since(&engine, 30)), (None, at(310)));
    assert_eq!(growth(&engine, 100), None, "it does not grow");
    // A long time later, minutes say it.
    engine.looks(500);
    assert_eq!(since(&engine, 30), at(360), "as it was at the end of that minute");
}

#[test]
fn the_rates_of_queues_are_those_between_the_last_two_looks() {
    let mut engine = Engine::start(1 << 20);
    for queue in ["A", "B", "C"] {
        engine.define(queue);
    }
    let rates = |engine: &Engine, queues: &[&str]| {
        let rates = engine.history.rates(&engine.queue_manager.name())?;
        let of = |queue: &&str| rates.of(&QueueName::literal(queue)).map(|rate| (rate.puts, rate.gets));
        Some(queues.iter().map(of).collect::<Vec<_>>())
    };
    assert_eq!(rates(&engine, &["A"]), None, "never looked at");
    engine.look();
    assert_eq!(rates(&engine, &["A"]), None, "looked at once");
    engine.put("B", 20);
    engine.put("C", 5);
    engine.get("B", 10);
    engine.look();
    assert_eq!(rates(&engine, &["A", "B", "C"]), Some(vec![Some((0, 0)), Some((20, 10)), Some((5, 0))]));
    assert_eq!(rates(&engine, &["C", "NONE", "B"]), Some(vec![Some((5, 0)), None, Some((20, 10))]), "in any order");
    engine.look();
    assert_eq!(rates(&engine, &["B", "C"]), Some(vec![Some((0, 0)); 2]), "nothing happened since");
    engine.history.set_budget(0);
    assert_eq!(rates(&engine, &["B"]), None, "nothing is kept");
}
