//! The developer defaults (`MQ_DEV=true`): three users with their passwords, and the DEV.* objects.
//!
//! A password comes from the environment, else from /run/secrets, else from `DIR/initial-passwords`; one that nobody gave
//! is made at random. That file always holds the passwords in force, because the curl line of every start reads it.
//! The web server is handed clear text: it is in that file anyway, and comparing it costs no hash.
//! Objects that exist already are left as they are.

use std::fs;
use std::path::Path;

use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::authentication::{AuthenticationDefinition, AuthenticationType};
use model::definition::channel_authentication::{CheckClient, MapKey, Rule, UserSource};
use model::definition::listener::{ListenerDefinition, StartControl};
use model::definition::queue::{DefinitionType, LocalQueue, ModelQueue};
use model::definition::{
    AdministeredObject, ChannelAuthentication, ChannelDefinition, ChannelType, QueueDefinition, QueueKind,
    TopicDefinition,
};
use model::name::{ObjectName, QueueName, TopicName};
use queue_manager::QueueManager;
use queue_manager::channel_authentication::ChannelAuthenticationError;
use queue_manager::objects::ObjectError;
use rand::Rng;
use rand::distributions::Alphanumeric;

use crate::configuration::Environment;
use crate::data_directory::{file_error, write_file};
use crate::error::ServerError;

/// Where container runtimes put secrets.
pub(crate) const SECRETS: &str = "/run/secrets";

/// Characters of a password that is not called weak.
const SHORTEST: usize = 12;

struct DeveloperUser {
    name: &'static str,
    variable: &'static str,
    secret: &'static str,
    role: &'static str,
    group: Option<&'static str>,
}

/// Its members are administrators, *MQADMIN in CHLAUTH.
const ADMINISTRATORS: Option<&str> = Some("mqm");

const USERS: [DeveloperUser; 3] = [
    DeveloperUser {
        name: "admin",
        variable: "MQ_ADMIN_PASSWORD",
        secret: "mqAdminPassword",
        role: "MQWebAdmin",
        group: ADMINISTRATORS,
    },
    DeveloperUser { name: "app", variable: "MQ_APP_PASSWORD", secret: "mqAppPassword", role: "MQWebUser", group: None },
    DeveloperUser {
        name: "reader",
        variable: "MQ_READER_PASSWORD",
        secret: "mqReaderPassword",
        role: "MQWebAdminRO",
        group: None,
    },
];

/// One developer user. No `Debug`: it holds a password.
#[derive(Clone)]
pub(crate) struct User {
    pub name: &'static str,
    pub role: &'static str,
    pub group: Option<&'static str>,
    pub password: String,
    /// The server made the password.
    pub is_initial: bool,
}

/// The users with the passwords in force, which `file` holds afterwards.
///
/// # Errors
/// `file` or a secret cannot be read, or `file` cannot be written.
pub(crate) fn users(environment: &Environment, secrets: &Path, file: &Path) -> Result<Vec<User>, ServerError> {
    let kept =
        if file.exists() { fs::read_to_string(file).map_err(|e| file_error("read", file, e))? } else { String::new() };
    let mut users = Vec::with_capacity(USERS.len());
    for user in &USERS {
        let given = match environment.get(user.variable) {
            Some(password) => Some(password.to_owned()),
            None => read_secret(&secrets.join(user.secret))?,
        };
        if let Some(why) = given.as_deref().and_then(|password| weakness(user.name, password)) {
            let (name, variable) = (user.name, user.variable);
            tracing::warn!(
                "the password of developer user '{name}' ({variable}) is weak: {why}; use 12 characters or more"
            );
        }
        let is_initial = given.is_none();
        let password =
            given.or_else(|| kept_password(&kept, user.name).map(str::to_owned)).unwrap_or_else(random_password);
        users.push(User { name: user.name, role: user.role, group: user.group, password, is_initial });
    }
    let lines: String = users.iter().map(|user| format!("{} {}\n", user.name, user.password)).collect();
    if lines != kept {
        write_file(file, lines.as_bytes(), 0o600)?;
    }
    Ok(users)
}

/// Environment variables of the users' passwords.
pub(crate) fn variables() -> impl Iterator<Item = &'static str> {
    USERS.iter().map(|user| user.variable)
}

/// Why a chosen password is weak.
fn weakness(user: &str, password: &str) -> Option<&'static str> {
    let lower = password.to_lowercase();
    if lower.contains(user) {
        Some("it holds the name of the user")
    } else if ["password", "passw0rd", "secret", "123456"].iter().any(|known| lower.contains(known)) {
        Some("it is among those that are tried first")
    } else if password.chars().count() < SHORTEST {
        Some("it is short")
    } else {
        None
    }
}

fn read_secret(file: &Path) -> Result<Option<String>, ServerError> {
    if !file.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(file).map_err(|e| file_error("read", file, e))?;
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()).filter(|password| !password.is_empty()))
}

