use std::fs;
use std::thread;

use rustix::process::setpriority_process;

use super::enter;

/// Fields of proc(5) `stat` behind the name, which may hold blanks: `nice` is the 19th of all, `policy` the 41st.
const NICE: usize = 16;
const POLICY: usize = 38;
const SCHED_BATCH: &str = "3";

fn own_stat() -> Vec<String> {
    let stat = fs::read_to_string("/proc/thread-self/stat").expect("the system tells of threads");
    let behind_name = stat.rsplit_once(')').expect("a name in brackets").1;
    behind_name.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn a_thread_becomes_batch_work_and_keeps_its_nice_value() {
    let in_thread = || {
        let before = own_stat();
        enter();
        (before, own_stat())
    };
    let (before, after) = thread::spawn(in_thread).join().expect("no panic");
    assert_eq!(after[NICE], before[NICE]);
    if before[NICE] == "0" {
        assert_eq!(after[POLICY], SCHED_BATCH);
    }
}

#[test]
fn a_thread_with_a_nice_value_keeps_to_it() {
    let in_thread = || {
        setpriority_process(None, 7).expect("anybody may be nicer");
        let before = own_stat();
        enter();
        (before, own_stat())
    };
    let (before, after) = thread::spawn(in_thread).join().expect("no panic");
    assert_eq!(before[NICE], "7");
    assert_eq!((&after[NICE], &after[POLICY]), (&before[NICE], &before[POLICY]));
}

#[test]
fn other_threads_stay_as_they_are() {
    let before = own_stat();
    thread::spawn(enter).join().expect("no panic");
    assert_eq!(own_stat()[POLICY], before[POLICY]);
}
