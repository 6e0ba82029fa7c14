use super::*;
use crate::measure::now;

#[test]
fn stat_is_read_past_a_name_with_blanks_and_parentheses() {
    let stat = "42 (a (b) c) S 1 42 42 0 -1 4194304 100 0 0 0 250 50 7 3 20 0 12 0 100 0 0";
    let own = parse_stat(stat, false, 100).unwrap();
    let all = parse_stat(stat, true, 100).unwrap();
    assert_eq!((own.used, own.threads), (Duration::from_secs(3), 12));
    assert_eq!(all.used, Duration::from_millis(3100));
    assert!(parse_stat("42 (cut", false, 100).is_none());
}

#[test]
fn this_process_has_threads_and_its_time_grows() {
    let before = processor_time(std::process::id(), false).unwrap();
    let bound = now() + Duration::from_secs(20);
    let mut sum = 0_u64;
    while now() < bound {
        sum = sum.wrapping_add((0..10_000).fold(0, |a: u64, b| a.wrapping_mul(31).wrapping_add(b)));
        if processor_time(std::process::id(), false).unwrap().used > before.used {
            break;
        }
    }
    let after = processor_time(std::process::id(), false).unwrap();
    assert!(after.used > before.used, "{sum}");
    assert!(after.threads >= 1);
}

#[test]
fn the_finer_count_stands_where_it_agrees_with_the_coarse_one() {
    let ms = Duration::from_millis;
    assert_eq!(finer(ms(500), ms(513), ms(10)), ms(513));
    assert_eq!(finer(ms(500), ms(495), ms(10)), ms(495));
    // A thread has ended, and what it used is missing.
    assert_eq!(finer(ms(500), ms(300), ms(10)), ms(500));
    assert!(run_time_of_all(&[std::process::id(), u32::MAX]) > Duration::ZERO, "one that is gone counts for nothing");
}

#[test]
fn a_difference_is_fine_whatever_had_ended_before() {
    let ms = Duration::from_millis;
    let time = |used, run| ProcessorTime { used: ms(used), user: ms(used), threads: 1, run: ms(run) };
    // A thread that used 200 ms had ended already.
    assert_eq!(time(740, 535).since(time(500, 300)).used, ms(235));
    // One that used 100 ms ended in between.
    assert_eq!(time(740, 435).since(time(500, 300)).used, ms(240));
    assert_eq!(time(740, 0).since(time(500, 0)).used, ms(240));
}

/// Works until the condition holds; false when it does not in time.
fn work_until(mut condition: impl FnMut() -> bool) -> bool {
    let bound = now() + Duration::from_secs(20);
    let mut sum = 0_u64;
    while now() < bound {
        sum = std::hint::black_box((0..10_000).fold(sum, |a: u64, b| a.wrapping_mul(31).wrapping_add(b)));
        if condition() {
            return true;
        }
    }
    false
}

fn own(extent: Extent) -> Process {
    Process { name: "own".to_owned(), pid: std::process::id(), extent }
}

#[test]
fn threads_are_counted_by_the_beginning_of_their_name() {
    let (group, rest) = (
        own(Extent::Threads("group-".to_owned())),
        own(Extent::Driver(Elsewhere { without: Some("group-"), ..Elsewhere::default() })),
    );
    assert_eq!(group.read().unwrap(), ProcessorTime::default(), "there is none yet");
    let count = |process: &Process| process.read().unwrap();
    let in_group = std::thread::Builder::new().name("group-7".to_owned()).spawn({
        let group = group.clone();
        move || work_until(|| count(&group).used > Duration::from_millis(30))
    });
    assert!(in_group.unwrap().join().unwrap());
    assert!(rest.read().unwrap().used > Duration::ZERO);
    assert!(group.counts().contains("group-*"), "{}", group.counts());
}

#[test]
fn a_child_counts_while_it_lives_and_after_it_was_waited_for() {
    let family = own(Extent::Children);
    let before = family.read().unwrap().used;
    let mut child =
        std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().expect("there is a shell");
    let child_time = || processor_time(child.id(), false).unwrap().used;
    let bound = now() + Duration::from_secs(20);
    while child_time() < Duration::from_millis(200) && now() < bound {
        std::thread::yield_now();
    }
    let living = family.read().unwrap().used;
    child.kill().unwrap();
    child.wait().unwrap();
    let waited_for = family.read().unwrap().used;
    for (what, used) in [("living", living), ("waited for", waited_for)] {
        assert!(used.saturating_sub(before) >= Duration::from_millis(150), "{what}: {before:?} to {used:?}");
    }
}

#[test]
fn a_process_that_is_gone_is_an_error() {
    let gone = Process { name: "gone".to_owned(), pid: u32::MAX, extent: Extent::Process };
    assert!(gone.read().is_err());
}
