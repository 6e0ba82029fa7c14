use super::*;
use crate::outcome::Axis;

fn chart(kind: ChartKind) -> Chart {
    let at = |number: f64, name: &str| match kind {
        ChartKind::Lines => Place::Number(number),
        ChartKind::Dots => Place::Name(name.to_owned()),
    };
    let points = |factor: f64| {
        vec![
            Point { at: at(1.0, "first <&>"), value: factor, range: Some((factor * 0.9, factor * 1.1)) },
            Point { at: at(500.0, "second"), value: factor * 20.0, range: None },
        ]
    };
    let series =
        |name: &str, hue, origin, factor| Series { name: name.to_owned(), hue, origin, points: points(factor) };
    Chart {
        id: "c".to_owned(),
        title: "t".to_owned(),
        kind,
        x: Axis::logarithmic("x"),
        y: Axis::logarithmic("y"),
        series: vec![
            series("published", 0, Origin::Published, 100.0),
            series("one", 1, Origin::Measured, 1.0),
            series("two", 2, Origin::Measured, 2.0),
            series("three", 3, Origin::Measured, 3.0),
        ],
        note: None,
    }
}

#[test]
fn colours_are_variables_of_the_page() {
    for kind in [ChartKind::Lines, ChartKind::Dots] {
        for width in [Width::Desktop, Width::Phone] {
            let svg = svg(&chart(kind), width).unwrap();
            for name in ["var(--ink)", "var(--grid)", "var(--hue-0)", "var(--hue-1)", "var(--hue-3)"] {
                assert!(svg.contains(name), "{kind:?} {width:?} lacks {name}");
            }
            assert!(!svg.contains("\"#"), "{kind:?} {width:?} has a colour of its own");
        }
    }
}

#[test]
fn names_are_escaped() {
    let svg = svg(&chart(ChartKind::Dots), Width::Desktop).unwrap();
    assert!(svg.contains("first &lt;&amp;&gt;") && !svg.contains("first <"));
}

#[test]
fn a_chart_without_points_is_drawn_empty() {
    let mut empty = chart(ChartKind::Lines);
    empty.series.clear();
    assert!(svg(&empty, Width::Phone).unwrap().starts_with("<svg"));
}
