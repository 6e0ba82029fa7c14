//! The one route table: which method on which path leads to which handler, for which roles, under which CSRF rule.
//!
//! Data only, plus the matching. Paths are matched as they came, still percent-encoded: an encoded slash is part of a
//! name, a plain one separates parts. Each part is decoded once, by its user. `openapi.rs`, the explorer page
//! and the golden list of endpoints are made from this table, so that nothing can be served that is not listed.

use http::{HeaderValue, Method};
use identity::Roles;
use operations::lists::List;

use crate::api::{ApiHandler, PushHandler, TestHandler};
use crate::csrf::CsrfRule;
use crate::error::Form;

/// Generation of the REST API, as the path names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Version {
    V1,
    V2,
    V3,
}

impl Version {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
            Self::V3 => "v3",
        }
    }

    fn parse(part: &str) -> Option<Self> {
        ALL_VERSIONS.iter().copied().find(|version| version.name() == part)
    }
}

pub(crate) const ALL_VERSIONS: &[Version] = &[Version::V1, Version::V2, Version::V3];

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Credentials are not even looked at.
    Everybody,
    /// Any user whose credentials are right.
    Identified,
    /// A user with one of these roles.
    Role(Roles),
}

/// What serves a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Handler {
    /// Does not know who asks.
    Public(PublicHandler),
    /// Answers, errors too, in the form of z/OS Connect.
    ZosConnect(ZosConnectHandler),
    /// Answers errors as RFC 9457 has them.
    Api(ApiHandler),
    /// As these, for the console; knows how the request was authenticated.
    Console(ConsoleHandler),
    PutMessage,
    GetMessage,
    BrowseMessage,
    ListMessages,
    PublishMessage,
    RunMqsc,
    ShowInstallation,
    ListQueueManagers,
    ShowQueueManager,
    DumpDefinitions,
    ListQueues,
    ShowQueue,
    CreateQueue,
    AlterQueue,
    DeleteQueue,
    ListChannels,
    ShowChannel,
    ListSubscriptions,
    ShowSubscription,
    ShowLogin,
    Logout,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PublicHandler {
    Login,
    Live,
    Ready,
    Metrics,
    OpenApi,
    Docs,
    Explorer,
    Root,
    ConsolePage,
    ConsoleAsset,
    ConsoleSignIn,
    /// The pages of the manual.
    Book,
    BeginSignIn,
    FinishSignIn,
    ZosConnectDocs,
    /// The page of one kind of error.
    Problem,
    /// Below the base path of an API. It is not in the table: APIs are deployed.
    ApiDocument,
}

/// What the console asks for beside messages and objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConsoleHandler {
    Session,
    Grammar,
    Log,
    ConnectCard,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ZosConnectHandler {
    /// By its name. Neither this nor the next two are in the table: what they lead to is deployed.
    InvokeService,
    /// By a path of the service's own.
    InvokeByPath,
    /// Below the base path of an API.
    CallApi,
    ListServices,
    DeployService,
    ShowService,
    ChangeService,
    DeleteService,
    ShowServiceSchema,
    ShowServiceStatistics,
    ListApis,
    DeployApi,
    ShowApi,
    ChangeApi,
    DeleteApi,
    /// A program calls an API. Not everybody has to say who he is for it.
    CallRequester,
    ListRequesters,
    DeployRequester,
    ShowRequester,
    ChangeRequester,
    DeleteRequester,
}

impl Handler {
    /// Served by the metrics listener too.
    pub(crate) fn is_for_monitoring(self) -> bool {
        use PublicHandler::{Live, Metrics, Ready};
        matches!(self, Self::Public(Live | Ready | Metrics))
    }

    /// Tells which APIs and services there are.
    pub(crate) fn is_document(self) -> bool {
        use PublicHandler::{ApiDocument, Docs, OpenApi, ZosConnectDocs};
        matches!(self, Self::Public(OpenApi | Docs | ZosConnectDocs | ApiDocument))
    }

    /// Served only by a server that was started for tests.
    pub(crate) fn is_of_tests(self) -> bool {
        matches!(self, Self::Api(ApiHandler::Test(_)))
    }

