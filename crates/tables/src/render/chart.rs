//! Charts as SVG, drawn by plotters. Colours are those of the page: each is drawn as a number that stands for it and becomes a
//! CSS variable afterwards, so that one drawing serves light and dark.
//!
//! Series differ in the shape of their marks too; published ones are hollow and dashed. Names of series are in the page's
//! legend, not in the drawing, so that nothing can lie over anything.

mod scale;

use plotters::chart::ChartContext;
use plotters::coord::cartesian::Cartesian2d;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::error::TablesError;
use crate::outcome::{Chart, ChartKind, Origin, Place, Point, Series};
use scale::Scale;

/// For which width of a page it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    Desktop,
    Phone,
}

/// Colours of the page's palette; hue 0 is the ink of what was published and has no counterpart.
pub const HUES: usize = 8;
/// Red and green of numbers that stand for colours; blue tells which.
const HUE: (u8, u8) = (1, 2);
const PART: (u8, u8) = (1, 3);
/// Names of the parts' variables, by their blue.
const PARTS: [&str; 2] = ["ink", "grid"];
const INK: RGBColor = RGBColor(PART.0, PART.1, 0);
const GRID: RGBColor = RGBColor(PART.0, PART.1, 1);
/// Font size as plotters counts it: a quarter more than what CSS makes of it.
const TEXT: u32 = 15;
/// Of a mark, from its middle to its edge, in pixels.
const MARK: i32 = 5;
/// Height of a row of dots, and of what is around all rows, in pixels.
const ROW: u32 = 50;
const AROUND_ROWS: u32 = 64;

type Drawing<'a> = SVGBackend<'a>;
type Axes<'a> = ChartContext<'a, Drawing<'a>, Cartesian2d<Scale, Scale>>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// The chart as an `<svg>` element.
///
/// # Errors
/// plotters cannot draw it; in memory it always can.
pub fn svg(chart: &Chart, width: Width) -> Result<String, TablesError> {
    let mut drawing = String::new();
    let rows = names(chart).len();
    let pixels = match (width, chart.kind) {
        (Width::Desktop, ChartKind::Lines) => (900, 380),
        (Width::Phone, ChartKind::Lines) => (420, 340),
        (Width::Desktop, ChartKind::Dots) => (900, rows_height(rows)),
        (Width::Phone, ChartKind::Dots) => (420, rows_height(rows)),
    };
    draw(chart, &mut drawing, pixels).map_err(|error| TablesError::Chart(error.to_string()))?;
    Ok(with_variables(&drawing))
}

fn rows_height(rows: usize) -> u32 {
    AROUND_ROWS + ROW * u32::try_from(rows).unwrap_or(u32::MAX / ROW / 2)
}

fn draw(chart: &Chart, out: &mut String, pixels: (u32, u32)) -> Drawn {
    let area = SVGBackend::with_string(out, pixels).into_drawing_area();
    let few = pixels.0 < 600;
    match chart.kind {
        ChartKind::Lines => lines(chart, &area, few)?,
        ChartKind::Dots => dots(chart, &area, few)?,
    }
    area.present()
}

type Area<'a> = DrawingArea<Drawing<'a>, plotters::coord::Shift>;

fn lines(chart: &Chart, area: &Area<'_>, few: bool) -> Drawn {
    let points = || chart.series.iter().flat_map(|series| &series.points);
    let x = Scale::of(points().filter_map(|point| place(chart, point)), chart.x.logarithmic, few);
    let x = if few || !chart.x.logarithmic { x } else { x.at_values(points().filter_map(|point| place(chart, point))) };
    let y = Scale::of(points().flat_map(extent), chart.y.logarithmic, false);
    let mut builder = ChartBuilder::on(area);
    builder.margin(8).margin_right(22).x_label_area_size(48).y_label_area_size(64);
    let mut axes = builder.build_cartesian_2d(x, y)?;
    axes.configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(GRID)
        .label_style(text())
        .axis_desc_style(text())
        .x_desc(&chart.x.label)
        .y_desc(&chart.y.label)
        .x_label_formatter(&scale::label)
        .y_label_formatter(&scale::label)
        .draw()?;
    for series in &chart.series {
        // Values that are not above zero cannot be drawn on a logarithmic axis.
        let can_be_drawn = |value: f64| value > 0.0 || !chart.y.logarithmic;
        let at = |point: &Point| Some((place(chart, point)?, point.value)).filter(|(_, value)| can_be_drawn(*value));
        let all: Vec<(f64, f64)> = series.points.iter().filter_map(at).collect();
        let style = colour(series).stroke_width(2);
        match series.origin {
            Origin::Published => axes.draw_series(DashedLineSeries::new(all.clone(), 6, 5, style)).map(drop)?,
            Origin::Measured => axes.draw_series(LineSeries::new(all.clone(), style)).map(drop)?,
        }
        for point in &series.points {
            if let (Some((low, high)), Some((across, _))) = (point.range, at(point)) {
                let ends = vec![(across, low), (across, high)];
                axes.draw_series([PathElement::new(ends, colour(series).stroke_width(1))])?;
            }
        }
        marks(&axes, series, &all)?;
    }
    Ok(())
}

