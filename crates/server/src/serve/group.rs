//! How the server's first queue manager takes part in its queue-sharing group, of the configuration.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use handshake::anchors::{Anchors, ServerNameCheck};
use identity::password::PasswordReader;
use model::group::GroupName;
use model::name::QueueManagerName;
use queue_manager::{GroupOptions, SharedOptions, StructureDatabase};
use rustls::ClientConfig;
use storage::shared::administration::Administrator;
use storage::shared::{Roles, SchemaVersions, SharedError};
use tokio::runtime::Runtime;

use crate::configuration::{Configuration, ConfigurationError};
use crate::error::ServerError;

/// What every start has in common: the member, and how it reaches the database.
#[derive(Clone)]
pub(crate) struct GroupPlan {
    pub(crate) member: QueueManagerName,
    options: GroupOptions,
}

impl GroupPlan {
    /// `None`: the configuration names no group, or the server has no queue manager.
    ///
    /// # Errors
    /// There is no database, the password cannot be read, or the file of authorities cannot be used.
    pub(crate) fn of(configuration: &Configuration, ephemeral: bool) -> Result<Option<Self>, ConfigurationError> {
        let group = &configuration.group;
        let Some(name) = group.name.as_deref().and_then(|name| GroupName::parse(name).ok()) else { return Ok(None) };
        let Some(member) = configuration.server.queue_managers.first().copied() else { return Ok(None) };
        let Some(url) = group.database.clone().filter(|url| !url.is_empty()) else {
            if ephemeral {
                return Ok(Some(Self { member, options: GroupOptions { name, database: None } }));
            }
            return Err(ConfigurationError::Group("group.database must be set as well as group.name".to_owned()));
        };
        let mut database = SharedOptions::new(url, member.to_string());
        database.patience = Duration::from_secs(group.patience_seconds);
        database.group = Some(name.to_string());
        let passwords = PasswordReader::new(configuration.web.password_encryption_key.as_deref());
        let (password, ca_file) = (group.password.as_deref(), group.ca_file.as_deref());
        (database.password, database.tls) = access("group", password, ca_file, &passwords)?;
        for (structure, entry) in &group.structures {
            let of = format!("group.structures.{structure}");
            let access = access(&of, entry.password.as_deref(), entry.ca_file.as_deref(), &passwords)?;
            database.structures.push(StructureDatabase {
                structure: structure.clone(),
                database: entry.database.clone(),
                password: access.0,
                tls: access.1,
            });
        }
        Ok(Some(Self { member, options: GroupOptions { name, database: Some(database) } }))
    }

    pub(crate) fn name(&self) -> String {
        self.options.name.to_string()
    }

    /// Makes the group's tables, and grants.
    ///
    /// # Errors
    /// The database cannot be reached, refuses, or has another group.
    pub(crate) fn create(&self, roles: &Roles) -> Result<(), ServerError> {
        let Some(database) = &self.options.database else { return Ok(()) };
        Ok(runtime()?.block_on(storage::shared::create_group(database, &self.name(), roles))?)
    }

    /// Brings the tables to this program's version, and returns it.
    ///
    /// # Errors
    /// Those of `create`; members of older programs run.
    pub(crate) fn upgrade(&self) -> Result<i32, ServerError> {
        let Some(database) = &self.options.database else { return Ok(SchemaVersions::PRESENT.version) };
        Ok(runtime()?.block_on(storage::shared::upgrade_group(database, &self.name()))?)
    }

    /// Does an operator's work in the group's database.
    ///
    /// # Errors
    /// The database cannot be reached, refuses, or has another group.
    pub(crate) fn administer<T>(
        &self,
        work: impl AsyncFnOnce(&Administrator) -> Result<T, SharedError>,
    ) -> Result<T, ServerError> {
        let Some(database) = &self.options.database else { return Err(SharedError::NoGroup.into()) };
        Ok(runtime()?.block_on(async {
            let group = self.name();
            work(&Administrator::connect(database, &group, queue_manager::shared_queue).await?).await
        })?)
    }

    /// How this queue manager takes part; `None`: it does not.
    pub(crate) fn of_member(&self, name: &QueueManagerName) -> Option<GroupOptions> {
        (*name == self.member).then(|| self.options.clone())
    }
}

fn runtime() -> Result<Runtime, ServerError> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ServerError::Runtime)
}

/// Without the database's address, which may hold a password.
impl fmt::Debug for GroupPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupPlan")
            .field("member", &self.member)
            .field("name", &self.options.name)
            .finish_non_exhaustive()
    }
}

