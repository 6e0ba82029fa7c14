//! The resources below `/zosConnect`, as the documents describe them.

use crate::openapi::details::{
    Body, Content, DOCUMENTS, Details, INVOKE, Parameter, SERVICES as TAG, Shape, Success, header, plain, query,
    success,
};
use crate::routes::ZosConnectHandler;

pub(super) fn details(handler: ZosConnectHandler) -> Details {
    use ZosConnectHandler as Handler;
    match handler {
        Handler::InvokeService | Handler::InvokeByPath | Handler::CallApi => INVOKE,
        Handler::ListServices => SERVICES,
        Handler::DeployService => DEPLOY_SERVICE,
        Handler::ShowService => SERVICE,
        Handler::ChangeService => CHANGE_SERVICE,
        Handler::DeleteService => DELETE_SERVICE,
        Handler::ShowServiceSchema => SCHEMA,
        Handler::ShowServiceStatistics => STATISTICS,
        Handler::ListApis => APIS,
        Handler::DeployApi => DEPLOY_API,
        Handler::ShowApi => API,
        Handler::ChangeApi => CHANGE_API,
        Handler::DeleteApi => DELETE_API,
        Handler::CallRequester => CALL_REQUESTER,
        Handler::ListRequesters => REQUESTERS,
        Handler::DeployRequester => DEPLOY_REQUESTER,
        Handler::ShowRequester => REQUESTER,
        Handler::ChangeRequester => CHANGE_REQUESTER,
        Handler::DeleteRequester => DELETE_REQUESTER,
    }
}

const STATUS: Parameter = query(
    "status",
    Shape::Words(&["started", "stopped"]),
    "What it is afterwards. Default `started` where an archive is sent; needed where none is.",
);
const ACTION: Parameter = query(
    "action",
    Shape::Words(&["status", "getStatistics", "getRequestSchema", "getResponseSchema", "invoke"]),
    "The older form: what to show. With `invoke`, and any method, the service is invoked.",
);

const SHOW: Parameter = query("action", Shape::Words(&["status", "getStatistics"]), "What to show.");

const DETAILS: Success = success(200, "The service", Content::AnyJson);
const API_DETAILS: Success = success(200, "The API", Content::AnyJson);
const DELETED: Success = success(200, "The name of what is deleted", Content::AnyJson);

const REPLACE: &str = "To replace it by an archive, stop it first and wait until its requests have ended.";

pub(super) const SERVICES: Details = plain(TAG, "", &[success(200, "The services", Content::AnyJson)]);
pub(super) const SERVICE: Details = Details { parameters: &[ACTION], ..plain(TAG, "", &[DETAILS]) };
pub(super) const DEPLOY_SERVICE: Details = Details {
    parameters: &[STATUS],
    body: Some(Body::Archive { is_optional: false }),
    ..plain(
        TAG,
        "A `.sar`, as `quaymaster service build` makes it.",
        &[success(201, "The service", Content::AnyJson), success(409, "There is one of the name", Content::AnyJson)],
    )
};
pub(super) const CHANGE_SERVICE: Details = Details {
    parameters: &[STATUS],
    body: Some(Body::Archive { is_optional: true }),
    ..plain(TAG, REPLACE, &[DETAILS, success(409, "It is not stopped", Content::AnyJson)])
};
pub(super) const DELETE_SERVICE: Details =
    plain(TAG, "", &[DELETED, success(409, "It is not stopped", Content::AnyJson)]);
pub(super) const SCHEMA: Details = plain(TAG, "", &[success(200, "A JSON schema", Content::AnyJson)]);
pub(super) const STATISTICS: Details = plain(TAG, "", &[success(200, "Counters and times", Content::AnyJson)]);

