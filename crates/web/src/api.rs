//! `/api/v1`: the message API as HTTP has it. Paths, headers, media types and status codes; what they mean is `message-api`'s.
//!
//! Names, authority and errors are those of the messaging REST API (`messaging.rs`), errors in the form of RFC 9457. A request
//! that takes or changes messages in several steps runs to its end, also when its client has gone (`to_the_end.rs`).

mod activity;
mod around;
mod batch;
mod browse;
mod changes;
pub(crate) mod console;
mod copybooks;
mod deliveries;
mod event_stream;
mod exchanges;
mod export;
mod get;
mod group;
mod headers;
mod history;
mod import;
mod jobs;
mod keys;
mod lines;
mod lists;
mod live;
pub(crate) mod problem;
mod problems;
pub(crate) mod push;
mod put;
mod request;
mod selection;
pub(crate) mod snapshots;
mod stream;
mod test_control;
mod to_the_end;
pub(crate) mod traffic;
mod transaction;
mod viewer;
mod why;

pub(crate) use why::add_hint;

use std::sync::Arc;

use http::{HeaderValue, StatusCode};
use identity::Identity;
use message_api::copybooks::NoCopybook;
use message_api::error::NotAMessage;
use operations::lists::List;
use serde::Serialize;

use crate::answer::{self, Answer};
use crate::error::{self, ApiError};
use crate::request_body::RequestBody;
use crate::service::Call;

/// What serves a route below `/api/v1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApiHandler {
    PutMessages,
    TakeMessages,
    BrowseMessages,
    ShowMessage,
    TakeMessage,
    ShowMessageBody,
    PublishMessages,
    ReceiveMessages,
    SettleDeliveries,
    SettleDelivery,
    RunTransaction,
    ExchangeMessages,
    StartJob,
    ListJobs,
    ShowJob,
    CancelJob,
    UndoJob,
    ExportMessages,
    ImportMessages,
    WhyRefused,
    WhyDeadLetter,
    WhyChannel,
    WhyGet,
    ShowHistory,
    OpenLiveStream,
    WatchLiveStream,
    Show(List),
    Push(PushHandler),
    Test(TestHandler),
    StreamQueue,
    StreamTopic,
    ListCopybooks,
    ShowCopybook,
    ListProblems,
    ShowGroup,
    MuteProblem,
    UnmuteProblem,
    ShowActivity,
    ListChanges,
}

/// What is done with push targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PushHandler {
    Put,
    List,
    Show,
    Delete,
    Pause,
    Resume,
}

/// What tests have in their hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TestHandler {
    ListFaults,
    AddFault,
    ClearFaults,
    DeleteFault,
    ShowClock,
    MoveClock,
    TakeSnapshot,
    ListSnapshots,
    DeleteSnapshot,
    RestoreSnapshot,
    ShowExchanges,
    SetExchanges,
    ShowTraffic,
    SetTraffic,
    ListRecords,
    LoadRecords,
    PutRecords,
}

impl ApiHandler {
    /// Asks whether an API key is for what the request wants. API keys are for messages, not for their circumstances.
    pub(crate) fn checks_scope(self) -> bool {
        use ApiHandler::{
            ListChanges, ListProblems, MuteProblem, Show, ShowActivity, ShowGroup, Test, UnmuteProblem, WhyChannel,
            WhyDeadLetter, WhyGet, WhyRefused,
        };
        let is_of_circumstances = matches!(
            self,
            WhyRefused
                | WhyDeadLetter
                | WhyChannel
                | WhyGet
                | Show(_)
                | Test(_)
                | ListProblems
                | MuteProblem
                | UnmuteProblem
                | ListChanges
                | ShowActivity
                | ShowGroup
        );
        !is_of_circumstances
    }

    pub(crate) fn takes_body(self) -> bool {
        use ApiHandler::{
            ExchangeMessages, ImportMessages, MuteProblem, PublishMessages, PutMessages, ReceiveMessages,
            RunTransaction, SettleDeliveries, SettleDelivery, StartJob, UndoJob, WatchLiveStream,
        };
        matches!(
            self,
            PutMessages
                | PublishMessages
                | ExchangeMessages
                | ReceiveMessages
                | SettleDeliveries
                | SettleDelivery
                | RunTransaction
                | StartJob
                | UndoJob
                | ImportMessages
                | ApiHandler::Push(PushHandler::Put)
                | ApiHandler::Test(
                    TestHandler::AddFault
                        | TestHandler::MoveClock
                        | TestHandler::SetExchanges
                        | TestHandler::SetTraffic
                        | TestHandler::LoadRecords
                        | TestHandler::PutRecords
                )
                | WatchLiveStream
                | MuteProblem
        )
    }
}

