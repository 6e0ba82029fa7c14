//! Members in processes of their own, killed at any moment: what they had got comes back, nothing they answered is lost.
//!
//! `QSG_ROUNDS` says how many are killed (default 2), `QSG_SEED` repeats a run's choices.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustix::process::{Pid, Signal, kill_process};
use storage::{QueueId, SharedOptions, Store};

use crate::postgres::Database;
use crate::shared::client::{Client, Queues};
use crate::shared::group::{check_nothing_is_held, count, drain, eventually, get, know_queue, member, options, put};
use crate::shared::ledger::{Ledger, Line};
use crate::shared::load::{queues_for, setting};
use crate::shared::structures::{Databases, with_structure};

/// Of each process.
const CLIENTS: u64 = 6;

/// Two members are at work; each is killed and started again in its turn.
#[test]
fn members_that_are_killed_lose_nothing_that_they_answered_and_hold_nothing() {
    let database = Database::of_group("QSG1");
    check_kills(&[&database], options(&database.url, "QM0"), ["APP1"; 3]);
}

#[test]
fn members_that_are_killed_with_units_over_two_databases_leave_both_parts_or_none() {
    let databases = Databases::new();
    check_kills(&databases.both(), databases.options("QM0"), ["APP1", "APP1", "APP0"]);
}

fn check_kills(databases: &[&Database], peer: SharedOptions, structures: [&str; 3]) {
    let seed = setting("QSG_SEED", rand::random());
    println!("QSG_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let stores = [member(SharedOptions { silence: Duration::from_secs(2), ..peer })];
    eventually("takes part", || stores[0].reaches_whole_group());
    let queues = queues_for(&stores, structures);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut started = 0;
    let mut start = |name: &str| {
        started += 1;
        Process::start(databases, queues, name, started, folder.path())
    };
    let mut processes = [start("QM1"), start("QM2")];
    let rounds = setting("QSG_ROUNDS", 2);
    for round in 0..rounds {
        for process in &processes {
            eventually("it is at work", || process.lines().len() > 200);
        }
        // At any moment of its work.
        std::thread::sleep(Duration::from_micros(random.gen_range(0..400_000)));
        let victim = usize::try_from(round % 2).expect("0 or 1");
        processes[victim].kill();
        if round + 1 < rounds {
            let name = ["QM1", "QM2"][victim];
            processes[victim] = start(name);
        }
    }
    processes.iter_mut().for_each(Process::kill);
    eventually("the peer gives back what they had got", || {
        // What they had on its way locks messages for as long as it lasts: a drain would pass over them.
        let held = "SELECT (SELECT count(*) FROM message WHERE owner IS NOT NULL) + (SELECT count(*) FROM pg_stat_activity \
                    WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid())";
        databases.iter().all(|database| count(database, held) == 0)
    });
    databases.iter().for_each(check_nothing_is_held);
    let mut ledger = Ledger::default();
    for run in 1..=started {
        for client in 0..CLIENTS {
            ledger.add(&lines_of(&file(folder.path(), run, client)));
        }
    }
    println!("{} messages", ledger.sure());
    let left: Vec<u64> = queues.all().into_iter().flat_map(|queue| drain(&stores[0], queue)).collect();
    ledger.check(&left, false);
}

pub(crate) struct Process {
    child: Child,
    run: u64,
    folder: PathBuf,
}

impl Process {
    pub(crate) fn start(databases: &[&Database], queues: Queues, name: &str, run: u64, folder: &Path) -> Self {
        let urls = databases.iter().map(|database| database.url.as_str()).collect::<Vec<_>>().join(",");
        let queues = queues.all().map(|queue| queue.0.to_string()).join(",");
        let child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--ignored", "--exact", "shared::killed::a_member_of_its_own"])
            .env("QSG_MEMBER", [&urls, name, &queues, &run.to_string(), folder.to_str().expect("a path")].join(" "))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        Self { child, run, folder: folder.to_owned() }
    }

    pub(crate) fn lines(&self) -> Vec<Line> {
        self.lines_of_clients().concat()
    }

    pub(crate) fn lines_of_clients(&self) -> Vec<Vec<Line>> {
        (0..CLIENTS).map(|client| lines_of(&file(&self.folder, self.run, client))).collect()
    }

    /// How often its private queue has given back what was put on it.
    pub(crate) fn rounds_of_private_queue(&self) -> u64 {
        let path = private_file(&self.folder, self.run);
        std::fs::metadata(path).map_or(0, |metadata| metadata.len())
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
    }

    pub(crate) fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        self.child.wait().expect("ends");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn private_file(folder: &Path, run: u64) -> PathBuf {
    folder.join(format!("{run}.private"))
}

fn file(folder: &Path, run: u64, client: u64) -> PathBuf {
    folder.join(format!("{run}.{client}"))
}

/// A last line that is not whole was not told.
fn lines_of(path: &Path) -> Vec<Line> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().filter_map(Line::of).collect()
}

#[test]
#[ignore = "the test that kills members starts it in a process of its own"]
fn a_member_of_its_own() {
    let settings = std::env::var("QSG_MEMBER").expect("started by the test that kills members");
    let [urls, name, numbers, run, folder] = settings.split(' ').collect::<Vec<_>>().try_into().expect("five settings");
    let run: u64 = run.parse().expect("a number");
    let numbers: Vec<QueueId> = numbers.split(',').map(|number| QueueId(number.parse().expect("a queue"))).collect();
    let queues = Queues { work: numbers[0], replies: numbers[1], ordered: numbers[2] };
    let (home, own) = urls.split_once(',').unwrap_or((urls, ""));
    let options = options(home, name);
    let store = member(if own.is_empty() { options } else { with_structure(options, "APP1", own) });
    eventually("takes part", || store.reaches_whole_group());
    queues.all().into_iter().for_each(|queue| know_queue(&store, queue));
    let stop = Arc::new(AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| use_private_queue(&store, &private_file(Path::new(folder), run)));
        for client in 0..CLIENTS {
            let (store, stop) = (&store, &stop);
            let open = OpenOptions::new().create(true).append(true).open(file(Path::new(folder), run, client));
            let file: Mutex<File> = Mutex::new(open.expect("opens"));
            scope.spawn(move || {
                let write = Box::new(move |line: Line| {
                    let mut file = file.lock().expect("not poisoned");
                    file.write_all(format!("{}\n", line.text()).as_bytes()).expect("writes");
                });
                let client = Client::new(store, queues, run * 100 + client, run, write);
                assert!(client.run(stop, false).is_ok(), "the database is there");
            });
        }
    });
}

/// Writes a byte for each message that comes back; ends the process when one does not.
fn use_private_queue(store: &Store, path: &Path) {
    let queue = store.create_queue();
    let mut file = File::create(path).expect("creates");
    for name in 1.. {
        let is_back = put(store, None, queue, name, true).is_ok()
            && matches!(get(store, None, queue), Ok(Some(got)) if got == name);
        if !is_back {
            std::process::exit(1);
        }
        file.write_all(b".").expect("writes");
        std::thread::sleep(Duration::from_millis(2));
    }
}
