//! One page: Markdown to HTML, with an anchor for each heading and each row of a table, and what the search finds in it.
//!
//! Anchors of headings are those of GitHub and mdBook, so that a link holds in all three places.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::layout;

pub(crate) struct Page {
    /// Below `docs/`.
    pub(crate) file: String,
    /// Of its first heading.
    pub(crate) title: String,
    pub(crate) html: String,
    pub(crate) headings: Vec<Heading>,
    pub(crate) finds: Vec<Find>,
}

/// Of the second or third level.
pub(crate) struct Heading {
    pub(crate) is_third: bool,
    pub(crate) anchor: String,
    pub(crate) text: String,
}

/// A section without its tables, or a row of a table.
pub(crate) struct Find {
    pub(crate) anchor: String,
    pub(crate) heading: String,
    /// First cell of a row.
    pub(crate) key: Option<String>,
    pub(crate) text: String,
}

/// The last part of a page's address.
pub(crate) fn address(file: &str) -> &str {
    if file == "README.md" { "" } else { file.strip_suffix(".md").unwrap_or(file) }
}

impl Page {
    /// `known` are the files that are pages.
    ///
    /// # Errors
    /// The page does not begin with a heading of the first level.
    pub(crate) fn read(file: &str, text: &str, known: &BTreeSet<&str>) -> Result<Self> {
        let mut events: Vec<Event<'_>> =
            Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).collect();
        let mut reader = Reader::default();
        for event in &events {
            reader.take(event);
        }
        reader.end_section();
        let mut headings = reader.headings.into_iter();
        let (level, first) = headings.next().context("the page has no heading")?;
        ensure!(level == HeadingLevel::H1, "the page begins with a heading of the first level");
        lead_links(&mut events, known);
        let mut html = String::with_capacity(text.len() * 2);
        html::push_html(&mut html, anchor_headings(events).into_iter());
        Ok(Self {
            file: file.to_owned(),
            title: first.text.clone(),
            html: anchor_rows(&html, &reader.rows),
            headings: headings
                .filter(|(level, _)| *level <= HeadingLevel::H3)
                .map(|(level, heading)| Heading { is_third: level == HeadingLevel::H3, ..heading })
                .collect(),
            finds: reader.finds,
        })
    }
}

/// Walks through a page and gathers its headings, sections and rows.
#[derive(Default)]
struct Reader {
    anchors: Anchors,
    headings: Vec<(HeadingLevel, Heading)>,
    finds: Vec<Find>,
    rows: Vec<String>,
    section: String,
    /// Text of the heading, or cells of the row, that is being read.
    heading: Option<String>,
    row: Option<Vec<String>>,
    is_head: bool,
}

impl Reader {
    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                self.end_section();
                self.heading = Some(String::new());
            }
            Event::End(TagEnd::Heading(level)) => {
                let text = self.heading.take().unwrap_or_default();
                let anchor = self.anchors.next(&slug(&text));
                self.headings.push((*level, Heading { is_third: false, anchor, text }));
            }
            Event::Start(Tag::TableHead) => self.is_head = true,
            Event::End(TagEnd::TableHead) => self.is_head = false,
            Event::Start(Tag::TableRow) => self.row = Some(Vec::new()),
            Event::Start(Tag::TableCell) => self.row.iter_mut().for_each(|row| row.push(String::new())),
            Event::End(TagEnd::TableRow) => self.end_row(),
            Event::Text(text) | Event::Code(text) => self.write(text),
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::CodeBlock) => {
                self.write(" ");
            }
            _ => {}
        }
    }

    fn write(&mut self, text: &str) {
        if self.is_head {
            return;
        }
        let row = self.row.as_mut().and_then(|row| row.last_mut());
        row.or(self.heading.as_mut()).unwrap_or(&mut self.section).push_str(text);
    }

    fn place(&self) -> (String, String) {
        let last = self.headings.last().map(|(_, heading)| (heading.anchor.clone(), heading.text.clone()));
        last.unwrap_or_default()
    }

    fn end_section(&mut self) {
        let (anchor, heading) = self.place();
        let text = squeezed(&std::mem::take(&mut self.section));
        if !heading.is_empty() {
            self.finds.push(Find { anchor, heading, key: None, text });
        }
    }

    fn end_row(&mut self) {
        let Some(cells) = self.row.take() else { return };
        let key = squeezed(cells.first().map_or("", String::as_str));
        let anchor = self.anchors.next(&format!("row-{}", slug(&key)));
        self.rows.push(anchor.clone());
        let others = cells.iter().skip(1).map(|cell| squeezed(cell)).filter(|cell| !cell.is_empty() && cell != "-");
        let text = others.collect::<Vec<_>>().join(" · ");
        self.finds.push(Find { anchor, heading: self.place().1, key: Some(key), text });
    }
}

