//! `quaymaster serve` and `runmqserver`: flags to options. Values are checked with the configuration, so that there is one wording.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use queue_manager::{Clock, SystemClock};
use test_control::TestControl;

use super::failure::Form;
use super::{Failure, Location};
use crate::configuration::{Environment, FlagValue};
use crate::container::Container;
use crate::data_directory::DataDirectory;
use crate::serve::plan::ServeOptions;

/// Of a flag given twice the later counts, so that a wrapper's flags can be overridden.
#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(super) struct Arguments {
    #[command(flatten)]
    location: Location,
    /// Configuration file [default: DIR/quaymaster.toml if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Queue manager to host; created if it does not exist. Repeat the flag, or separate names by commas [default:
    /// $MQ_QMGR_NAME, else QM1].
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    qmgr: Vec<String>,
    /// Queue-sharing group of the first queue manager. group.database says where it is.
    #[arg(long, value_name = "NAME")]
    group: Option<String>,
    /// Address of the HTTPS listener [default: 0.0.0.0:9443].
    #[arg(long, value_name = "ADDR:PORT")]
    https: Option<String>,
    /// Address of the HTTP listener, or off [default: 127.0.0.1:9080].
    #[arg(long, value_name = "ADDR:PORT")]
    http: Option<String>,
    /// Address for MQ clients, or off [default: 0.0.0.0:1414].
    #[arg(long, value_name = "ADDR:PORT")]
    mq: Option<String>,
    /// Address of the metrics listener for Prometheus, or off [default: 127.0.0.1:9157].
    #[arg(long, value_name = "ADDR:PORT")]
    metrics: Option<String>,
    /// Folder of *.mqsc files to run at start [default: DIR/mqsc.d].
    #[arg(long, value_name = "DIR")]
    mqsc_dir: Option<String>,
    /// End the start with exit code 1 if a command of a file in --mqsc-dir fails.
    #[arg(long)]
    strict: bool,
    /// Keep all data in memory, and nothing on disk.
    #[arg(long)]
    ephemeral: bool,
    /// For tests of applications: administrators set the clock and inject faults by /api/v1/test.
    #[arg(long)]
    test_control: bool,
    /// Start only the named queue managers, not those that ran when the last server ended.
    #[arg(long)]
    only_named: bool,
    /// End the server when its last queue manager has ended, as a server started by strmqm does.
    #[arg(long)]
    end_with_last: bool,
    /// Also write the ready line to this file.
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
    /// Format of log lines: text or json [default: text].
    #[arg(long, value_name = "FORMAT")]
    log_format: Option<String>,
    /// Lowest severity that is logged: error, warn, info, debug or trace [default: info].
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(super) struct ContainerArguments {
    #[command(flatten)]
    serve: Arguments,
    /// Prepare the volume, and end: root lets every user make a data directory there, other users make it.
    #[arg(short = 'i')]
    prepare: bool,
}

/// How a server's failures are written: as lines of its log when that is JSON. The flag counts before the environment,
/// and that before the configuration file, as for every key.
pub(super) fn form(words: &[&str]) -> Form {
    let flag = |name: &str| {
        let value_at = |index: usize| {
            let word = words.get(index)?;
            match word.strip_prefix(name)? {
                "" => words.get(index + 1).copied(),
                rest => rest.strip_prefix('='),
            }
        };
        (0..words.len()).rev().find_map(value_at).map(str::to_owned)
    };
    let environment = Environment::of_process();
    let variable = |name: &str| environment.get(name).map(str::to_owned);
    let in_file = || {
        let file = flag("--config").or_else(|| variable("QUAYMASTER_CONFIG")).map(PathBuf::from).unwrap_or_else(|| {
            DataDirectory::locate(flag("--data").map(PathBuf::from).as_deref()).configuration_file()
        });
        let table: toml::Table = std::fs::read_to_string(file).ok()?.parse().ok()?;
        Some(table.get("server")?.get("log_format")?.as_str()?.to_owned())
    };
    let format = flag("--log-format").or_else(|| variable("QUAYMASTER_LOG_FORMAT")).or_else(in_file);
    if format.as_deref() == Some("json") { Form::Log } else { Form::Text }
}

/// The same for `runmqserver`, where the container's variables count after the environment's own.
pub(super) fn form_in_container(words: &[&str]) -> Form {
    if Container::of_process().logs_json() { Form::Log } else { form(words) }
}

/// Serves until a signal.
pub(super) fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    crate::serve::run(arguments.options())?;
    Ok(ExitCode::SUCCESS)
}

/// `runmqserver`: serves with the settings that a container gives.
pub(super) fn run_in_container(arguments: ContainerArguments) -> Result<ExitCode, Failure> {
    let ContainerArguments { serve: arguments, prepare } = arguments;
    let container = Container::of_process();
    if prepare {
        arguments.location.directory().prepare_volume()?;
    } else if container.spare().is_some() {
        crate::serve::stand_by(&container)?;
    } else {
        crate::serve::run(ServeOptions { container: Some(container), ..arguments.options() })?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn options(self) -> ServeOptions {
        let one = |path, flag, value: Option<String>| value.map(|value| FlagValue { path, flag, values: vec![value] });
        let names = (!self.qmgr.is_empty()).then_some(FlagValue {
            path: "server.queue_managers",
            flag: "--qmgr",
            values: self.qmgr,
        });
        let flags = [
            names,
            one("group.name", "--group", self.group),
            one("server.https", "--https", self.https),
            one("server.http", "--http", self.http),
            one("server.mq", "--mq", self.mq),
            one("server.metrics", "--metrics", self.metrics),
            one("server.mqsc_dir", "--mqsc-dir", self.mqsc_dir),
            one("server.strict", "--strict", self.strict.then(|| "true".to_owned())),
            one("server.log_format", "--log-format", self.log_format),
            one("server.log_level", "--log-level", self.log_level),
        ];
        ServeOptions {
            data: self.location.data,
            config: self.config,
            ephemeral: self.ephemeral,
            test_control: self.test_control.then(|| Arc::new(TestControl::new(SystemClock.now()))),
            ready_file: self.ready_file,
            only_named: self.only_named,
            end_with_last: self.end_with_last,
            flags: flags.into_iter().flatten().collect(),
            container: None,
        }
    }
}