pub(super) const APIS: Details = plain(TAG, "", &[success(200, "The APIs", Content::AnyJson)]);
pub(super) const API: Details = Details { parameters: &[SHOW], ..plain(TAG, "", &[API_DETAILS]) };
pub(super) const DEPLOY_API: Details = Details {
    parameters: &[STATUS],
    body: Some(Body::Archive { is_optional: false }),
    ..plain(
        TAG,
        "An `.aar`, as `quaymaster service build` makes it.",
        &[success(201, "The API", Content::AnyJson), success(409, "There is one of the name", Content::AnyJson)],
    )
};
pub(super) const CHANGE_API: Details = Details {
    parameters: &[STATUS],
    body: Some(Body::Archive { is_optional: true }),
    ..plain(TAG, REPLACE, &[API_DETAILS, success(409, "It is not stopped", Content::AnyJson)])
};
pub(super) const DELETE_API: Details = plain(TAG, "", &[DELETED, success(409, "It is not stopped", Content::AnyJson)]);

const REQUESTER_DETAILS: Success = success(200, "The API requester", Content::AnyJson);
const RECORD_FORM: Parameter = Parameter {
    extension: true,
    ..header(
        "Baq-Record-Form",
        Shape::Pattern("^(big|little),(hexadecimal|ieee),[0-9]+$"),
        "Byte order, floating-point form and code page of the records. Default `big,hexadecimal` and the archive's code page.",
    )
};
const SHORT_RECORD: Parameter = Parameter {
    extension: true,
    ..header(
        "Baq-Short-Record",
        Shape::Pattern("^(yes|no)$"),
        "With `yes` the record of the answer ends behind the last value of the array at its end. Default `no`.",
    )
};
const OUTCOME: &[(&str, &str)] = &[
    ("Baq-Return-Code", "0: success, 1: the API refused, 2: the server could not. With 1 and 2 the body is a message."),
    ("Baq-Status-Code", "The HTTP status of the API, or one that tells what the server could not."),
];

const CALL_REQUESTER: Details = Details {
    parameters: &[
        query("apiPath", Shape::Text, "Path of the operation with its base path, as the API's document has it."),
        query("apiMethod", Shape::Text, "Method of the operation."),
        RECORD_FORM,
        SHORT_RECORD,
    ],
    body: Some(Body::Record),
    extension: true,
    ..plain(
        TAG,
        "What the communication stub sends. Credentials for the API's authorization server travel in the headers \
         `Baq-Oauth-Username`, `Baq-Oauth-Password`, `Baq-Oauth-Client-Id`, `Baq-Oauth-Client-Secret`, `Baq-Oauth-Scope`, \
         `Baq-Token-Username` and `Baq-Token-Password`, percent-encoded.",
        &[Success { headers: OUTCOME, ..success(200, "The record of the response, or a message", Content::Record) }],
    )
};
const REQUESTERS: Details = plain(TAG, "", &[success(200, "The API requesters", Content::AnyJson)]);
const REQUESTER: Details = Details { parameters: &[SHOW], ..plain(TAG, "", &[REQUESTER_DETAILS]) };
const DEPLOY_REQUESTER: Details = Details {
    parameters: &[STATUS],
    body: Some(Body::Archive { is_optional: false }),
    ..plain(
        TAG,
        "An `.ara`, as `zconbt` makes it.",
        &[
            success(201, "The API requester", Content::AnyJson),
            success(409, "There is one of the name", Content::AnyJson),
        ],
    )
};
const CHANGE_REQUESTER: Details = Details {
    parameters: &[STATUS],
    body: Some(Body::Archive { is_optional: true }),
    ..plain(TAG, REPLACE, &[REQUESTER_DETAILS, success(409, "It is not stopped", Content::AnyJson)])
};
const DELETE_REQUESTER: Details = plain(TAG, "", &[DELETED, success(409, "It is not stopped", Content::AnyJson)]);

pub(super) const DOCS: Details =
    plain(DOCUMENTS, "Send `Accept: application/yaml` for YAML.", &[success(200, "The document", Content::JsonOrYaml)]);