    /// Reads the body of its request. Before the others run, it is passed over.
    pub(crate) fn takes_body(self) -> bool {
        use ZosConnectHandler::{
            CallApi, CallRequester, ChangeApi, ChangeRequester, ChangeService, DeployApi, DeployRequester,
            DeployService, InvokeByPath, InvokeService,
        };
        match self {
            Self::PutMessage | Self::PublishMessage | Self::RunMqsc | Self::CreateQueue | Self::AlterQueue => true,
            Self::Public(handler) => handler == PublicHandler::Login,
            Self::Api(handler) => handler.takes_body(),
            Self::ZosConnect(handler) => matches!(
                handler,
                InvokeService
                    | InvokeByPath
                    | CallApi
                    | CallRequester
                    | DeployService
                    | ChangeService
                    | DeployApi
                    | ChangeApi
                    | DeployRequester
                    | ChangeRequester
            ),
            _ => false,
        }
    }

    /// Asks whether an API key is for what the request wants. Others are not for API keys.
    pub(crate) fn checks_scope(self) -> bool {
        use Handler::{BrowseMessage, GetMessage, ListMessages, PublishMessage, PutMessage};
        match self {
            Self::Api(handler) => handler.checks_scope(),
            other => matches!(other, PutMessage | GetMessage | BrowseMessage | ListMessages | PublishMessage),
        }
    }

    /// Its answers are always a few lines: they need no memory for answers.
    pub(crate) fn answers_briefly(self) -> bool {
        use Handler::{AlterQueue, CreateQueue, DeleteQueue, Logout, PublishMessage, PutMessage, ShowLogin};
        matches!(self, PutMessage | PublishMessage | CreateQueue | AlterQueue | DeleteQueue | ShowLogin | Logout)
    }

    /// The form of its errors.
    pub(crate) fn form(self) -> Form {
        use PublicHandler::{
            ApiDocument, BeginSignIn, Book, ConsoleAsset, ConsolePage, ConsoleSignIn, FinishSignIn, Problem,
            ZosConnectDocs,
        };
        match self {
            Self::ZosConnect(_) | Self::Public(ApiDocument | ZosConnectDocs) => Form::ZosConnect,
            Self::Api(_)
            | Self::Console(_)
            | Self::Public(Problem | Book | ConsolePage | ConsoleAsset | ConsoleSignIn | BeginSignIn | FinishSignIn) => {
                Form::Problem
            }
            _ => Form::Messaging,
        }
    }

    /// What documents call its operation.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Public(handler) => format!("{handler:?}"),
            Self::ZosConnect(handler) => format!("{handler:?}"),
            Self::Api(ApiHandler::Show(list)) => format!("Show{list:?}"),
            Self::Api(handler) => format!("{handler:?}"),
            Self::Console(handler) => format!("Show{handler:?}"),
            other => format!("{other:?}"),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) method: Method,
    /// A name in braces stands for one part, `{topic}`, `{copybook}` and `{view}` for one or more.
    pub(crate) template: &'static str,
    /// Empty where the path names none.
    pub(crate) versions: &'static [Version],
    pub(crate) access: Access,
    pub(crate) csrf: CsrfRule,
    pub(crate) handler: Handler,
    /// For OpenAPI and the explorer.
    pub(crate) summary: &'static str,
}

const MESSAGE: &str = "/ibmmq/rest/{version}/messaging/qmgr/{qmgr}/queue/{queue}/message";
const MESSAGE_LIST: &str = "/ibmmq/rest/{version}/messaging/qmgr/{qmgr}/queue/{queue}/messagelist";
const PUBLISH: &str = "/ibmmq/rest/{version}/messaging/qmgr/{qmgr}/topic/{topic}/message";
const INSTALLATIONS: &str = "/ibmmq/rest/{version}/admin/installation";
const INSTALLATION: &str = "/ibmmq/rest/{version}/admin/installation/{installation}";
const QMGRS: &str = "/ibmmq/rest/{version}/admin/qmgr";
const QMGR: &str = "/ibmmq/rest/{version}/admin/qmgr/{qmgr}";
const QUEUES: &str = "/ibmmq/rest/{version}/admin/qmgr/{qmgr}/queue";
const QUEUE: &str = "/ibmmq/rest/{version}/admin/qmgr/{qmgr}/queue/{queue}";
const DEFINITIONS: &str = "/ibmmq/rest/{version}/admin/qmgr/{qmgr}/definitions";
const CHANNELS: &str = "/ibmmq/rest/{version}/admin/qmgr/{qmgr}/channel";
const CHANNEL: &str = "/ibmmq/rest/{version}/admin/qmgr/{qmgr}/channel/{channel}";
const SUBSCRIPTIONS: &str = "/ibmmq/rest/{version}/admin/qmgr/{qmgr}/subscription";
const SUBSCRIPTION: &str = "/ibmmq/rest/{version}/admin/qmgr/{qmgr}/subscription/{subscription}";
// Paths of 9.0.1 to 9.0.3.
const OLD_INSTALLATIONS: &str = "/ibmmq/rest/{version}/installation";
const OLD_INSTALLATION: &str = "/ibmmq/rest/{version}/installation/{installation}";
const OLD_QMGRS: &str = "/ibmmq/rest/{version}/qmgr";
const OLD_QMGR: &str = "/ibmmq/rest/{version}/qmgr/{qmgr}";
const OLD_QUEUES: &str = "/ibmmq/rest/{version}/qmgr/{qmgr}/queue";
const OLD_QUEUE: &str = "/ibmmq/rest/{version}/qmgr/{qmgr}/queue/{queue}";
const LOGIN: &str = "/ibmmq/rest/{version}/login";
const MQSC: &str = "/ibmmq/rest/{version}/admin/action/qmgr/{qmgr}/mqsc";

