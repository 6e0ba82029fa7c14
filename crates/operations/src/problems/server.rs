//! Rules about the server itself: its certificates, and the connections that requests share.

use std::time::Duration;

use message_api::live::Concern;
use message_api::time_text::write_moment;
use model::timestamp::Timestamp;
use serde_json::json;

use super::around::{Around, Certificate, Pool};
use super::finding::{Finding, Severity, Since};
use super::words::{age, list};

/// A certificate that ends in less is a problem.
const SOON: Duration = Duration::from_secs(30 * 86_400);
/// And in less than this an error.
const VERY_SOON: Duration = Duration::from_secs(7 * 86_400);

pub(super) fn find(now: Timestamp, around: &dyn Around) -> Vec<Finding> {
    let (certificates, pools) = (around.certificates(), around.pools());
    let mut found: Vec<Finding> = certificates.iter().filter_map(|one| certificate(now, one)).collect();
    found.extend(pools.iter().filter_map(unreachable));
    found.extend(pools.iter().filter_map(waiting));
    found.extend(initial_passwords(&around.initial_users()));
    found
}

fn certificate(now: Timestamp, one: &Certificate) -> Option<Finding> {
    let ends = Timestamp::default().saturating_add(one.ends);
    let left = ends.since(now);
    if ends > now && left >= SOON {
        return None;
    }
    let severity = if ends <= now || left < VERY_SOON { Severity::Error } else { Severity::Warning };
    let when = if ends <= now { "has ended: clients refuse it".to_owned() } else { format!("ends in {}", age(left)) };
    let text = format!(
        "The certificate {} of {} {when}. Replace the file; the server reads it again by itself.",
        one.subject, one.file
    );
    Some(
        Finding::new("certificate-ends", severity, ("server", &one.file), Concern::Server)
            .since(Since::At(Timestamp::default().saturating_add(one.ends.saturating_sub(SOON))))
            .mark(left.as_secs() / 86_400)
            .text(text)
            .value("subject", one.subject.as_str())
            .value("file", one.file.as_str())
            .value("ends", write_moment(ends))
            .next(json!({ "action": "server", "text": "See the certificates of the server" })),
    )
}

fn of_pool(rule: &'static str, severity: Severity, pool: &Pool) -> Finding {
    Finding::new(rule, severity, ("pool", &pool.name), Concern::Server)
        .part(pool.purpose.to_owned())
        .value("pool", pool.name.as_str())
        .value("purpose", pool.purpose)
        .value("inUse", pool.in_use)
        .value("waiting", pool.waiting)
        .next(json!({ "action": "server", "text": "See the pools of the server" }))
}

fn unreachable(pool: &Pool) -> Option<Finding> {
    (pool.is_remote && !pool.is_reachable).then(|| {
        of_pool("pool-unreachable", Severity::Error, pool).text(format!(
            "Remote queue manager {} cannot be reached: the last attempt to connect failed. See the log for its reason.",
            pool.name
        ))
    })
}

fn waiting(pool: &Pool) -> Option<Finding> {
    (pool.waiting > 0).then(|| {
        of_pool("pool-at-limit", Severity::Warning, pool)
            .text(format!(
                "All {} connections to {} that {} may have are in use, and {} requests wait. Raise the limit, or find what holds them.",
                pool.in_use, pool.name, pool.purpose, pool.waiting
            ))
            .value("refused", pool.refused)
            .value("overflowed", pool.overflowed)
    })
}

fn initial_passwords(users: &[String]) -> Option<Finding> {
    let names: Vec<&str> = users.iter().map(String::as_str).collect();
    let (first, has) = (names.first()?, if names.len() == 1 { "has" } else { "have" });
    let text = format!(
        "{} {has} the password that the server made at its first start, which lies in the file initial-passwords. Set other passwords before others use the server.",
        list(&names)
    );
    Some(
        Finding::new("initial-passwords", Severity::Note, ("user", first), Concern::Server)
            .mark(names.join(","))
            .text(text)
            .value("users", json!(names))
            .next(json!({ "action": "server", "text": "See the users of the server" })),
    )
}
