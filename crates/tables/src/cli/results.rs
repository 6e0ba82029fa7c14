//! Where the result goes: standard output, and files of a folder that are whole whenever the run is ended.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::error::TablesError;
use crate::outcome::Outcome;
use crate::render::{self, Format};

/// Where results go when they are a page.
const DEFAULT_OUT: &str = "quaymaster-tables";

pub(super) struct Results<'a> {
    format: Format,
    folder: Option<PathBuf>,
    out: &'a mut dyn Write,
}

impl<'a> Results<'a> {
    /// # Errors
    /// Nothing can be written into the folder.
    pub(super) fn new(format: Format, folder: Option<&Path>, out: &'a mut dyn Write) -> Result<Self, TablesError> {
        let folder = folder.or((format == Format::Html).then_some(Path::new(DEFAULT_OUT))).map(Path::to_owned);
        if let Some(folder) = &folder {
            let file = |what| move |source| TablesError::File { what, path: folder.clone(), source };
            std::fs::create_dir_all(folder).map_err(file("make"))?;
            tempfile::tempfile_in(folder).map_err(file("write into"))?;
        }
        Ok(Self { format, folder, out })
    }

    /// Before the first experiment.
    pub(super) fn begin(&mut self, outcome: &Outcome) {
        if self.format == Format::Text {
            self.show(&render::text::head(&outcome.made));
        }
    }

    /// After each experiment, the last of the outcome. What cannot be written may be possible after the next one.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        if let (Format::Text, Some(experiment)) = (self.format, outcome.experiments.last()) {
            self.show(&render::text::experiment(experiment));
        }
        // The last one is written by `end`, which fails where this one tells.
        if !outcome.outstanding.is_empty()
            && let Err(error) = self.write(outcome)
        {
            eprintln!("quaymaster: {}", error.chain());
        }
    }

    /// After the last experiment.
    ///
    /// # Errors
    /// A file cannot be written, or a chart not drawn.
    pub(super) fn end(&mut self, outcome: &Outcome) -> Result<(), TablesError> {
        match self.format {
            Format::Text => self.show(&render::text::foot(outcome)),
            Format::Json => self.show(&json(outcome)),
            Format::Html => {}
        }
        for path in self.write(outcome)? {
            // In a pipe after a text or JSON result this would be in the way.
            if self.format == Format::Html || io::stderr().is_terminal() {
                eprintln!("wrote {}", path.display());
            }
        }
        Ok(())
    }

    /// At once: experiments take their time.
    fn show(&mut self, text: &str) {
        // Whoever closes standard output has seen enough; the files are written all the same.
        let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }

    /// Writes the files, and tells which: the form that was asked for first.
    fn write(&self, outcome: &Outcome) -> Result<Vec<PathBuf>, TablesError> {
        let Some(folder) = &self.folder else { return Ok(Vec::new()) };
        let mut written = vec![replace(folder, "json", &json(outcome))?];
        let text = match self.format {
            Format::Text => render::text::render(outcome),
            Format::Html => render::html::render(outcome)?,
            Format::Json => return Ok(written),
        };
        written.insert(0, replace(folder, self.format.extension(), &text)?);
        Ok(written)
    }
}

fn json(outcome: &Outcome) -> String {
    outcome.to_json() + "\n"
}

/// Puts a new file in the place of the one before, which a signal in the midst of writing leaves as it is.
#[expect(clippy::disallowed_methods, reason = "the result need not outlast a failing machine")]
fn replace(folder: &Path, extension: &str, text: &str) -> Result<PathBuf, TablesError> {
    let path = folder.join(format!("tables.{extension}"));
    let new = folder.join(format!("tables.{extension}.new"));
    let written = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, &path));
    written.map_err(|source| TablesError::File { what: "write", path: path.clone(), source })?;
    Ok(path)
}