fn kept_password<'a>(kept: &'a str, user: &str) -> Option<&'a str> {
    kept.lines().find_map(|line| line.split_once(' ').filter(|(name, _)| *name == user)).map(|(_, password)| password)
}

/// 24 letters and digits: 142 bits.
fn random_password() -> String {
    rand::rngs::OsRng.sample_iter(Alphanumeric).take(24).map(char::from).collect()
}

/// Makes what is missing of the DEV.* objects and the users' authority.
///
/// # Errors
/// The queue manager refused a definition.
pub(crate) async fn define_objects(manager: &QueueManager, administrator: &Principal) -> Result<(), ServerError> {
    let failed = |object: &str| {
        let (queue_manager, object) = (manager.name().to_string(), object.to_owned());
        move |source| ServerError::DeveloperDefaults { queue_manager, object, source }
    };
    for queue in queues() {
        if manager.queue(&queue.name).is_none() {
            let name = queue.name;
            manager.define_queue(administrator, queue, false).await.map_err(failed(name.as_str()))?;
        }
    }
    let topic = TopicDefinition {
        name: TopicName::literal("DEV.BASE.TOPIC"),
        topic_string: "dev/".to_owned(),
        ..TopicDefinition::default()
    };
    if manager.topic(&topic.name).is_none() {
        manager.define_topic(administrator, topic, false).await.map_err(failed("DEV.BASE.TOPIC"))?;
    }
    name_dead_letter_queue(manager, administrator).await.map_err(failed("DEADQ"))?;
    for object in objects() {
        let (family, name) = (object.family(), object.name());
        if manager.object(family, &name).is_some() {
            continue;
        }
        manager.define_object(administrator, object, false).await.map_err(failed(name.as_str()))?;
        if family == AuthorityObject::AuthenticationInformation {
            name_authentication(manager, administrator, name).await.map_err(failed("CONNAUTH"))?;
        }
    }
    let present = manager.authority_records();
    for record in authorities(manager) {
        let known = present.iter().any(|known| {
            known.profile == record.profile && known.object == record.object && known.entity == record.entity
        });
        if !known {
            let profile = record.profile.clone();
            manager.set_authority(administrator, record).await.map_err(failed(&profile))?;
        }
    }
    define_channel_authentication(manager, administrator).await
}

/// Whom the DEV channels let in, unless they have a record already.
async fn define_channel_authentication(manager: &QueueManager, administrator: &Principal) -> Result<(), ServerError> {
    let present = manager.channel_authentications();
    for record in channel_authentications() {
        let known =
            present.iter().any(|known| known.profile == record.profile && known.rule.same_partners(&record.rule));
        if !known {
            let (queue_manager, object) = (manager.name().to_string(), format!("CHLAUTH {}", record.profile));
            manager.add_channel_authentication(administrator, record).await.map_err(|source| {
                let source = match source {
                    ChannelAuthenticationError::Object(source) => source,
                    other => ObjectError::Attribute {
                        name: object.clone(),
                        attribute: "CHLAUTH",
                        problem: other.to_string(),
                    },
                };
                ServerError::DeveloperDefaults { queue_manager, object, source }
            })?;
        }
    }
    Ok(())
}

/// Nobody comes in, except programs with a password by DEV.APP.SVRCONN and `admin` by DEV.ADMIN.SVRCONN.
fn channel_authentications() -> Vec<ChannelAuthentication> {
    let programs = Rule::Map {
        key: MapKey::Address,
        address: "*".to_owned(),
        source: UserSource::Channel,
        check_client: CheckClient::Required,
    };
    let admin = Rule::Map {
        key: MapKey::ClientUser("admin".to_owned()),
        address: String::new(),
        source: UserSource::Channel,
        check_client: CheckClient::Required,
    };
    let record = |description: &str, record: ChannelAuthentication| ChannelAuthentication {
        description: description.to_owned(),
        ..record
    };
    vec![
        record("Nobody comes in by other channels", ChannelAuthentication::address_map("*", "*", UserSource::NoAccess)),
        record("Programs come in as their own user", ChannelAuthentication::new("DEV.APP.SVRCONN", programs)),
        record("Administrators may come in", ChannelAuthentication::block_users("DEV.ADMIN.SVRCONN", &["nobody"])),
        record("The administrator comes in", ChannelAuthentication::new("DEV.ADMIN.SVRCONN", admin)),
    ]
}

fn queues() -> Vec<QueueDefinition> {
    let mut queues: Vec<QueueDefinition> = ["DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3", "DEV.DEAD.LETTER.QUEUE"]
        .map(|name| QueueDefinition::local(QueueName::literal(name)))
        .into();
    // As SYSTEM.DEFAULT.MODEL.QUEUE: one program reads its own reply queue.
    let local = LocalQueue {
        definition_type: DefinitionType::TemporaryDynamic,
        shareable: false,
        default_input_shared: false,
        ..LocalQueue::default()
    };
    let model = QueueKind::Model(Box::new(ModelQueue { local }));
    queues.push(QueueDefinition::new(QueueName::literal("DEV.APP.MODEL.QUEUE"), model));
    queues
}

