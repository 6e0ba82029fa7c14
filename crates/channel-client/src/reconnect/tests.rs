use std::time::Duration;

use super::Patience;

#[test]
fn pauses_grow_as_published_and_the_last_one_stays() {
    let patience = Patience::default();
    let pauses: Vec<u128> = (0..5).map(|attempt| patience.pause(attempt, 0.5).as_millis()).collect();
    assert_eq!(pauses, [1100, 2100, 4500, 4500, 4500]);
}

#[test]
fn patience_without_any_pause_does_not_exist() {
    assert_eq!(Patience::new(Duration::from_secs(1), Vec::new()), None);
}