/// Password and encryption of a database whose keys begin with `of`.
fn access(
    of: &str,
    password: Option<&str>,
    ca_file: Option<&Path>,
    passwords: &PasswordReader,
) -> Result<(Option<String>, Option<Arc<ClientConfig>>), ConfigurationError> {
    let password = password.map(|stored| passwords.decode(stored)).transpose();
    let password = password.map_err(|error| ConfigurationError::Group(format!("{of}.password: {error}")))?;
    Ok((password, ca_file.map(|ca_file| tls(of, ca_file)).transpose()?))
}

fn tls(of: &str, ca_file: &Path) -> Result<Arc<ClientConfig>, ConfigurationError> {
    let anchors =
        Anchors::from_file(ca_file).map_err(|error| ConfigurationError::Group(format!("{of}.ca_file: {error}")))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let unusable = |error: rustls::Error| ConfigurationError::Group(format!("{of}.ca_file: {error}"));
    let verifier = anchors.server_verifier(Arc::clone(&provider), ServerNameCheck::Names).map_err(unusable)?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(group: &str, ephemeral: bool) -> Result<Option<GroupPlan>, String> {
        let text = format!("[server]\nqueue_managers = ['QM1', 'QM2']\n[group]\n{group}");
        let configuration: Configuration = toml::from_str(&text).expect("a configuration");
        GroupPlan::of(&configuration, ephemeral).map_err(|error| error.to_string())
    }

    #[test]
    fn the_first_queue_manager_is_the_member_and_no_other_one() {
        let group = "name = 'QSG1'\ndatabase = 'postgres://u@h/d'\npassword = '{xor}Lz4sLA=='\npatience_seconds = 7\n";
        let plan = plan(group, false).expect("a plan").expect("a group");
        let options = plan.of_member(&QueueManagerName::literal("QM1")).expect("the member");
        let database = options.database.expect("a database");
        assert_eq!((database.member.as_str(), database.password.as_deref()), ("QM1", Some("pass")));
        assert_eq!(database.patience, Duration::from_secs(7));
        assert!(plan.of_member(&QueueManagerName::literal("QM2")).is_none());
        assert_eq!(format!("{plan:?}"), "GroupPlan { member: \"QM1\", name: \"QSG1\", .. }");
    }

    #[test]
    fn a_structure_with_a_database_of_its_own_has_its_own_password() {
        let group = "name = 'QSG1'\ndatabase = 'postgres://u@h/d'\n";
        let entry = "[group.structures.APP1]\ndatabase = 'postgres://u@h2/d'\n";
        let database = |entry: &str| {
            let plan = plan(&format!("{group}{entry}"), false)?.expect("a group");
            Ok::<_, String>(plan.options.database.expect("a database"))
        };
        let found = database(&format!("{entry}password = '{{xor}}Lz4sLA=='\n")).expect("a database");
        assert_eq!(found.group.as_deref(), Some("QSG1"));
        let [structure] = &found.structures[..] else { panic!("one structure") };
        assert_eq!((structure.structure.as_str(), structure.database.as_str()), ("APP1", "postgres://u@h2/d"));
        assert_eq!((structure.password.as_deref(), found.password), (Some("pass"), None));
        let said = database(&format!("{entry}password = '{{hash}}abc'\n")).map(drop).unwrap_err();
        assert!(said.starts_with("group.structures.APP1.password: "), "{said}");
    }

    #[test]
    fn a_group_without_a_database_is_for_a_server_that_keeps_nothing() {
        assert_eq!(plan("name = 'QSG1'\n", false).unwrap_err(), "group.database must be set as well as group.name");
        let plan = plan("name = 'QSG1'\n", true).expect("a plan").expect("a group");
        assert!(plan.of_member(&QueueManagerName::literal("QM1")).is_some_and(|options| options.database.is_none()));
    }

    #[test]
    fn a_password_that_cannot_be_read_and_a_file_that_is_not_there_are_named_by_their_keys() {
        let group = "name = 'QSG1'\ndatabase = 'postgres://u@h/d'\n";
        let said = plan(&format!("{group}password = '{{hash}}abc'\n"), false).unwrap_err();
        assert!(said.starts_with("group.password: "), "{said}");
        let said = plan(&format!("{group}ca_file = '/nowhere/ca.pem'\n"), false).unwrap_err();
        assert!(said.starts_with("group.ca_file: "), "{said}");
    }
}
