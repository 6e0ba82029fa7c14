//! How the threads of a load are scheduled: as batch work (`SCHED_BATCH`).
//!
//! A thread of a load that is woken by an answer waits for the running thread, instead of interrupting it. The server
//! that sent the answer is mostly in the middle of sending others: interrupted, it is measured with a switch of threads for
//! each of them, and serves less. Where a processor idles, nothing changes.
//!
//! Source: sched(7), "`SCHED_BATCH`".

use rustix::process::getpriority_process;
use thread_priority::{
    NormalThreadSchedulePolicy, ThreadPriority, ThreadPriorityValue, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id, thread_schedule_policy,
};

/// What the library translates to a nice value of 0.
const NICE_0: u8 = 48;

const ORDINARY: ThreadSchedulePolicy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Other);

/// Has this thread, and what it starts from now on, scheduled as batch work. A load that was given a nice value or a policy
/// by who started it keeps to that.
pub fn enter() {
    if getpriority_process(None) != Ok(0) || thread_schedule_policy() != Ok(ORDINARY) {
        return;
    }
    let policy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Batch);
    if let Ok(priority) = ThreadPriorityValue::try_from(NICE_0) {
        // Without it, a load is still a load.
        let _ = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Crossplatform(priority), policy);
    }
}

#[cfg(test)]
mod tests;
