//! Names of a chart's series beside their colours and marks, as `render::chart` draws them.

use std::fmt::Write;

use super::escaped;
use crate::outcome::{Chart, ChartKind, Origin, Series};
use crate::render::chart::HUES;

pub(super) fn list(page: &mut String, chart: &Chart) {
    page.push_str("<ul class=\"legend\">\n");
    for series in &chart.series {
        let _ = writeln!(page, "<li>{}{}</li>", swatch(series, chart.kind), escaped(&series.name));
    }
    page.push_str("</ul>\n");
}

fn swatch(series: &Series, kind: ChartKind) -> String {
    let colour = format!("var(--hue-{})", series.hue % HUES);
    let dash = if series.origin == Origin::Published { " stroke-dasharray=\"6 5\"" } else { "" };
    let line = match kind {
        ChartKind::Lines => format!("<path d=\"M0 7H34\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>"),
        ChartKind::Dots => String::new(),
    };
    let fill = match series.origin {
        Origin::Published => format!("fill=\"var(--paper)\" stroke=\"{colour}\" stroke-width=\"2\""),
        Origin::Measured => format!("fill=\"{colour}\""),
    };
    let mark = match series.hue % 4 {
        0 => format!("<path d=\"M12 2L22 12M12 12L22 2\" stroke=\"{colour}\" stroke-width=\"2\" fill=\"none\"/>"),
        1 => format!("<circle cx=\"17\" cy=\"7\" r=\"5\" {fill}/>"),
        2 => format!("<rect x=\"13\" y=\"3\" width=\"8\" height=\"8\" {fill}/>"),
        _ => format!("<path d=\"M17 1L22.2 10H11.8Z\" {fill}/>"),
    };
    format!("<svg viewBox=\"0 0 34 14\" aria-hidden=\"true\">{line}{mark}</svg>")
}
