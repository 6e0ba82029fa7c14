//! The configuration that a command reads without a server.

use std::path::PathBuf;

use clap::Args;

use super::Location;
use crate::configuration::{Configuration, ConfigurationError, Environment, FlagValue, load};
use crate::data_directory::DataDirectory;

#[derive(Debug, Args)]
pub(super) struct Configured {
    /// Configuration file [default: DIR/quaymaster.toml if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    location: Location,
}

impl Configured {
    pub(super) fn directory(&self) -> DataDirectory {
        self.location.directory()
    }

    /// The file that is named, by the option or the environment.
    fn named(&self, environment: &Environment) -> Option<PathBuf> {
        self.config.clone().or_else(|| environment.get("QUAYMASTER_CONFIG").map(PathBuf::from))
    }

    /// The file that is read, if it is there.
    pub(super) fn file(&self) -> PathBuf {
        self.named(&Environment::of_process()).unwrap_or_else(|| self.directory().configuration_file())
    }

    /// The file's name, and what it says together with the environment and these flags.
    pub(super) fn load(&self, flags: &[FlagValue]) -> Result<(PathBuf, Configuration), ConfigurationError> {
        let environment = Environment::of_process();
        let is_named = self.named(&environment).is_some();
        let file = self.file();
        let configuration = load(&file, is_named, &environment, flags)?;
        Ok((file, configuration))
    }
}