const API_MESSAGES: &str = "/api/v1/qmgr/{qmgr}/queue/{queue}/messages";
const API_MESSAGE: &str = "/api/v1/qmgr/{qmgr}/queue/{queue}/messages/{position}";
const API_JOBS: &str = "/api/v1/jobs";
const API_JOB: &str = "/api/v1/jobs/{job}";
const API_WATCH: &str = "/api/v1/stream/{stream}/watch";
const API_MUTE: &str = "/api/v1/qmgr/{qmgr}/problems/{problem}/mute";
const API_DELIVERIES: &str = "/api/v1/qmgr/{qmgr}/queue/{queue}/deliveries";

const API_PUSHES: &str = "/api/v1/qmgr/{qmgr}/push";
const API_PUSH: &str = "/api/v1/qmgr/{qmgr}/push/{push}";

const FAULTS: &str = "/api/v1/test/faults";
const FAULT: &str = "/api/v1/test/faults/{fault}";
const SNAPSHOTS: &str = "/api/v1/test/snapshots";
const EXCHANGES: &str = "/api/v1/test/exchanges";
const TRAFFIC: &str = "/api/v1/test/traffic";
const RECORDS: &str = "/api/v1/test/traffic/records";
const CLOCK: &str = "/api/v1/test/clock";

const CONSOLE: &str = "/ibmmq/console";

const SERVICES: &str = "/zosConnect/services";
const SERVICE: &str = "/zosConnect/services/{service}";
const APIS: &str = "/zosConnect/apis";
const API: &str = "/zosConnect/apis/{api}";
const REQUESTERS: &str = "/zosConnect/apiRequesters";
const REQUESTER: &str = "/zosConnect/apiRequesters/{requester}";

const FROM_V2: &[Version] = &[Version::V2, Version::V3];
const V1: &[Version] = &[Version::V1];
const CHANGE: Access = Access::Role(Roles::MQWEB_ADMIN.union(Roles::MQWEB_USER));
const ADMINISTRATOR: Access = Access::Role(Roles::MQWEB_ADMIN.union(Roles::MQWEB_ADMIN_RO));
const USER: Access = Access::Role(Roles::MQWEB_USER);
const MQ_ROLE: Access = Access::Role(Roles::ANY_MQ);
// z/OS Connect's authorities: Admin and Operations, and Reader beside them.
const OPERATE: Access = Access::Role(Roles::MQWEB_ADMIN);
const READ: Access = Access::Role(Roles::MQWEB_ADMIN.union(Roles::MQWEB_ADMIN_RO));
const ANY_ROLE: Access = Access::Role(Roles::all());

macro_rules! routes {
    ($($method:ident $template:expr, $versions:expr, $access:expr, $csrf:ident => $handler:expr, $summary:literal;)*) => {
        pub(crate) static ROUTES: &[Route] = {
            use Handler::*;
            use ApiHandler::*;
            use ConsoleHandler::*;
            use PublicHandler::*;
            use ZosConnectHandler::*;
            &[$(Route {
            method: Method::$method,
            template: $template,
            versions: $versions,
            access: $access,
            csrf: CsrfRule::$csrf,
            handler: $handler,
            summary: $summary,
            },)*]
        };
    };
}