pub(crate) async fn handle(
    call: Call<'_>,
    handler: ApiHandler,
    identity: &Arc<Identity>,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    match handler {
        ApiHandler::PutMessages => put::put(call, identity, body).await,
        ApiHandler::TakeMessages => get::take(call, identity).await,
        ApiHandler::BrowseMessages => Box::pin(browse::list(call, identity)).await,
        ApiHandler::ShowMessage => Box::pin(browse::show(call, identity)).await,
        ApiHandler::ShowMessageBody => Box::pin(browse::show_body(call, identity)).await,
        ApiHandler::TakeMessage => Box::pin(get::take_one(call, identity)).await,
        ApiHandler::PublishMessages => Box::pin(put::publish(call, identity, body)).await,
        ApiHandler::ExchangeMessages => Box::pin(request::exchange(call, identity, body)).await,
        ApiHandler::ReceiveMessages => Box::pin(deliveries::receive(call, identity, body)).await,
        ApiHandler::SettleDeliveries => Box::pin(deliveries::settle_many(call, identity, body)).await,
        ApiHandler::SettleDelivery => Box::pin(deliveries::settle(call, identity, body)).await,
        ApiHandler::RunTransaction => Box::pin(transaction::run(call, identity, body)).await,
        ApiHandler::StartJob => Box::pin(jobs::start(call, identity, body)).await,
        ApiHandler::ListJobs => Box::pin(jobs::list(call, identity)).await,
        ApiHandler::ShowJob => Box::pin(jobs::show(call, identity)).await,
        ApiHandler::CancelJob => Box::pin(jobs::cancel(call, identity)).await,
        ApiHandler::UndoJob => Box::pin(jobs::undo(call, identity, body)).await,
        ApiHandler::ExportMessages => Box::pin(export::export(call, identity)).await,
        ApiHandler::ImportMessages => Box::pin(import::import(call, identity, body)).await,
        ApiHandler::WhyRefused => Box::pin(why::refused(call, identity)).await,
        ApiHandler::WhyDeadLetter => Box::pin(why::dead_letter(call, identity)).await,
        ApiHandler::WhyChannel => Box::pin(why::channel(call, identity)).await,
        ApiHandler::WhyGet => Box::pin(why::get(call, identity)).await,
        ApiHandler::Push(handler) => Box::pin(push::handle(call, handler, identity, body)).await,
        ApiHandler::Test(handler) => Box::pin(test_control::handle(call, handler, body)).await,
        ApiHandler::StreamQueue => Box::pin(stream::of_queue(call, identity)).await,
        ApiHandler::StreamTopic => Box::pin(stream::of_topic(call, identity)).await,
        ApiHandler::ShowHistory => history::show(call, identity),
        ApiHandler::Show(list) => Box::pin(lists::show(call, list, identity)).await,
        ApiHandler::OpenLiveStream => live::open(call, identity),
        ApiHandler::WatchLiveStream => Box::pin(live::watch(call, identity, body)).await,
        ApiHandler::ListChanges => changes::list(call, identity),
        ApiHandler::ShowActivity => activity::show(call),
        ApiHandler::ShowGroup => Box::pin(group::show(call)).await,
        ApiHandler::ListProblems => Box::pin(problems::list(call, identity)).await,
        ApiHandler::MuteProblem => Box::pin(problems::mute(call, identity, body)).await,
        ApiHandler::UnmuteProblem => Box::pin(problems::unmute(call, identity)).await,
        ApiHandler::ListCopybooks => copybooks::list(call),
        ApiHandler::ShowCopybook => copybooks::show(call),
    }
}

/// A request that is not a message, or not one that it says it is.
fn not_a_message(problem: &NotAMessage) -> ApiError {
    match problem {
        NotAMessage::Copybook(NoCopybook::Unknown(name)) => ApiError::new(&error::NO_SUCH_COPYBOOK, &[name]),
        NotAMessage::Type(problem) => ApiError::new(&error::CHARACTER_SET, &[&problem.to_string()]),
        other => ApiError::new(&error::BODY_NOT_VALID, &[&other.to_string()]),
    }
}

const PLAIN_JSON: HeaderValue = HeaderValue::from_static("application/json");

fn json(status: StatusCode, value: &impl Serialize) -> Answer {
    let bytes = serde_json::to_vec(value).expect("it has string keys only");
    answer::of_service(status, Some(PLAIN_JSON), bytes.into())
}
