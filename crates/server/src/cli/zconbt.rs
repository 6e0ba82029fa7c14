//! `zconbt -p FILE -f OUT.ara`: members and archive of an API requester, made of the description of an API.
//!
//! The work is done by the crate `build-toolkit`; here files are read and written, lines shown, and progress drawn. Archives of
//! services and APIs, which the original makes by the same name, come from the crate `service`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use build_toolkit::build::{BuildError, Input, Location, Sink, build};
use build_toolkit::description::MAXIMUM_BYTES;
use build_toolkit::options::{self, Options};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::failure::Failure;
use crate::data_directory::write_file;

/// Longest properties file, in bytes.
const MAXIMUM_PROPERTIES: u64 = 1 << 20;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Properties file of an API requester, or of a service for an OUT.sar.
    #[arg(short = 'p', long = "properties", value_name = "FILE", required_unless_present = "project")]
    properties: Option<PathBuf>,
    /// Directory with the source of a service or an API, for an OUT.sar or OUT.aar; also written -pd.
    #[arg(long = "project-directory", id = "project", value_name = "DIR", conflicts_with = "properties")]
    project: Option<PathBuf>,
    /// Archive to make.
    #[arg(short = 'f', long = "file", value_name = "OUT", required_unless_present = "directory")]
    file: Option<PathBuf>,
    /// Directory for the archive; also written -od.
    #[arg(long = "output-directory", id = "directory", value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Treat a construct that cannot be mapped to structures as an error.
    #[arg(long)]
    strict: bool,
    /// List every file that is written.
    #[arg(short = 'v', long)]
    verbose: bool,
}

/// The original's options of two letters, as the parser wants them.
pub(super) fn spell_out(command: &str, arguments: &mut [OsString]) {
    if !matches!(command, "zconbt" | "zconbt.zos") {
        return;
    }
    for argument in arguments.iter_mut().skip(2) {
        let text = argument.to_string_lossy();
        for (short, long) in [("-pd", "--project-directory"), ("-od", "--output-directory")] {
            if let Some(rest) = text.strip_prefix(short).filter(|rest| rest.is_empty() || rest.starts_with('=')) {
                *argument = format!("{long}{rest}").into();
                break;
            }
        }
    }
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "BAQB0000I: The build toolkit of Quaymaster, version {version}.")?;
    match (&arguments.properties, &arguments.project) {
        (Some(properties), _) if !is_service(arguments, properties)? => requester(arguments, properties, out),
        (Some(source), _) | (None, Some(source)) => other_archive(arguments, source, out),
        (None, None) => Err(Failure::new(2, "zconbt: -p or -pd is missing")),
    }
}

/// Is a properties file meant for a service? The archive's ending says so; without one, the properties do.
fn is_service(arguments: &Arguments, properties: &Path) -> Result<bool, Failure> {
    let ending = arguments.file.as_deref().and_then(Path::extension);
    match ending.map(OsStr::to_ascii_lowercase) {
        Some(ending) if ending == "ara" => Ok(false),
        Some(ending) if ending == "sar" => Ok(true),
        Some(_) => {
            Err(Failure::new(2, "zconbt: -f: the archive of an API requester ends in .ara, that of a service in .sar"))
        }
        None if arguments.file.is_some() => Err(Failure::new(2, "zconbt: -f: the name of the archive has no ending")),
        None => {
            let text = String::from_utf8_lossy(&read_properties(properties)?).into_owned();
            Ok(!document::properties::parse_text(&text).contains_key("apiDescriptionFile"))
        }
    }
}

fn requester(arguments: &Arguments, properties: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "BAQB0008I: Making the archive of an API requester, configured by {}.", properties.display())?;
    let options = options::parse(&read_properties(properties)?).map_err(|errors| {
        let lines: Vec<String> =
            errors.iter().map(|error| format!("BAQB0903E: {}: {error}", properties.display())).collect();
        Failure::new(2, lines.join("\n"))
    })?;
    let source = description_file(&options, properties);
    let description = read_within(&source, MAXIMUM_BYTES as u64)?;
    let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let input =
        Input { options: &options, description_name: &name, description: &description, strict: arguments.strict };
    let mut console =
        Console { out, folders: Folders::of(&options), verbose: arguments.verbose, bar: None, error: None };
    let built = build(&input, &mut console);
    let broken = console.end();
    let (archive, summary) = built.map_err(|error| failure(&error))?;
    if let Some(error) = broken {
        return Err(error.into());
    }
    let own_name = format!("{}.ara", summary.api_name.replace(['/', '\\'], "_"));
    let file = target(arguments, &own_name);
    create_parent(&file)?;
    write_file(&file, &archive, 0o644)?;
    writeln!(out, "BAQB0009I: Made the archive {} of the API requester {}.", file.display(), summary.api_name)?;
    Ok(())
}

