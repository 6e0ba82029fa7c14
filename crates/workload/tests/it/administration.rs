//! Administrative requests as scripts make them: reading, and changing with and without the token of the older CSRF rule.

use std::sync::atomic::Ordering;

use crate::queue_server::{Faults, QueueServer};
use crate::run::run;

#[test]
fn all_paths_of_a_transaction_are_got_and_their_bytes_counted() {
    let server = QueueServer::start(Faults::default(), None);
    let lines = "scenario = 'administration'\nuser = 'app'\nclients = 3\nrequests = 30\npost_path = '/admin/action'\nbody = '{}'\n\
        paths = ['/ibmmq/rest/v1/admin/installation', '/ibmmq/rest/v1/admin/qmgr?status=*']";
    let report = run(&server, lines);
    assert_eq!((report.transactions, report.errors), (30, 0), "{report}");
    assert!((report.received_bytes_per_transaction - 3000.0).abs() < 1e-9, "{report}");
    assert_eq!(server.state.logins.load(Ordering::Relaxed), 3, "LTPA: one login a client");
}

#[test]
fn a_patch_repeats_the_token_of_a_login_before_each_or_of_one_login() {
    for (csrf, login, token_logins) in [("every", "basic", 12), ("once", "basic", 2), ("once", "ltpa", 0)] {
        let server = QueueServer::start(Faults::default(), None);
        let report = run(
            &server,
            &format!(
                "scenario = 'administration'\nuser = 'app'\nlogin = '{login}'\ncsrf = '{csrf}'\nclients = 2\n\
                 requests = 12\nwarmup = '0s'\npatch_path = '/ibmmq/rest/v1/admin/queue/Q{{client}}'\n\
                 patch_body = '{{\"maximumDepth\":{{n}}}}'"
            ),
        );
        assert_eq!((report.transactions, report.errors), (12, 0), "{csrf} {login}: {report}");
        assert_eq!(server.state.token_logins.load(Ordering::Relaxed), token_logins, "{csrf} {login}");
        let patches = server.state.patches.lock().unwrap();
        assert!(patches.contains(&"{\"maximumDepth\":1}".into()), "{patches:?}");
        assert_eq!(patches.len(), 12);
    }
}

#[test]
fn a_patch_without_the_token_is_an_error_that_is_told() {
    let server = QueueServer::start(Faults::default(), None);
    let lines = "scenario = 'administration'\nuser = 'app'\nrequests = 4\npatch_path = '/admin/q'\npatch_body = '{}'";
    let report = run(&server, lines);
    assert_eq!((report.transactions, report.errors), (0, 4), "{report}");
    assert!(report.first_error.as_deref().unwrap().contains("403"), "{report}");
}