/// Channels for programs and for the administrator, the listener they come in by, and how their passwords are checked.
fn objects() -> Vec<AdministeredObject> {
    let channel = |name: &str, agent_user: &str| {
        AdministeredObject::Channel(Box::new(ChannelDefinition {
            name: ObjectName::literal(name),
            agent_user: agent_user.to_owned(),
            ..ChannelDefinition::blank(ChannelType::ServerConnection)
        }))
    };
    let listener = ListenerDefinition {
        name: ObjectName::literal("DEV.LISTENER.TCP"),
        control: StartControl::QueueManager,
        port: 1414,
        ..ListenerDefinition::default()
    };
    let authentication = AuthenticationDefinition {
        name: ObjectName::literal("DEV.AUTHINFO"),
        ..AuthenticationDefinition::blank(AuthenticationType::OperatingSystem)
    };
    vec![
        channel("DEV.APP.SVRCONN", "app"),
        channel("DEV.ADMIN.SVRCONN", ""),
        AdministeredObject::Listener(listener),
        AdministeredObject::Authentication(Box::new(authentication)),
    ]
}

/// CONNAUTH, unless it is set already.
async fn name_authentication(
    manager: &QueueManager,
    administrator: &Principal,
    name: ObjectName,
) -> Result<(), ObjectError> {
    let mut definition = (*manager.definition()).clone();
    if !definition.connection_authentication.is_blank() {
        return Ok(());
    }
    definition.connection_authentication = name;
    manager.alter_queue_manager(administrator, definition).await
}

async fn name_dead_letter_queue(manager: &QueueManager, administrator: &Principal) -> Result<(), ObjectError> {
    let mut definition = (*manager.definition()).clone();
    if !definition.dead_letter_queue.is_blank() {
        return Ok(());
    }
    definition.dead_letter_queue = QueueName::literal("DEV.DEAD.LETTER.QUEUE");
    manager.alter_queue_manager(administrator, definition).await
}

/// What `app` and `admin` may do. `reader` acts as the server's user, display only.
fn authorities(manager: &QueueManager) -> Vec<AuthorityRecord> {
    let record = |user: &str, object, profile: &str, authorities| AuthorityRecord {
        profile: profile.to_owned(),
        object,
        entity: Entity::Principal(user.to_owned()),
        authorities,
    };
    let name = manager.name();
    let own = name.as_str();
    let everything = [
        AuthorityObject::Queue,
        AuthorityObject::Topic,
        AuthorityObject::Channel,
        AuthorityObject::ClientChannel,
        AuthorityObject::Listener,
        AuthorityObject::Process,
        AuthorityObject::NameList,
        AuthorityObject::AuthenticationInformation,
        AuthorityObject::Service,
        AuthorityObject::CommunicationInformation,
        AuthorityObject::RemoteQueueManager,
    ];
    let mut records = vec![
        record("app", AuthorityObject::QueueManager, own, Authority::CONNECT | Authority::INQUIRE),
        record(
            "app",
            AuthorityObject::Queue,
            "DEV.**",
            Authority::PUT | Authority::GET | Authority::BROWSE | Authority::INQUIRE,
        ),
        record("app", AuthorityObject::Topic, "DEV.BASE.TOPIC", Authority::PUBLISH | Authority::SUBSCRIBE),
        record("admin", AuthorityObject::QueueManager, own, Authority::all()),
    ];
    records.extend(everything.map(|object| record("admin", object, "**", Authority::all())));
    records
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        Environment::new(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
    }

    #[test]
    fn a_password_comes_from_the_environment_then_a_secret_then_the_file_and_is_made_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("initial-passwords");
        write_file(&folder.path().join("mqAppPassword"), b"from a secret\n", 0o600).expect("written");
        let given = environment(&[("MQ_ADMIN_PASSWORD", "from the environment")]);
        let first = users(&given, folder.path(), &file).expect("users");
        assert_eq!(first[0].password, "from the environment");
        assert_eq!(first[1].password, "from a secret");
        assert_eq!(first[2].password.len(), 24);
        let kept = fs::read_to_string(&file).expect("kept");
        let random = &first[2].password;
        assert_eq!(kept, format!("admin from the environment\napp from a secret\nreader {random}\n"));
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);

        let second = users(&Environment::default(), Path::new("/nowhere"), &file).expect("users");
        assert_eq!(second[0].password, "from the environment");
        assert_eq!(second[2].password, first[2].password);
        assert_eq!(fs::read_to_string(&file).expect("kept"), kept);
    }
}
