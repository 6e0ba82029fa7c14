use super::*;

const LOAD: &str = "0.05 1.25 12.00 1/345 6789\n";
const MEMORY: &str = "MemTotal:        4194304 kB\nMemFree:          100 kB\nMemAvailable:    1048576 kB\n";
const STATUS: &str = "Name:\tquaymaster\nVmRSS:\t   40960 kB\nThreads:\t4\n";

fn own(user: u64, system: u64) -> String {
    format!("42 (a) b) S 1 42 42 0 -1 4194560 1 2 3 4 {user} {system} 0 0 20 0\n")
}

#[test]
fn shares_are_of_all_processors_together_between_two_readings() {
    let before = Reading::parse("cpu  100 0 50 850 0 0 0 0 0 0\ncpu0 1\n", &own(10, 5), LOAD, MEMORY, STATUS).unwrap();
    let now = Reading::parse("cpu  140 10 60 960 0 5 5 20 0 0\ncpu0 1\n", &own(30, 10), LOAD, MEMORY, STATUS).unwrap();
    assert_eq!(
        now.since(&before),
        MachineUse {
            user_share: 2_500,
            system_share: 1_000,
            own_user_share: 1_000,
            own_system_share: 250,
            load: [5, 125, 1_200],
            memory_mib: 4_096,
            free_share: 2_500,
            own_mib: 40,
        }
    );
}

#[test]
fn readings_without_time_between_them_divide_nothing() {
    let reading = Reading::parse("cpu  1 1 1 1 1 1 1 1\n", &own(1, 1), LOAD, MEMORY, STATUS).unwrap();
    let used = reading.since(&reading);
    assert_eq!((used.user_share, used.own_system_share), (0, 0));
}

#[test]
fn texts_that_say_something_else_give_no_reading() {
    for (machine, load) in [("", LOAD), ("cpu  1 2\n", LOAD), ("cpu  1 1 1 1 1 1 1 1\n", "none\n")] {
        assert_eq!(Reading::parse(machine, &own(1, 1), load, MEMORY, STATUS), None, "{machine:?} {load:?}");
    }
}