// The busiest first: they are looked at in order.
routes! {
    POST   MESSAGE, ALL_VERSIONS, USER, HeaderPresent => PutMessage, "Puts one message on a queue";
    DELETE MESSAGE, ALL_VERSIONS, USER, HeaderPresent => GetMessage, "Gets the next matching message, removing it";
    GET    MESSAGE, ALL_VERSIONS, USER, Off => BrowseMessage, "Browses the first matching message";
    GET    MESSAGE_LIST, ALL_VERSIONS, USER, Off => ListMessages, "Lists the messages of a queue without their bodies";
    POST   PUBLISH, FROM_V2, USER, HeaderPresent => PublishMessage, "Publishes one message on a topic";
    POST   API_MESSAGES, &[], CHANGE, CookieOnly => Api(PutMessages), "Puts one message, or many, one a line";
    DELETE API_MESSAGES, &[], CHANGE, CookieOnly => Api(TakeMessages), "Gets messages, removing them";
    GET    API_MESSAGES, &[], MQ_ROLE, Off => Api(BrowseMessages), "Browses a queue, page by page";
    POST   "/api/v1/qmgr/{qmgr}/queue/{queue}/requests", &[], USER, CookieOnly => Api(ExchangeMessages), "Puts a request and waits for its reply";
    POST   API_DELIVERIES, &[], USER, CookieOnly => Api(ReceiveMessages), "Receives messages with a lock";
    POST   "/api/v1/qmgr/{qmgr}/deliveries/settle", &[], USER, CookieOnly => Api(SettleDeliveries), "Settles many deliveries";
    POST   "/api/v1/qmgr/{qmgr}/deliveries/{delivery}/{action}", &[], USER, CookieOnly => Api(SettleDelivery), "Completes, abandons or renews a delivery, or puts its message on the dead-letter queue";
    POST   "/api/v1/qmgr/{qmgr}/transactions", &[], USER, CookieOnly => Api(RunTransaction), "Completes deliveries and puts messages, all or nothing";
    POST   "/api/v1/qmgr/{qmgr}/queue/{queue}/jobs", &[], CHANGE, CookieOnly => Api(StartJob), "Moves, copies, purges or replays messages in the background";
    GET    "/api/v1/qmgr/{qmgr}/queue/{queue}/export", &[], MQ_ROLE, Off => Api(ExportMessages), "Exports messages whole, one a line";
    POST   "/api/v1/qmgr/{qmgr}/queue/{queue}/import", &[], CHANGE, CookieOnly => Api(ImportMessages), "Imports messages that were exported";
    GET    API_JOBS, &[], MQ_ROLE, Off => Api(ListJobs), "Lists jobs, the newest first";
    GET    API_JOB, &[], MQ_ROLE, Off => Api(ShowJob), "Shows how far a job has come";
    DELETE API_JOB, &[], CHANGE, CookieOnly => Api(CancelJob), "Cancels a job";
    POST   "/api/v1/jobs/{job}/undo", &[], CHANGE, CookieOnly => Api(UndoJob), "Puts back what a job has put";
    GET    API_MESSAGE, &[], MQ_ROLE, Off => Api(ShowMessage), "Browses the message at a position";
    DELETE API_MESSAGE, &[], CHANGE, CookieOnly => Api(TakeMessage), "Gets the message at a position, removing it";
    GET    "/api/v1/qmgr/{qmgr}/queue/{queue}/messages/{position}/body", &[], MQ_ROLE, Off => Api(ShowMessageBody), "Shows the data of a message as they are";
    POST   "/api/v1/qmgr/{qmgr}/topic/{topic}/messages", &[], CHANGE, CookieOnly => Api(PublishMessages), "Publishes one message, or many, one a line";
    GET    "/api/v1/qmgr/{qmgr}/why/2035", &[], MQ_ROLE, Off => Api(WhyRefused), "Explains why a user is not authorized, or lists the last refusals";
    GET    "/api/v1/qmgr/{qmgr}/why/dead-letter", &[], MQ_ROLE, Off => Api(WhyDeadLetter), "Explains messages of a dead-letter queue";
    GET    "/api/v1/qmgr/{qmgr}/why/channel", &[], MQ_ROLE, Off => Api(WhyChannel), "Explains whether a client gets a channel, or lists the last that were refused";
    GET    "/api/v1/qmgr/{qmgr}/why/get", &[], MQ_ROLE, Off => Api(WhyGet), "Explains why gets of a queue find nothing";
    GET    API_PUSHES, &[], CHANGE, Off => Api(Push(PushHandler::List)), "Lists push targets";
    PUT    API_PUSH, &[], USER, CookieOnly => Api(Push(PushHandler::Put)), "Makes or replaces a push target, which posts messages to a URL";
    GET    API_PUSH, &[], CHANGE, Off => Api(Push(PushHandler::Show)), "Shows a push target and what it has done";
    DELETE API_PUSH, &[], CHANGE, CookieOnly => Api(Push(PushHandler::Delete)), "Deletes a push target";
    POST   "/api/v1/qmgr/{qmgr}/push/{push}/pause", &[], CHANGE, CookieOnly => Api(Push(PushHandler::Pause)), "Stops a push target from taking messages";
    POST   "/api/v1/qmgr/{qmgr}/push/{push}/resume", &[], CHANGE, CookieOnly => Api(Push(PushHandler::Resume)), "Lets a push target take messages again";
    GET    "/api/v1/qmgr/{qmgr}/queue/{queue}/stream", &[], USER, Off => Api(StreamQueue), "Delivers or shows messages as they come";
    GET    "/api/v1/qmgr/{qmgr}/topic/{topic}/stream", &[], USER, Off => Api(StreamTopic), "Delivers publications as they come";
    GET    "/api/v1/qmgr/{qmgr}/history", &[], MQ_ROLE, Off => Api(ShowHistory), "Shows figures of the last day as the points of a chart";
    GET    "/api/v1/qmgr/{qmgr}/queues", &[], MQ_ROLE, Off => Api(Show(List::Queues)), "Lists queues by page, searched, filtered and sorted";
    GET    "/api/v1/qmgr/{qmgr}/channels", &[], MQ_ROLE, Off => Api(Show(List::Channels)), "Lists channels by page, with their traffic";
    GET    "/api/v1/qmgr/{qmgr}/channel-instances", &[], MQ_ROLE, Off => Api(Show(List::ChannelInstances)), "Lists running channel instances by page";
    GET    "/api/v1/qmgr/{qmgr}/connections", &[], MQ_ROLE, Off => Api(Show(List::Connections)), "Lists connections by page, with their units of work";
    GET    "/api/v1/qmgr/{qmgr}/topics", &[], MQ_ROLE, Off => Api(Show(List::Topics)), "Lists topic strings by page";
    GET    "/api/v1/qmgr/{qmgr}/subscriptions", &[], MQ_ROLE, Off => Api(Show(List::Subscriptions)), "Lists subscriptions by page";
    GET    "/api/v1/qmgr/{qmgr}/problems", &[], MQ_ROLE, Off => Api(ListProblems), "Lists what is wrong with a queue manager, the worst first";
    GET    "/api/v1/qmgr/{qmgr}/group", &[], ADMINISTRATOR, Off => Api(ShowGroup), "Shows the queue-sharing group as its member sees it";
    PUT    API_MUTE, &[], MQ_ROLE, CookieOnly => Api(MuteProblem), "Mutes a problem for a time, or until it changes";
    DELETE API_MUTE, &[], MQ_ROLE, CookieOnly => Api(UnmuteProblem), "Lets a muted problem be heard again";
    GET    "/api/v1/qmgr/{qmgr}/changes", &[], MQ_ROLE, Off => Api(ListChanges), "Lists the last changes of definitions, the newest first";
    GET    "/api/v1/activity", &[], ADMINISTRATOR, Off => Api(ShowActivity), "Shows what services, APIs and API requesters have done";
    GET    "/api/v1/stream", &[], MQ_ROLE, Off => Api(OpenLiveStream), "Sends live events of what is watched";
    PUT    API_WATCH, &[], MQ_ROLE, CookieOnly => Api(WatchLiveStream), "Says what a stream of live events shows";
    GET    FAULTS, &[], OPERATE, Off => Api(Test(TestHandler::ListFaults)), "Lists the rules of faults, with what they have done";
    POST   FAULTS, &[], OPERATE, CookieOnly => Api(Test(TestHandler::AddFault)), "Makes a rule: which calls or requests fail, and how";
    DELETE FAULTS, &[], OPERATE, CookieOnly => Api(Test(TestHandler::ClearFaults)), "Deletes all rules of faults";
    DELETE FAULT, &[], OPERATE, CookieOnly => Api(Test(TestHandler::DeleteFault)), "Deletes a rule of faults";
    POST   "/api/v1/test/qmgr/{qmgr}/snapshots", &[], OPERATE, CookieOnly => Api(Test(TestHandler::TakeSnapshot)), "Takes a snapshot of a queue manager";
    GET    SNAPSHOTS, &[], OPERATE, Off => Api(Test(TestHandler::ListSnapshots)), "Lists the snapshots that are kept";
    DELETE "/api/v1/test/snapshots/{snapshot}", &[], OPERATE, CookieOnly => Api(Test(TestHandler::DeleteSnapshot)), "Deletes a snapshot";
    POST   "/api/v1/test/snapshots/{snapshot}/restore", &[], OPERATE, CookieOnly => Api(Test(TestHandler::RestoreSnapshot)), "Restores a queue manager as it was";
    GET    EXCHANGES, &[], OPERATE, Off => Api(Test(TestHandler::ShowExchanges)), "Shows the calls of APIs that were recorded";
    PUT    EXCHANGES, &[], OPERATE, CookieOnly => Api(Test(TestHandler::SetExchanges)), "Records or replays calls of APIs";
    GET    TRAFFIC, &[], OPERATE, Off => Api(Test(TestHandler::ShowTraffic)), "Shows what becomes of messages that programs put and get";
    PUT    TRAFFIC, &[], OPERATE, CookieOnly => Api(Test(TestHandler::SetTraffic)), "Records messages, or answers requests as recorded";
    GET    RECORDS, &[], OPERATE, Off => Api(Test(TestHandler::ListRecords)), "Lists the messages that were recorded, as lines";
    PUT    RECORDS, &[], OPERATE, CookieOnly => Api(Test(TestHandler::LoadRecords)), "Replaces the messages that were recorded";
    POST   "/api/v1/test/traffic/replay", &[], OPERATE, CookieOnly => Api(Test(TestHandler::PutRecords)), "Puts the messages that were recorded again";
    GET    CLOCK, &[], OPERATE, Off => Api(Test(TestHandler::ShowClock)), "Shows the clock of queue managers";
    POST   CLOCK, &[], OPERATE, CookieOnly => Api(Test(TestHandler::MoveClock)), "Sets, advances, stops or starts the clock";
    GET    "/api/v1/copybooks", &[], MQ_ROLE, Off => Api(ListCopybooks), "Lists the copybooks for bodies that are records";
    GET    "/api/v1/copybooks/{copybook}", &[], MQ_ROLE, Off => Api(ShowCopybook), "Shows the structure of a copybook";
    GET    "/api/v1/problems/{problem}", &[], Access::Everybody, Off => Public(Problem), "Explains one kind of error";
    GET    "/api/v1/session", &[], Access::Identified, Off => Console(Session), "Shows who has signed in, and what that user may do";
    GET    "/api/v1/mqsc/grammar", &[], Access::Identified, Off => Console(Grammar), "Shows the MQSC commands with keywords, values and help";
    GET    "/api/v1/log", &[], ADMINISTRATOR, Off => Console(Log), "Shows the last lines of the server's log";
    GET    "/api/v1/qmgr/{qmgr}/connect-card", &[], MQ_ROLE, Off => Console(ConnectCard), "Shows what a program needs to connect to a queue manager";
    POST   MQSC, ALL_VERSIONS, MQ_ROLE, HeaderPresent => RunMqsc, "Runs one MQSC command, given as text or as JSON";
    GET    QUEUES, V1, MQ_ROLE, Off => ListQueues, "Lists queues";
    GET    QUEUE, V1, MQ_ROLE, Off => ShowQueue, "Shows one queue";
    POST   QUEUES, V1, CHANGE, HeaderPresent => CreateQueue, "Creates a queue, or replaces it";
    PATCH  QUEUE, V1, CHANGE, HeaderPresent => AlterQueue, "Changes attributes of a queue";
    DELETE QUEUE, V1, CHANGE, HeaderPresent => DeleteQueue, "Deletes a queue";
    GET    CHANNELS, V1, MQ_ROLE, Off => ListChannels, "Lists channels between queue managers";
    GET    CHANNEL, V1, MQ_ROLE, Off => ShowChannel, "Shows one channel between queue managers";
    GET    SUBSCRIPTIONS, V1, MQ_ROLE, Off => ListSubscriptions, "Lists subscriptions";
    GET    SUBSCRIPTION, V1, MQ_ROLE, Off => ShowSubscription, "Shows one subscription";
    GET    QMGRS, ALL_VERSIONS, MQ_ROLE, Off => ListQueueManagers, "Lists queue managers";
    GET    QMGR, ALL_VERSIONS, MQ_ROLE, Off => ShowQueueManager, "Shows one queue manager";
    GET    DEFINITIONS, FROM_V2, ADMINISTRATOR, Off => DumpDefinitions, "Writes the definitions of a queue manager as MQSC";
    GET    INSTALLATIONS, ALL_VERSIONS, MQ_ROLE, Off => ShowInstallation, "Shows the installation";
    GET    INSTALLATION, ALL_VERSIONS, MQ_ROLE, Off => ShowInstallation, "Shows the installation of this name";
    POST   LOGIN, ALL_VERSIONS, Access::Everybody, Off => Public(Login), "Logs in: hands out the token cookie";
    GET    LOGIN, ALL_VERSIONS, ANY_ROLE, Off => ShowLogin, "Shows who is logged in, with which roles";
    DELETE LOGIN, ALL_VERSIONS, Access::Identified, HeaderPresent => Logout, "Logs out: the token is worthless afterwards";
    GET    OLD_QUEUES, V1, MQ_ROLE, Off => ListQueues, "Lists queues, by the path of 9.0.2";
    GET    OLD_QUEUE, V1, MQ_ROLE, Off => ShowQueue, "Shows one queue, by the path of 9.0.2";
    POST   OLD_QUEUES, V1, CHANGE, HeaderEqualsCookie => CreateQueue, "Creates a queue, by the path of 9.0.2";
    PATCH  OLD_QUEUE, V1, CHANGE, HeaderEqualsCookie => AlterQueue, "Changes a queue, by the path of 9.0.2";
    DELETE OLD_QUEUE, V1, CHANGE, HeaderEqualsCookie => DeleteQueue, "Deletes a queue, by the path of 9.0.2";
    GET    OLD_QMGRS, V1, MQ_ROLE, Off => ListQueueManagers, "Lists queue managers, by the path of 9.0.1";
    GET    OLD_QMGR, V1, MQ_ROLE, Off => ShowQueueManager, "Shows one queue manager, by the path of 9.0.1";
    GET    OLD_INSTALLATIONS, V1, MQ_ROLE, Off => ShowInstallation, "Shows the installation, by the path of 9.0.1";
    GET    OLD_INSTALLATION, V1, MQ_ROLE, Off => ShowInstallation, "Shows the named installation, by the path of 9.0.1";
    GET    SERVICES, &[], READ, Off => ZosConnect(ListServices), "Lists services";
    POST   SERVICES, &[], OPERATE, Off => ZosConnect(DeployService), "Deploys a service from its archive";
    GET    SERVICE, &[], READ, Off => ZosConnect(ShowService), "Shows one service";
    PUT    SERVICE, &[], OPERATE, Off => ZosConnect(ChangeService), "Starts or stops a service, or replaces its archive";
    DELETE SERVICE, &[], OPERATE, Off => ZosConnect(DeleteService), "Deletes a service that is stopped";
    GET    "/zosConnect/services/{service}/schema/{direction}", &[], READ, Off => ZosConnect(ShowServiceSchema), "Shows the JSON schema of requests or responses";
    GET    "/zosConnect/operations/getStatistics", &[], READ, Off => ZosConnect(ShowServiceStatistics), "Shows the statistics of all services";
    GET    APIS, &[], READ, Off => ZosConnect(ListApis), "Lists APIs";
    POST   APIS, &[], OPERATE, Off => ZosConnect(DeployApi), "Deploys an API from its archive";
    GET    API, &[], READ, Off => ZosConnect(ShowApi), "Shows one API";
    PUT    API, &[], OPERATE, Off => ZosConnect(ChangeApi), "Starts or stops an API, or replaces its archive";
    DELETE API, &[], OPERATE, Off => ZosConnect(DeleteApi), "Deletes an API that is stopped";
    POST   REQUESTER, &[], USER, Off => ZosConnect(CallRequester), "Calls an API with the record of a program";
    GET    REQUESTERS, &[], READ, Off => ZosConnect(ListRequesters), "Lists API requesters";
    POST   REQUESTERS, &[], OPERATE, Off => ZosConnect(DeployRequester), "Deploys an API requester from its archive";
    GET    REQUESTER, &[], READ, Off => ZosConnect(ShowRequester), "Shows one API requester";
    PUT    REQUESTER, &[], OPERATE, Off => ZosConnect(ChangeRequester), "Starts or stops an API requester, or replaces its archive";
    DELETE REQUESTER, &[], OPERATE, Off => ZosConnect(DeleteRequester), "Deletes an API requester that is stopped";
    GET    "/zosConnect/api-docs", &[], Access::Everybody, Off => Public(ZosConnectDocs), "The resources below /zosConnect as a Swagger 2.0 document";
    GET    "/livez", &[], Access::Everybody, Off => Public(Live), "Answers 200 while the process works";
    GET    "/readyz", &[], Access::Everybody, Off => Public(Ready), "Answers 200 once requests are served";
    GET    "/metrics", &[], Access::Everybody, Off => Public(Metrics), "Counters and gauges in the Prometheus text format";
    GET    "/openapi.json", &[], Access::Everybody, Off => Public(OpenApi), "This list as an OpenAPI 3.1 document";
    GET    "/ibm/api/docs", &[], Access::Everybody, Off => Public(Docs), "This list as a Swagger 2.0 document";
    GET    "/ibm/api/explorer", &[], Access::Everybody, Off => Public(Explorer), "Leads to the page of the console that shows and tries the resources";
    GET    "/ibmmq/console/assets/{asset}", &[], Access::Everybody, Off => Public(ConsoleAsset), "A file of the console's page";
    GET    "/ibmmq/console/login.html", &[], Access::Everybody, Off => Public(ConsoleSignIn), "Leads to the console's form for signing in";
    GET    "/ibmmq/console/sign-in/{issuer}", &[], Access::Everybody, Off => Public(BeginSignIn), "Leads a browser to an issuer where its user signs in";
    GET    "/ibmmq/console/sign-in/{issuer}/callback", &[], Access::Everybody, Off => Public(FinishSignIn), "Where the issuer leads the browser back";
    GET    CONSOLE, &[], Access::Everybody, Off => Public(ConsolePage), "The console's page";
    GET    "/ibmmq/console/{view}", &[], Access::Everybody, Off => Public(ConsolePage), "The console's page, for each of its views";
    GET    "/docs", &[], Access::Everybody, Off => Public(Book), "The first page of the book";
    GET    "/docs/{page}", &[], Access::Everybody, Off => Public(Book), "A page of the book, or a file of its pages";
    GET    "/", &[], Access::Everybody, Off => Public(Root), "Leads to the console";
}

