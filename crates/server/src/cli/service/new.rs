//! `service new`: the first files of a service, from the copybooks of its requests and replies.
//!
//! The crate `service` makes the files. Here what was not given is asked for on a terminal, and the folder is written: all files or
//! none. A file that is there is never changed without `--replace`.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use copybook::Compiler;
use service::starter::{self, StarterError, StarterFile, Wanted};

use crate::cli::failure::Failure;
use crate::data_directory::write_file;

/// Times that a question is asked before a wrong answer ends the command.
const MOST_TRIES: usize = 3;
const WAIT_INTERVAL_MS: u32 = 10_000;

#[derive(Debug, Args)]
pub(in crate::cli) struct NewArguments {
    /// Copybook of the requests.
    #[arg(value_name = "REQUEST")]
    request: PathBuf,
    /// Copybook of the replies; may be that of the requests.
    #[arg(value_name = "REPLY")]
    response: PathBuf,
    /// Name of the service, its API and its folder [default: that of the first copybook, without REQ].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Record of the requests, if the copybook has several.
    #[arg(long, value_name = "NAME")]
    request_record: Option<String>,
    /// Record of the replies, if the copybook has several.
    #[arg(long, value_name = "NAME")]
    response_record: Option<String>,
    /// Compiler of the program that answers [default: gnucobol]. With enterprise the program runs on z/OS, and none is made.
    #[arg(long, value_name = "NAME", value_parser = Compiler::NAMES)]
    compiler: Option<String>,
    /// First part of the names of the queues: PREFIX.REQUEST, PREFIX.REPLY, PREFIX.ASIDE [default: the name, in upper case].
    #[arg(long, value_name = "PREFIX")]
    queues: Option<String>,
    /// User by which the program connects to the queue manager [default: app].
    #[arg(long)]
    user: Option<String>,
    /// Milliseconds to wait for a reply [default: 10000].
    #[arg(long, value_name = "MILLISECONDS")]
    wait: Option<u32>,
    /// Folder for the files [default: NAME in the current directory].
    #[arg(long, short = 'o', value_name = "DIR")]
    out: Option<PathBuf>,
    /// Take the default of everything that is not given, and ask nothing. So it is without a terminal, too.
    #[arg(long, short = 'y')]
    yes: bool,
    /// Write over files of the folder.
    #[arg(long)]
    replace: bool,
}

pub(super) fn run(arguments: &NewArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let asks = !arguments.yes && io::stdin().is_terminal();
    let wanted = {
        let mut stdin = io::stdin().lock();
        let mut questions = Questions { input: asks.then_some(&mut stdin as &mut dyn BufRead), output: out };
        wanted(arguments, &mut questions)?
    };
    let files = starter::make(&wanted).map_err(failure)?;
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from(&wanted.name));
    write(&folder, &files, arguments.replace)?;
    for file in &files {
        writeln!(out, "{}", folder.join(&file.name).display())?;
    }
    let start = folder.join("start.sh");
    let start = if start.components().count() > 1 { start } else { Path::new(".").join(start) };
    writeln!(out, "Next: {}", start.display())?;
    Ok(())
}

fn failure(error: StarterError) -> Failure {
    let code = match &error {
        StarterError::Copybook(_) | StarterError::SameFile { .. } => 1,
        StarterError::Name { .. }
        | StarterError::Queues { .. }
        | StarterError::User { .. }
        | StarterError::File { .. }
        | StarterError::SeveralRecords { .. } => 2,
    };
    Failure::new(code, error.to_string())
}

