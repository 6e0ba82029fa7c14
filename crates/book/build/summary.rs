//! `docs/SUMMARY.md`: the parts of the book, and the pages of each, in the form of mdBook.

pub(crate) struct Summary {
    pub(crate) parts: Vec<Part>,
}

/// The first one has no title and holds the first page.
pub(crate) struct Part {
    pub(crate) title: String,
    /// File and title of each page.
    pub(crate) pages: Vec<(String, String)>,
}

impl Summary {
    /// Lines that are neither the title of a part nor a link are passed over.
    pub(crate) fn parse(text: &str) -> Self {
        let mut parts = vec![Part { title: String::new(), pages: Vec::new() }];
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("# ").filter(|title| *title != "Summary") {
                parts.push(Part { title: title.trim().to_owned(), pages: Vec::new() });
            } else if let Some((title, file)) = link(line) {
                parts.last_mut().expect("there is a first part").pages.push((file.to_owned(), title.to_owned()));
            }
        }
        Self { parts }
    }

    /// File and title of each page, in their order.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.iter().flat_map(|part| &part.pages).map(|(file, title)| (file.as_str(), title.as_str()))
    }
}

/// Title and file of `- [title](file)`.
fn link(line: &str) -> Option<(&str, &str)> {
    let (title, rest) = line.trim_start_matches(['-', ' ']).strip_prefix('[')?.split_once("](")?;
    Some((title, rest.strip_suffix(')')?))
}