/// Where a request goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matched<'p> {
    /// Index into `ROUTES`, under which requests are counted; `None` for what is deployed rather than built in.
    pub(crate) index: Option<usize>,
    pub(crate) route: &'static Route,
    /// V1 where the path names none.
    pub(crate) version: Version,
    /// The parts that stand for names in braces, in their order and still encoded; empty where the template has fewer.
    pub(crate) parameters: [&'p str; 3],
}

#[derive(Debug)]
pub(crate) enum Resolution<'p> {
    Found(Matched<'p>),
    /// The path exists; `Allow` lists its methods.
    WrongMethod(HeaderValue),
    Unknown,
}

/// Finds the route. HEAD goes where GET goes; its answer has no body.
pub(crate) fn resolve<'p>(method: &Method, path: &'p str) -> Resolution<'p> {
    let wanted = if *method == Method::HEAD { &Method::GET } else { method };
    let mut path_exists = false;
    for (index, route) in ROUTES.iter().enumerate() {
        let Some((version, parameters)) = match_template(route, path) else { continue };
        if route.method == *wanted {
            return Resolution::Found(Matched { index: Some(index), route, version, parameters });
        }
        path_exists = true;
    }
    if path_exists { Resolution::WrongMethod(allow(path)) } else { Resolution::Unknown }
}