/// What is given, and the answers to what is not.
fn wanted(arguments: &NewArguments, questions: &mut Questions<'_>) -> Result<Wanted, Failure> {
    let mut wanted = Wanted {
        name: arguments.name.clone().unwrap_or_else(|| starter::name_of(&arguments.request)),
        request: arguments.request.clone(),
        response: arguments.response.clone(),
        request_record: arguments.request_record.clone(),
        response_record: arguments.response_record.clone(),
        compiler: Compiler::GnuCobol,
        queues: "X".to_owned(),
        user: arguments.user.clone().unwrap_or_else(|| "app".to_owned()),
        wait_interval_ms: arguments.wait.unwrap_or(WAIT_INTERVAL_MS),
    };
    if arguments.name.is_none() {
        questions.ask("Name of the service and its API", &wanted.name.clone(), |answer| {
            wanted.name = answer.to_owned();
            wanted.check().map_err(|error| error.to_string())
        })?;
    }
    for (file, record, what) in [
        (&arguments.request, &mut wanted.request_record, "Record of the requests"),
        (&arguments.response, &mut wanted.response_record, "Record of the replies"),
    ] {
        let names = starter::record_names(file).map_err(failure)?;
        if let (None, [first, _, ..], true) = (&record, names.as_slice(), questions.asks()) {
            let question = format!("{what} ({})", names.join(", "));
            questions.ask(&question, &first.clone(), |answer| {
                let found = names.iter().find(|name| name.eq_ignore_ascii_case(answer));
                *record = Some(found.ok_or_else(|| format!("expected one of {}", names.join(", ")))?.clone());
                Ok(())
            })?;
        }
    }
    let compiler =
        |name: &str| Compiler::parse(name).ok_or_else(|| format!("expected one of {}", Compiler::NAMES.join(", ")));
    match &arguments.compiler {
        Some(name) => wanted.compiler = compiler(name).map_err(|problem| Failure::new(2, problem))?,
        None => {
            let question = format!("Compiler of the program ({})", Compiler::NAMES.join(", "));
            questions.ask(&question, wanted.compiler.name(), |answer| {
                wanted.compiler = compiler(answer)?;
                Ok(())
            })?;
        }
    }
    wanted.queues = arguments.queues.clone().unwrap_or_else(|| wanted.name.to_uppercase().replace('-', "."));
    if arguments.queues.is_none() {
        questions.ask("First part of the names of the queues", &wanted.queues.clone(), |answer| {
            wanted.queues = answer.to_owned();
            wanted.check().map_err(|error| error.to_string())
        })?;
    }
    if arguments.user.is_none() {
        questions.ask("User of the program on the queue manager", &wanted.user.clone(), |answer| {
            wanted.user = answer.to_owned();
            wanted.check().map_err(|error| error.to_string())
        })?;
    }
    if arguments.wait.is_none() {
        questions.ask("Milliseconds to wait for a reply", &WAIT_INTERVAL_MS.to_string(), |answer| {
            wanted.wait_interval_ms = answer.parse().map_err(|_| format!("'{answer}' is no number"))?;
            Ok(())
        })?;
    }
    Ok(wanted)
}

/// A terminal, or none.
struct Questions<'a> {
    input: Option<&'a mut dyn BufRead>,
    output: &'a mut dyn Write,
}

impl Questions<'_> {
    fn asks(&self) -> bool {
        self.input.is_some()
    }

    /// Asks until the answer can be taken. Without a terminal the default stays.
    fn ask(
        &mut self,
        question: &str,
        default: &str,
        mut take: impl FnMut(&str) -> Result<(), String>,
    ) -> Result<(), Failure> {
        let Some(input) = &mut self.input else { return Ok(()) };
        let mut problem = String::new();
        for _ in 0..MOST_TRIES {
            write!(self.output, "{question} [{default}]: ")?;
            self.output.flush()?;
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                return Err(Failure::new(2, "the answers ended; give options instead, or --yes"));
            }
            let answer = if line.trim().is_empty() { default } else { line.trim() };
            match take(answer) {
                Ok(()) => return Ok(()),
                Err(why) => problem = why,
            }
            writeln!(self.output, "{problem}")?;
        }
        Err(Failure::new(2, problem))
    }
}

/// Writes the files, after a look that none of them is there.
fn write(folder: &Path, files: &[StarterFile], replace: bool) -> Result<(), Failure> {
    if let Some(present) = files.iter().map(|file| folder.join(&file.name)).find(|file| file.exists())
        && !replace
    {
        return Err(Failure::new(
            1,
            format!("{} exists: name another folder with --out, or write over it with --replace", present.display()),
        ));
    }
    for file in files {
        let path = folder.join(&file.name);
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        let mode = if file.is_executable { 0o755 } else { 0o644 };
        write_file(&path, &file.content, mode)?;
    }
    Ok(())
}