/// Archives of services and APIs.
fn other_archive(arguments: &Arguments, source: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let built = service::build::build(source)
        .map_err(|error| Failure::new(1, format!("BAQB0903E: {}: {error}", source.display())))?;
    let archive = built.write().map_err(|error| Failure::of(1, &error))?;
    let own_name = format!("{}.{}", built.name().replace(['/', '\\'], "_"), built.ending());
    let file = target(arguments, &own_name);
    let ending = file.extension().unwrap_or_default();
    if !ending.eq_ignore_ascii_case(built.ending()) {
        return Err(Failure::new(2, format!("zconbt: -f: {} must end in .{}", file.display(), built.ending())));
    }
    create_parent(&file)?;
    write_file(&file, &archive, 0o644)?;
    writeln!(out, "BAQB0009I: Made the archive {} of {}.", file.display(), built.name())?;
    Ok(())
}

/// Where the archive goes.
fn target(arguments: &Arguments, own_name: &str) -> PathBuf {
    let file = arguments.file.clone().unwrap_or_else(|| own_name.into());
    match &arguments.directory {
        Some(directory) => directory.join(file),
        None => file,
    }
}

/// Relative names are meant from the current directory; a description may lie beside its properties as well.
fn description_file(options: &Options, properties: &Path) -> PathBuf {
    let named = PathBuf::from(&options.api_description_file);
    let beside = properties.parent().unwrap_or(Path::new("")).join(&named);
    if !named.exists() && beside.exists() { beside } else { named }
}

fn read_properties(file: &Path) -> Result<Vec<u8>, Failure> {
    read_within(file, MAXIMUM_PROPERTIES)
}

/// Reads no more than that, even if the file is longer.
fn read_within(file: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let mut content = Vec::new();
    let read = fs::File::open(file).and_then(|opened| opened.take(most + 1).read_to_end(&mut content));
    read.map_err(|error| cannot("read", file, &error))?;
    if content.len() as u64 > most {
        return Err(Failure::new(1, format!("BAQB0903E: {} is longer than {most} bytes", file.display())));
    }
    Ok(content)
}

fn create_parent(file: &Path) -> Result<(), Failure> {
    match file.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => fs::create_dir_all(parent).map_err(|error| cannot("create", parent, &error)),
        None => Ok(()),
    }
}

fn cannot(action: &str, file: &Path, error: &io::Error) -> Failure {
    Failure::new(1, format!("BAQB0903E: cannot {action} {}: {error}", file.display()))
}

fn failure(error: &BuildError) -> Failure {
    Failure::new(1, format!("BAQB0903E: no archive was made: {error}"))
}

/// The three locations of the properties, made with the first file: what fails before it leaves nothing behind.
struct Folders {
    structures: PathBuf,
    information: PathBuf,
    logs: PathBuf,
    are_made: bool,
}

impl Folders {
    fn of(options: &Options) -> Self {
        Self {
            structures: PathBuf::from(&options.data_structures_location),
            information: PathBuf::from(&options.api_info_file_location),
            logs: PathBuf::from(&options.log_file_directory),
            are_made: false,
        }
    }

    fn get(&mut self, location: Location) -> io::Result<&Path> {
        if !self.are_made {
            for folder in [&self.structures, &self.information, &self.logs] {
                fs::create_dir_all(folder).map_err(|error| {
                    io::Error::new(error.kind(), format!("cannot create {}: {error}", folder.display()))
                })?;
            }
            self.are_made = true;
        }
        Ok(match location {
            Location::Structures => &self.structures,
            Location::Information => &self.information,
            Location::Logs => &self.logs,
        })
    }
}

/// Files and lines as they come; a bar below them on a terminal.
struct Console<'a> {
    out: &'a mut dyn Write,
    folders: Folders,
    verbose: bool,
    bar: Option<ProgressBar>,
    /// The first error of the console.
    error: Option<io::Error>,
}

impl Console<'_> {
    fn end(self) -> Option<io::Error> {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.error
    }
}

impl Sink for Console<'_> {
    fn file(&mut self, location: Location, name: &str, content: &[u8]) -> io::Result<()> {
        let file = self.folders.get(location)?.join(name);
        // These can be made again at any time: syncing thousands of them would take minutes. Nor is an old one written over:
        // file systems bring what is written over a file to disk when it is closed.
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => fs::File::create_new(&file)?.write_all(content)?,
        }
        if self.verbose {
            self.line(&file.display().to_string());
        }
        Ok(())
    }

    fn line(&mut self, line: &str) {
        let out = &mut self.out;
        let written = match &self.bar {
            Some(bar) => bar.suspend(|| writeln!(out, "{line}")),
            None => writeln!(out, "{line}"),
        };
        if let Err(error) = written {
            self.error.get_or_insert(error);
        }
    }

    fn progress(&mut self, done: usize, all: usize) {
        if self.bar.is_none() && io::stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(Some(all as u64), ProgressDrawTarget::stderr_with_hz(10));
            let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} operations");
            self.bar = Some(style.map(|style| bar.clone().with_style(style)).unwrap_or(bar));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
        }
    }
}
