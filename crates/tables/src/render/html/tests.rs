use super::*;
use crate::outcome::{
    Axis, Cell, Chart, ChartKind, ExperimentOutcome, FORMAT, Measured, Origin, Place, Point, Printed, Row, Series,
    Table,
};

/// An outcome with every kind of cell, and names that would be markup.
fn outcome() -> Outcome {
    let printed = Printed { text: "6.6".to_owned(), value: Some(6.6) };
    let measured = Cell::measured(Measured::of(&[0.33, 0.3, 0.36])).beside(printed);
    let cells = vec![
        measured.counting(&["server"]).made_by("quaymaster workload run --path '/a?b&c'"),
        Cell::not_applicable("no <zIIP> here").beside(Printed::chart_only()),
        Cell::missing("the server is gone").noting("3 failed: \"refused\""),
    ];
    let mut table = Table::ours("t", "Table of <i>costs</i>", &["one", "two", "three"]);
    table.rows.push(Row::new("/qmgr & <more>", "ms", cells));
    table.caveats.push("printed as 'typical'".to_owned());
    let points = vec![Point { at: Place::Number(1.0), value: 2.0, range: None }];
    let chart = Chart {
        id: "c".to_owned(),
        title: "Chart <of> it".to_owned(),
        kind: ChartKind::Lines,
        x: Axis::linear("users"),
        y: Axis::linear("ms"),
        series: vec![Series { name: "<script>".to_owned(), hue: 1, origin: Origin::Measured, points }],
        note: Some("a & b".to_owned()),
    };
    Outcome {
        format: FORMAT,
        about: "Measured <here>".to_owned(),
        made: Made {
            at: "2026-11-21 19:00 UTC".to_owned(),
            command: "quaymaster tables run all".to_owned(),
            version: "0.1.0".to_owned(),
            effort: "three".to_owned(),
            quick: true,
            seconds: 61.0,
            machine: crate::machine::Machine::of(std::path::Path::new("/")),
        },
        experiments: vec![ExperimentOutcome {
            letter: 'a',
            name: "resources".to_owned(),
            title: "What <it> costs".to_owned(),
            about: vec!["one & two".to_owned()],
            seconds: 3.0,
            tables: vec![table],
            charts: vec![chart],
            notes: Vec::new(),
            failed: Some("server <gone>".to_owned()),
        }],
        outstanding: Vec::new(),
        not_applicable: Vec::new(),
    }
}

#[test]
fn nothing_of_an_outcome_becomes_markup() {
    let page = render(&outcome()).unwrap();
    for text in
        ["<i>costs", "<more>", "<zIIP>", "<script", "<of>", "<here>", "<it>", "server <gone>", "b&c", "\"refused\""]
    {
        assert!(!page.contains(text), "{text}");
    }
    assert!(page.contains("/qmgr &amp; &lt;more&gt;") && page.contains("&lt;script&gt;"));
}

#[test]
fn published_and_measured_stand_side_by_side_with_ratio_and_spread() {
    let page = render(&outcome()).unwrap();
    let cells = "<td class=\"first\"><span class=\"printed\">6.6</span></td><td><span class=\"figure\">0.330</span>\
                 <small><span class=\"ratio\">×0.050</span> · spread 18 %</small></td>";
    assert!(page.contains(cells), "{page}");
    assert!(page.contains(">chart only<") && page.contains(">not applicable<") && page.contains(">not measured<"));
    assert!(page.contains("not applicable: no &lt;zIIP&gt; here"));
}

#[test]
fn the_page_needs_no_other_file_and_no_script() {
    let page = render(&outcome()).unwrap();
    for text in ["<link", "<script", "src=", "@import", "url("] {
        assert!(!page.contains(text), "{text}");
    }
    assert!(page.contains("prefers-color-scheme: dark"));
}

#[test]
fn the_page_and_the_text_name_what_was_still_to_be_run() {
    let mut outcome = outcome();
    let words = "Not run yet:";
    assert!(!render(&outcome).unwrap().contains(words) && !crate::render::text::render(&outcome).contains(words));
    outcome.outstanding = vec!["users".to_owned(), "requester".to_owned()];
    let words = format!("{words} users, requester.");
    assert!(render(&outcome).unwrap().contains(&words) && crate::render::text::render(&outcome).contains(&words));
}

#[test]
fn the_text_form_has_every_figure_and_reason() {
    let text = crate::render::text::render(&outcome());
    let parts = ["6.6", "0.330", "×0.050", "18 %", "chart only", "no <zIIP> here", "did not finish: server <gone>"];
    for part in parts {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn the_text_form_tells_what_is_counted_what_went_wrong_and_the_command_of_a_figure() {
    let text = crate::render::text::render(&outcome());
    for part in ["counted: server", "three: 3 failed: \"refused\"", "1: quaymaster workload run --path '/a?b&c'"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let figure = text.lines().find(|line| line.contains("0.330")).unwrap();
    assert!(figure.ends_with(" 1"), "{figure}");
}
