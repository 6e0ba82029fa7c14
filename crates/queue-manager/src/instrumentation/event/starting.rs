//! Start and stop of the queue manager (STRSTPEV).
//!
//! The event of a stop is read after the next start, so its queue needs DEFPSIST(YES), as in MQ.
//!
//! Source: MQ monitoring, "Queue Manager Active", "Queue Manager Not Active", 9.2.

use model::pcf::Parameter;

use crate::engine::Engine;
use crate::instrumentation::event::number as n;
use crate::instrumentation::event::{self, Family};
use crate::instrumentation::status::host_name;

/// Put once the queue manager runs.
pub(crate) fn started(engine: &Engine) {
    if !engine.definition.read().start_stop_event {
        return;
    }
    let parameters = vec![
        event::name(n::MQCA_Q_MGR_NAME, &engine.name),
        // There are no standby instances.
        Parameter::integer(n::MQIACF_REASON_QUALIFIER, n::MQRQ_FAILOVER_NOT_PERMITTED),
        Parameter::text(n::MQCACF_HOST_NAME, host_name()),
    ];
    engine.left_over.push_event(Family::QueueManager.event(n::MQRC_Q_MGR_ACTIVE, parameters));
}

pub(crate) async fn stopping(engine: &Engine, was_quiesced: bool) {
    if !engine.definition.read().start_stop_event {
        return;
    }
    let qualifier = if was_quiesced { n::MQRQ_Q_MGR_QUIESCING } else { n::MQRQ_Q_MGR_STOPPING };
    let parameters =
        vec![event::name(n::MQCA_Q_MGR_NAME, &engine.name), Parameter::integer(n::MQIACF_REASON_QUALIFIER, qualifier)];
    event::send(engine, Family::QueueManager.event(n::MQRC_Q_MGR_NOT_ACTIVE, parameters)).await;
}
