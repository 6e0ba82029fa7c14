//! The resources below `/zosConnect`, as the documents describe them.

use crate::openapi::details::{
    Body, Content, DOCUMENTS, Details, INVOKE, Parameter, SERVICES as TAG, Shape, Success, plain, query, success,
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

const DETAILS: Success = success(200, "The service", Content::AnyJson);
const API_DETAILS: Success = success(200, "The API", Content::AnyJson);
const DELETED: Success = success(200, "The name of what is deleted", Content::AnyJson);

const REPLACE: &str = "With an archive, what it replaces has to be stopped; then requests must have ended too.";

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
pub(super) const API: Details = plain(TAG, "", &[API_DETAILS]);
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

pub(super) const DOCS: Details =
    plain(DOCUMENTS, "Send `Accept: application/yaml` for YAML.", &[success(200, "The document", Content::JsonOrYaml)]);
