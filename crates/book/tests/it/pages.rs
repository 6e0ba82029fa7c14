//! Every link and anchor leads to a page of the book, no file is of another host, and the search index has what readers look for.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::Value;

fn text(file: &book::File) -> String {
    let mut text = String::new();
    GzDecoder::new(file.gzip).read_to_string(&mut text).expect("text");
    text
}

fn pages() -> BTreeMap<&'static str, String> {
    let html = book::FILES.iter().filter(|file| file.media_type.starts_with("text/html"));
    html.map(|file| (file.name, text(file))).collect()
}

/// Values of an attribute, as they are in the text.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    page.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_internal_link_leads_to_a_page_and_every_anchor_to_a_place_in_it() {
    let pages = pages();
    assert!(pages.len() > 40, "{} pages", pages.len());
    let anchors: BTreeMap<&str, BTreeSet<&str>> =
        pages.iter().map(|(name, page)| (*name, values(page, "id").into_iter().collect())).collect();
    let mut wrong = Vec::new();
    for (name, page) in &pages {
        for link in values(page, "href") {
            let link = link.strip_prefix("/docs").unwrap_or(link);
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            if link.contains(':') || path == "/ibmmq/console/" {
                continue;
            }
            let target = if path.is_empty() && !anchor.is_empty() { name } else { path.trim_start_matches('/') };
            let is_file = book::FILES.iter().any(|file| file.name == target);
            let is_place = anchor.is_empty() || anchors.get(target).is_some_and(|ids| ids.contains(anchor));
            if !is_file || !is_place {
                wrong.push(format!("{name}: {link}"));
            }
        }
    }
    assert!(wrong.is_empty(), "links that lead to no page or place:\n{}", wrong.join("\n"));
}

#[test]
fn anchors_of_a_page_are_there_once() {
    for (name, page) in pages() {
        let ids = values(&page, "id");
        let once: BTreeSet<&str> = ids.iter().copied().collect();
        let twice: Vec<&&str> = ids.iter().filter(|id| ids.iter().filter(|other| other == id).count() > 1).collect();
        assert_eq!(ids.len(), once.len(), "{name}: {twice:?}");
    }
}

#[test]
fn pages_load_nothing_from_other_hosts_and_run_no_script_of_their_own() {
    for file in book::FILES.iter().filter(|file| file.media_type.starts_with("text/")) {
        let text = text(file);
        for source in values(&text, "src") {
            assert!(source.starts_with("/docs/"), "{}: {source}", file.name);
        }
        assert!(
            !text.contains("<style") && !text.contains(" style=\"") && !text.contains(" onclick="),
            "{}",
            file.name
        );
        for address in text.split("url('").skip(1) {
            assert!(address.starts_with("/ibmmq/console/assets/"), "{}: {address:.60}", file.name);
        }
        assert_eq!(
            text.matches("<script").count(),
            usize::from(file.media_type.starts_with("text/html")),
            "{}",
            file.name
        );
    }
}

#[test]
fn the_search_index_has_reason_codes_and_attributes_with_places_that_exist() {
    let pages = pages();
    let file = book::FILES.iter().find(|file| file.name == "search.json").expect("an index");
    let index: Value = serde_json::from_str(&text(file)).expect("JSON");
    let finds = index["finds"].as_array().expect("finds");
    for wanted in ["2033", "MAXDEPTH", "runmqsc", "dmpmqcfg"] {
        assert!(finds.iter().any(|find| find[4].as_str().is_some_and(|text| text.contains(wanted))), "{wanted}");
    }
    assert!(finds.iter().any(|find| find[3] == "MAXDEPTH"), "a row about MAXDEPTH");
    for find in finds {
        let page = usize::try_from(find[0].as_u64().expect("a number")).expect("a page");
        let name = index["pages"][page][0].as_str().expect("a name");
        let anchor = format!("id=\"{}\"", find[1].as_str().expect("an anchor"));
        assert!(pages[name].contains(&anchor), "{name}: {anchor}");
    }
}

#[test]
fn the_book_takes_little_of_the_program() {
    let bytes: usize = book::FILES.iter().map(|file| file.gzip.len()).sum();
    assert!(bytes < 900_000, "{bytes} bytes");
}