fn dots(chart: &Chart, area: &Area<'_>, few: bool) -> Drawn {
    let names = names(chart);
    let values = chart.series.iter().flat_map(|series| series.points.iter().flat_map(extent));
    let x = Scale::of(values, chart.x.logarithmic, few);
    let left = x.low();
    #[expect(clippy::cast_precision_loss, reason = "rows of a chart")]
    let row = |place: usize| place as f64;
    let mut builder = ChartBuilder::on(area);
    builder.margin(8).margin_left(18).margin_right(22).x_label_area_size(48);
    let mut axes = builder.build_cartesian_2d(x, Scale::rows(names.len()))?;
    axes.configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(GRID)
        .label_style(text())
        .axis_desc_style(text())
        .x_desc(&chart.x.label)
        .x_label_formatter(&scale::label)
        .draw()?;
    for (place, name) in names.iter().enumerate() {
        let label = Text::new((*name).to_owned(), (2, -27), text_left());
        axes.draw_series([EmptyElement::at((left, row(place))) + label])?;
    }
    for series in &chart.series {
        let at = |point: &Point| match &point.at {
            Place::Name(name) => Some((point.value, row(names.iter().position(|known| known == name)?))),
            Place::Number(_) => None,
        };
        let all: Vec<(f64, f64)> = series.points.iter().filter_map(at).collect();
        marks(&axes, series, &all)?;
    }
    Ok(())
}

/// A mark for each point, in the shape of the series' hue.
fn marks(axes: &Axes<'_>, series: &Series, points: &[(f64, f64)]) -> Drawn {
    let colour = colour(series);
    let style = match series.origin {
        Origin::Published => colour.stroke_width(2),
        Origin::Measured => colour.filled(),
    };
    for &at in points {
        let area = axes.plotting_area();
        match series.hue % 4 {
            // What was published alone is a cross: it shows through marks that lie on it.
            0 => area.draw(&Cross::new(at, MARK, colour.stroke_width(2)))?,
            1 => area.draw(&Circle::new(at, MARK, style))?,
            2 => {
                let square = Rectangle::new([(1 - MARK, 1 - MARK), (MARK - 1, MARK - 1)], style);
                area.draw(&(EmptyElement::at(at) + square))?;
            }
            _ => area.draw(&TriangleMarker::new(at, MARK + 1, style))?,
        }
    }
    Ok(())
}

fn names(chart: &Chart) -> Vec<&str> {
    let mut names = Vec::new();
    for point in chart.series.iter().flat_map(|series| &series.points) {
        if let Place::Name(name) = &point.at
            && !names.contains(&name.as_str())
        {
            names.push(name.as_str());
        }
    }
    names
}

/// Where on the axis of numbers; nothing for what cannot be on it.
fn place(chart: &Chart, point: &Point) -> Option<f64> {
    match point.at {
        Place::Number(number) if number > 0.0 || !chart.x.logarithmic => Some(number),
        _ => None,
    }
}

/// The values that have to fit.
fn extent(point: &Point) -> [f64; 3] {
    let (low, high) = point.range.unwrap_or((point.value, point.value));
    [low, point.value, high]
}

fn colour(series: &Series) -> RGBColor {
    #[expect(clippy::cast_possible_truncation, reason = "below HUES")]
    RGBColor(HUE.0, HUE.1, (series.hue % HUES) as u8)
}

fn text() -> TextStyle<'static> {
    ("sans-serif", TEXT).into_font().color(&INK)
}

fn text_left() -> TextStyle<'static> {
    text().pos(Pos::new(HPos::Left, VPos::Top))
}

/// The drawing with CSS variables for its colours, as wide as its place.
fn with_variables(drawing: &str) -> String {
    let mut out = drawing.to_owned();
    for hue in 0..HUES {
        out = out.replace(&format!("\"#{:02X}{:02X}{hue:02X}\"", HUE.0, HUE.1), &format!("\"var(--hue-{hue})\""));
    }
    for (part, name) in PARTS.iter().enumerate() {
        out = out.replace(&format!("\"#{:02X}{:02X}{part:02X}\"", PART.0, PART.1), &format!("\"var(--{name})\""));
    }
    out
}

#[cfg(test)]
mod tests;
