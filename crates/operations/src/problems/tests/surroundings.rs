//! Rules about services, pools and certificates.

use service::activity::{Activity, Ending};

use super::*;
use crate::activity::Sort;

fn two_way(activity: &Activity) -> Observed {
    Observed {
        requests_go_to: Some(("QM1".to_owned(), "LOAN.REQUEST".to_owned())),
        is_two_way: true,
        ..Observed::of(Sort::Service, "loanCheck", activity)
    }
}

fn end(activity: &Activity, status: u16, times: usize) {
    for _ in 0..times {
        let ending = Ending { status, said: b"", is_unanswered: status == 204 };
        activity.admit(tokio::time::Instant::now()).expect("started").ended(ending);
    }
}

impl Engine {
    fn deploy(&self, activity: &Activity) {
        self.around.lock().deployed = vec![two_way(activity)];
        self.pass(3);
    }
}

#[test]
fn a_service_without_replies_is_told_with_the_queue_that_its_responder_does_not_read() {
    let engine = Engine::start();
    engine.define("LOAN.REQUEST", |_| {});
    engine.problems.activities.sample(&[]);
    let activity = Activity::new(true);
    end(&activity, 204, 2);
    engine.deploy(&activity);
    assert!(engine.ids().is_empty(), "two are few");
    end(&activity, 204, 1);
    end(&activity, 200, 3);
    engine.deploy(&activity);
    let problem = engine.problems()[0].clone();
    assert_eq!((&problem["id"], &problem["severity"]), (&json!("service-failing:loanCheck"), &json!("error")));
    assert_eq!(
        problem["text"],
        "Service loanCheck got no reply 3 times in 0 s: 50 % of its requests. No application reads LOAN.REQUEST, the queue of its \
         requests. Start the program that answers."
    );
    let opened = engine.open("LOAN.REQUEST");
    engine.pass(3);
    let text = engine.problems()[0]["text"].as_str().expect("text").to_owned();
    assert!(text.ends_with("1 application reads LOAN.REQUEST, the queue of its requests, and answers too late or not at all. Look at that program."), "{text}");
    engine.runtime.block_on(engine.connection.close(opened.handle, Default::default())).expect("closed");
    end(&activity, 200, 60);
    engine.deploy(&activity);
    assert!(engine.ids().is_empty(), "less than 5 %");
}

#[test]
fn a_stopped_service_and_one_that_fails_are_told() {
    let engine = Engine::start();
    engine.problems.activities.sample(&[]);
    let activity = Activity::new(true);
    end(&activity, 503, 4);
    engine.deploy(&activity);
    let text = engine.problems()[0]["text"].as_str().expect("text").to_owned();
    assert!(
        text.starts_with("Service loanCheck: 4 of 4 requests failed") && text.contains("Its last caller got 503."),
        "{text}"
    );
    activity.stop();
    engine.deploy(&activity);
    assert_eq!(engine.ids()[0].0, "service-stopped:loanCheck");
}

#[test]
fn certificates_that_end_and_pools_at_their_limit_are_told() {
    let engine = Engine::start();
    let certificate = |days: u64| around::Certificate {
        file: "tls/server.crt".to_owned(),
        subject: "CN=server".to_owned(),
        ends: Duration::from_secs(START / 1000 + days * 86_400),
    };
    let certain = |days: u64| {
        engine.around.lock().certificates = vec![certificate(days)];
        engine.pass(3);
        engine.problems().first().map(|problem| (problem["severity"].clone(), problem["text"].clone()))
    };
    assert_eq!(certain(31), None);
    let (severity, text) = certain(20).expect("told");
    assert_eq!(
        (severity, text),
        (
            json!("warning"),
            json!(
                "The certificate CN=server of tls/server.crt ends in 19 days. Replace the file; the server reads it again by itself."
            )
        )
    );
    assert_eq!(certain(5).expect("told").0, "error");
    assert!(certain(0).expect("told").1.as_str().expect("text").contains("has ended"));
    engine.around.lock().certificates.clear();
    engine.around.lock().initial_users = vec!["admin".to_owned(), "app".to_owned()];
    engine.pass(3);
    let note = engine.problems()[0].clone();
    assert_eq!((&note["id"], &note["severity"]), (&json!("initial-passwords:admin"), &json!("note")));
    engine.around.lock().initial_users.clear();
    engine.around.lock().pools = vec![around::Pool {
        purpose: "services",
        name: "QM2".to_owned(),
        is_remote: true,
        is_reachable: false,
        in_use: 4,
        waiting: 14,
        refused: 0,
        overflowed: 0,
    }];
    engine.pass(3);
    let ids: Vec<String> = engine.ids().into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["pool-unreachable:QM2:services", "pool-at-limit:QM2:services"]);
}
