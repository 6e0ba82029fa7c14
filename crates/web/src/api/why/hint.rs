//! The hint of a problem with reason 2035: which rule decided, and which command would allow it.

use identity::Identity;
use queue_manager::decision::Decision;

use crate::admin::decode;
use crate::error::ApiError;
use crate::service::Call;

use super::is_administrator;

/// Completes an error of a path below `/api/v1/qmgr/{qmgr}`. Administrators are told the rule and the command, from the refusal that
/// the queue manager has just remembered; others, whom to ask.
pub(crate) fn add(call: Call<'_>, identity: &Identity, error: ApiError) -> ApiError {
    if !error.is_not_authorized() {
        return error;
    }
    let Ok(name) = decode(call.parameters[0]) else { return error };
    let Ok(queue_manager) = call.shared.queue_managers.get(&name) else { return error };
    let why = format!("/api/v1/qmgr/{name}/why/2035");
    if !is_administrator(identity) {
        let action = "Ask an administrator to grant the authority";
        return error
            .with_hint(format!("{action}. {why} lists your last refusals, and shows administrators the rule."));
    }
    match queue_manager.last_refusal(&identity.principal, call.now, error.object()) {
        Some(noted) => error.with_hint(sentences(&noted.what.decision, &why)),
        None => error,
    }
}

fn sentences(decision: &Decision, why: &str) -> String {
    let remedy = decision.remedies().into_iter().next().map(|remedy| remedy.mqsc.join("; "));
    let rule = decision.rule();
    match remedy {
        Some(mqsc) => format!("The rule: {rule}. {why} explains it. This command allows it: {mqsc}"),
        None => format!("The rule: {rule}. {why} explains it."),
    }
}
