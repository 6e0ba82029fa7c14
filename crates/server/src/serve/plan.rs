//! What a start is going to do: flags, environment and file turned into a checked plan. Made again at every reload.

use std::path::PathBuf;
use std::sync::Arc;

use identity::api_key::ApiKeys;
use test_control::TestControl;
use web::options::{BookFile, TlsOptions, WebOptions};

use crate::configuration::{self, Configuration, ConfigurationError, Environment, FlagValue};
use crate::container::{Container, Found};
use crate::data_directory::DataDirectory;
use crate::developer::User;
use crate::logging;
use crate::serve::files;
use crate::serve::group::GroupPlan;
use crate::serve::host::StartPlan;
use crate::serve::recover::RecoverOptions;

/// Options of `serve` on its command line.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServeOptions {
    pub data: Option<PathBuf>,
    pub config: Option<PathBuf>,
    pub ephemeral: bool,
    /// The server is started for tests: one for its whole life.
    pub test_control: Option<Arc<TestControl>>,
    pub ready_file: Option<PathBuf>,
    /// Start no queue manager that is not named, though it ran when the last server ended.
    pub only_named: bool,
    /// End when the last queue manager has been ended.
    pub end_with_last: bool,
    pub flags: Vec<FlagValue>,
    /// `runmqserver`: what is around the server is a layer of its configuration.
    pub container: Option<Container>,
}

/// The configuration and where it came from.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub options: ServeOptions,
    pub environment: Environment,
    pub configuration: Configuration,
    /// The file that was read, or would be if it existed.
    pub file: PathBuf,
    /// `None`: no queue manager of the server is in a queue-sharing group.
    pub group: Option<GroupPlan>,
    /// What the surroundings of a container say that has no effect.
    pub notes: Vec<String>,
    /// `--data`, which with `--ephemeral` is only looked at for configuration and drop-ins.
    pub data: DataDirectory,
}

impl Plan {
    /// # Errors
    /// The first flag, variable or key that cannot be used.
    pub(crate) fn make(options: ServeOptions, environment: Environment) -> Result<Self, ConfigurationError> {
        let data = DataDirectory::locate(options.data.as_deref());
        let container = options.container.as_ref();
        let named = options
            .config
            .clone()
            .or_else(|| environment.get("QUAYMASTER_CONFIG").map(PathBuf::from))
            .or_else(|| container.and_then(Container::configuration_file));
        let file = named.clone().unwrap_or_else(|| data.configuration_file());
        let around = container.map(|container| container.read(data.root())).transpose()?;
        let Found { settings, notes, .. } = around.unwrap_or_default();
        let configuration = configuration::load_over(settings, &file, named.is_some(), &environment, &options.flags)?;
        let group = GroupPlan::of(&configuration, options.ephemeral)?;
        Ok(Self { options, environment, configuration, file, group, notes, data })
    }

    /// The same with the file read again.
    ///
    /// # Errors
    /// As [`Plan::make`].
    pub(crate) fn again(&self) -> Result<Self, ConfigurationError> {
        Self::make(self.options.clone(), self.environment.clone())
    }

    pub(crate) fn mqsc_dir(&self) -> PathBuf {
        self.configuration.server.mqsc_dir.clone().unwrap_or_else(|| self.data.mqsc_dir())
    }

    /// How queue managers are started. `data` is where they live.
    pub(crate) fn start_plan(&self, data: &DataDirectory, server_user: &str) -> StartPlan {
        let server = &self.configuration.server;
        StartPlan {
            recover: RecoverOptions::of(self, data, server_user),
            developer_defaults: server.developer_defaults,
            mqsc_dir: self.mqsc_dir(),
            strict: server.strict,
            restart_failed: server.restart_failed(),
            restores: None,
        }
    }

    /// Settings of the web server. `data` is the folder of generated files.
    pub(crate) fn web_options(
        &self,
        data: &DataDirectory,
        tls: TlsOptions,
        users: &[User],
        api_keys: &Arc<ApiKeys>,
        server_user: &str,
    ) -> WebOptions {
        let mut options = self.configuration.web_options(tls);
        let web = &mut options.web;
        for user in users {
            // A user of the configuration file keeps its password and roles.
            if web.users.contains_key(user.name) {
                continue;
            }
            web.users.insert(user.name.to_owned(), user.password.clone());
            let bound = format!("user:{}", user.name);
            let holders = web.roles.entry(user.role.to_owned()).or_default();
            if !holders.contains(&bound) {
                holders.push(bound);
            }
            if let Some(group) = user.group {
                let members = web.groups.entry(group.to_owned()).or_default();
                if !members.iter().any(|member| member == user.name) {
                    members.push(user.name.to_owned());
                }
            }
        }
        options.api_keys = Arc::clone(api_keys);
        options.test_control.clone_from(&self.options.test_control);
        options.ltpa.keys_file.get_or_insert_with(|| data.ltpa_keys());
        options.archives = data.archives();
        options.book = book::FILES
            .iter()
            .map(|&book::File { name, media_type, tag, gzip }| BookFile { name, media_type, tag, gzip })
            .collect();
        options.log = logging::lines();
        options.push_file = Some(data.push_targets());
        options.copybooks = data.copybooks();
        options.limits.connections = files::share(options.limits.connections, "limits.connections");
        options.server_user = server_user.to_owned();
        options.installation = crate::installation::describe(data.root());
        options
    }
}