/// Names that a page has given away.
#[derive(Default)]
struct Anchors(BTreeSet<String>);

impl Anchors {
    fn next(&mut self, slug: &str) -> String {
        let numbered = (1..).map(|number| format!("{slug}-{number}"));
        let free = std::iter::once(slug.to_owned()).chain(numbered).find(|name| !self.0.contains(name));
        let free = free.expect("numbers do not end");
        self.0.insert(free.clone());
        free
    }
}

/// Letters, digits, hyphens and underscores of a heading, in lower case, with hyphens for blanks.
fn slug(text: &str) -> String {
    let kept = text.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Leads links to other pages below `/docs`. What is no page is in the repository alone, so that its link becomes text; so does a picture,
/// because the program that shows the book shows its console itself.
fn lead_links(events: &mut [Event<'_>], known: &BTreeSet<&str>) {
    // A link holds no link.
    let mut is_outside = false;
    for event in events {
        match event {
            Event::Start(Tag::Image { .. }) => *event = Event::InlineHtml(CowStr::Borrowed("<em>Picture: ")),
            Event::End(TagEnd::Image) => *event = Event::InlineHtml(CowStr::Borrowed("</em>")),
            Event::Start(Tag::Link { dest_url, .. }) => match lead(dest_url, known) {
                Some(address) => *dest_url = address.into(),
                None => {
                    let path = layout::escape(dest_url.trim_start_matches("../"));
                    *event = Event::InlineHtml(format!("<span title=\"{path} in the source repository\">").into());
                    is_outside = true;
                }
            },
            Event::End(TagEnd::Link) if std::mem::take(&mut is_outside) => {
                *event = Event::InlineHtml(CowStr::Borrowed("</span>"));
            }
            _ => {}
        }
    }
}

/// `None`: to no page of the book.
fn lead(link: &str, known: &BTreeSet<&str>) -> Option<String> {
    if link.starts_with('#') || link.contains("://") {
        return Some(link.to_owned());
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    // The repository's own first page stands for the book's.
    let file = if file == "../README.md" { "README.md" } else { file };
    let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
    known.contains(file).then(|| format!("/docs/{}{anchor}", address(file)))
}

/// Gives each heading its anchor, and a link to itself.
fn anchor_headings(events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut anchors = Anchors::default();
    let mut made = Vec::with_capacity(events.len());
    let mut begun: Option<(usize, String)> = None;
    for event in events {
        match &event {
            Event::Start(Tag::Heading { .. }) => begun = Some((made.len(), String::new())),
            Event::Text(text) | Event::Code(text) => {
                if let Some((_, heading)) = &mut begun {
                    heading.push_str(text);
                }
            }
            Event::End(TagEnd::Heading(level)) => {
                if let Some((place, text)) = begun.take() {
                    let anchor = anchors.next(&slug(&text));
                    if *level > HeadingLevel::H1 {
                        let link =
                            format!("<a class=\"anchor\" href=\"#{anchor}\" aria-label=\"Link to this section\">#</a>");
                        made.push(Event::InlineHtml(link.into()));
                    }
                    if let Event::Start(Tag::Heading { id, .. }) = &mut made[place] {
                        *id = Some(anchor.into());
                    }
                }
            }
            _ => {}
        }
        made.push(event);
    }
    made
}

/// Gives each row of a table its anchor, and tables a frame in which they scroll; that and code can be scrolled
/// by keyboard. Alignment is a class: the pages' guard allows no styles in
/// elements.
fn anchor_rows(html: &str, rows: &[String]) -> String {
    let mut made = String::with_capacity(html.len() + rows.len() * 32);
    let mut rows = rows.iter();
    let mut pieces = html.split("<tr>");
    made.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        if made.ends_with("<thead>") {
            made.push_str("<tr>");
        } else {
            made.push_str(&format!("<tr id=\"{}\">", rows.next().map_or("", String::as_str)));
        }
        made.push_str(piece);
    }
    let made =
        made.replace(" style=\"text-align: right\"", " class=\"is-end\"").replace(" style=\"text-align: center\"", "");
    let made = made.replace("<pre>", "<pre tabindex=\"0\">");
    made.replace("<table>", "<div class=\"table\" tabindex=\"0\"><table>").replace("</table>", "</table></div>")
}
