//! What is around each page: head, header, contents, what is on this page, the pages before and after.

use std::fmt::Write as _;

use crate::page::{Heading, Page, address};
use crate::summary::Summary;

/// The same mark as the console's.
const MARK: &str = r#"<svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true"><rect width="16" height="16" rx="3"/><path d="M4 5h8M4 8h8M4 11h5"/></svg>"#;
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='%230f62fe'/%3E%3Cpath d='M4 5h8M4 8h8M4 11h5' stroke='%23fff' stroke-width='1.6' fill='none'/%3E%3C/svg%3E";

pub(crate) fn page(summary: &Summary, page: &Page) -> String {
    let title = escape(&page.title);
    let title = if page.title == "Quaymaster" { title } else { format!("{title} - Quaymaster") };
    format!(
        r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="{ICON}">
<link rel="stylesheet" href="/docs/book.css">
<script src="/docs/book.js"></script>
</head>
<body>
<a class="skip" href="#page">To the page</a>
<header>
<button type="button" class="contents-button" popovertarget="contents">Contents</button>
<a class="brand" href="/docs" aria-label="Quaymaster Book">{MARK}<span>Quaymaster</span> <span class="quiet">Book</span></a>
<div id="search"></div>
<div class="header-end"><button type="button" id="theme" hidden></button><a href="/ibmmq/console/">Console</a></div>
</header>
<div class="columns">
<nav id="contents" popover aria-label="Contents">
{contents}</nav>
<main id="page" tabindex="-1">
<article>
{html}</article>
{around}</main>
{on_page}</div>
</body>
</html>
"##,
        contents = contents(summary, &page.file),
        html = page.html,
        around = around(summary, &page.file),
        on_page = on_page(&page.headings),
    )
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn contents(summary: &Summary, here: &str) -> String {
    let mut made = String::new();
    for part in &summary.parts {
        if !part.title.is_empty() {
            writeln!(made, "<h2>{}</h2>", escape(&part.title)).expect("a text takes every letter");
        }
        made.push_str("<ul>\n");
        for (file, title) in &part.pages {
            let current = if file == here { " aria-current=\"page\"" } else { "" };
            writeln!(made, "<li><a href=\"/docs/{}\"{current}>{}</a></li>", address(file), escape(title))
                .expect("a text takes every letter");
        }
        made.push_str("</ul>\n");
    }
    made
}

/// The pages before and after.
fn around(summary: &Summary, here: &str) -> String {
    let pages: Vec<(&str, &str)> = summary.pages().collect();
    let Some(place) = pages.iter().position(|(file, _)| *file == here) else { return String::new() };
    let link = |page: Option<&(&str, &str)>, rel: &str, word: &str| {
        page.map(|(file, title)| {
            let title = escape(title);
            format!("<a rel=\"{rel}\" href=\"/docs/{}\"><small>{word}</small>{title}</a>\n", address(file))
        })
        .unwrap_or_default()
    };
    let before = link(place.checked_sub(1).map(|before| &pages[before]), "prev", "Before");
    let after = link(pages.get(place + 1), "next", "Next");
    format!("<nav class=\"around\" aria-label=\"Pages before and after\">\n{before}{after}</nav>\n")
}

fn on_page(headings: &[Heading]) -> String {
    if headings.len() < 2 {
        return String::new();
    }
    let mut made = String::from("<nav class=\"on-page\" aria-label=\"On this page\">\n<h2>On this page</h2>\n<ul>\n");
    for heading in headings {
        let class = if heading.is_third { " class=\"is-third\"" } else { "" };
        writeln!(made, "<li{class}><a href=\"#{}\">{}</a></li>", heading.anchor, escape(&heading.text))
            .expect("a text takes every letter");
    }
    made.push_str("</ul>\n</nav>\n");
    made
}
