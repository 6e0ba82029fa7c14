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
fn run_times_of_processes_that_are_gone_count_for_nothing() {
    assert!(run_time_of_all(&[std::process::id(), u32::MAX]) > Duration::ZERO);
}

#[test]
fn user_time_is_the_share_of_the_samples_of_an_interval_and_of_all_processes_together() {
    let ms = Duration::from_millis;
    let time = |used, user, all| ProcessorTime {
        used: ms(used),
        user: ms(user),
        threads: 1,
        samples: Samples { user: ms(user), all: ms(all) },
    };
    let later = time(740, 300, 700).since(time(500, 200, 500));
    assert_eq!((later.used, later.user), (ms(240), ms(120)));
    // Each alone has too few: one tick in the kernel, three outside.
    let mut sum = time(3, 0, 4);
    for _ in 0..3 {
        sum.add(time(3, 4, 4));
    }
    assert_eq!(sum.since(ProcessorTime::default()).user, ms(9));
    assert_eq!(time(740, 0, 0).since(time(500, 0, 0)).user, Duration::ZERO, "nothing was sampled");
}

#[test]
fn a_process_has_a_clock_with_its_ended_threads_to_the_nanosecond() {
    let before = processor_time(std::process::id(), false).unwrap();
    let thread = std::thread::spawn(|| {
        let own = || processor_time(std::process::id(), false).unwrap();
        let begin = own();
        // The kernel samples at its ticks, and may miss a thread for several of them.
        work_until(|| {
            let own = own().since(begin);
            own.used > Duration::from_millis(30) && own.samples.all > Duration::ZERO
        })
    });
    assert!(thread.join().unwrap());
    let after = processor_time(std::process::id(), false).unwrap().since(before);
    assert!(after.used >= Duration::from_millis(30) && after.user <= after.used, "{after:?}");
    assert!(after.samples.all > Duration::ZERO, "{after:?}");
}

#[test]
fn a_process_that_has_ended_is_gone_also_before_it_is_waited_for() {
    let mut child = std::process::Command::new("true").spawn().expect("there is true");
    let bound = now() + Duration::from_secs(20);
    while processor_time(child.id(), false).is_ok() && now() < bound {
        std::thread::yield_now();
    }
    assert!(processor_time(child.id(), false).is_err());
    child.wait().unwrap();
}

/// Works until the condition holds; false when it does not after much work. Other processes take time, and no work.
fn work_until(mut condition: impl FnMut() -> bool) -> bool {
    let mut sum = 0_u64;
    for _ in 0..200_000 {
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
