use super::*;

fn next(pace: &Pace) -> Option<Instant> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(Duration::from_secs(20), pace.next()).await.unwrap() })
}

#[test]
fn transactions_are_due_at_even_distances_however_late_they_are_begun() {
    let control = Arc::new(Control::new());
    let pace = Arc::new(Pace::new(1000.0));
    control.begin(Phase::Measuring, None);
    let thread = pace.start(Arc::clone(&control)).unwrap();
    // Nobody was free for so long.
    let bound = measure::now() + Duration::from_secs(20);
    while pace.behind() < 50 && measure::now() < bound {
        std::thread::yield_now();
    }
    let first = next(&pace).unwrap();
    let times: Vec<Instant> = (0..40).map(|_| next(&pace).unwrap()).collect();
    assert!(first < times[0]);
    for pair in times.windows(2) {
        let distance = pair[1] - pair[0];
        assert!(distance.abs_diff(Duration::from_millis(1)) < Duration::from_micros(2), "{distance:?}");
    }
    control.stop();
    thread.join().unwrap();
}

#[test]
fn what_was_due_before_a_phase_began_is_forgotten() {
    let pace = Pace::new(1000.0);
    let begin = measure::now();
    let before = begin - Duration::from_millis(5);
    pace.add(before);
    pace.add(begin - Duration::from_millis(1));
    pace.forget_before(begin);
    assert_eq!(pace.behind(), 0);
    pace.add(before);
    assert_eq!(pace.behind(), 0, "the thread came late to it");
    pace.add(begin);
    assert_eq!((pace.behind(), next(&pace)), (1, Some(begin)));
    assert!(pace.has_forgotten(before) && !pace.has_forgotten(begin));
}