/// The methods of a path that exists, as an `Allow` header.
pub(crate) fn allow(path: &str) -> HeaderValue {
    let mut methods = Vec::new();
    for route in ROUTES.iter().filter(|route| match_template(route, path).is_some()) {
        methods.push(route.method.as_str());
        if route.method == Method::GET {
            methods.push("HEAD");
        }
    }
    methods.push("OPTIONS");
    HeaderValue::try_from(methods.join(", ")).expect("method names are ASCII")
}

fn match_template<'p>(route: &'static Route, path: &'p str) -> Option<(Version, [&'p str; 3])> {
    let mut template = route.template;
    let mut rest = path;
    let mut version = Version::V1;
    let mut parameters = [""; 3];
    let mut filled = 0;
    while let Some(start) = template.find('{') {
        rest = rest.strip_prefix(&template[..start])?;
        let end = start + template[start..].find('}')?;
        let name = &template[start + 1..end];
        template = &template[end + 1..];
        if matches!(name, "topic" | "copybook" | "view") {
            rest = rest.strip_suffix('/').unwrap_or(rest);
            parameters[filled] = rest.strip_suffix(template).filter(|part| !part.is_empty())?;
            return Some((version, parameters));
        }
        let length = rest.find('/').unwrap_or(rest.len());
        let (part, after) = rest.split_at(length);
        rest = after;
        if name == "version" {
            version = Version::parse(part).filter(|version| route.versions.contains(version))?;
        } else if part.is_empty() {
            return None;
        } else {
            parameters[filled] = part;
            filled += 1;
        }
    }
    let tail = rest.strip_prefix(template)?;
    (tail.is_empty() || (tail == "/" && template.len() > 1)).then_some((version, parameters))
}

#[cfg(test)]
mod tests;
