//! The two columns of runmqsc's DISPLAY.
//!
//! A row is three blanks, a first item padded to 40 columns, and a second item. An item of 38 characters or more stands
//! alone, and one of more than 37 never stands second.

use crate::reply::Item;

const INDENT: &str = "   ";
const FIRST_COLUMN: usize = 40;
const LONGEST_FIRST: usize = 37;
const LONGEST_SECOND: usize = 37;

/// Title or message, then the rows of everything it shows, then warnings.
pub(crate) fn lines(item: &Item) -> Vec<String> {
    let mut lines = vec![item.message.clone()];
    rows(item.attributes.iter().map(model::definition::attribute::Shown::display), &mut lines);
    for part in &item.parts {
        lines.push(String::new());
        rows(part.iter().map(model::definition::attribute::Shown::display), &mut lines);
    }
    lines.extend(item.warnings.iter().cloned());
    lines
}

pub(crate) fn rows(items: impl Iterator<Item = String>, lines: &mut Vec<String>) {
    let mut first: Option<String> = None;
    for item in items {
        let length = item.chars().count();
        match first.take() {
            Some(waiting) if length <= LONGEST_SECOND => lines.push(format!("{INDENT}{waiting:<FIRST_COLUMN$}{item}")),
            Some(waiting) => {
                lines.push(format!("{INDENT}{waiting}"));
                first = place(item, length, lines);
            }
            None => first = place(item, length, lines),
        }
    }
    lines.extend(first.map(|waiting| format!("{INDENT}{waiting}")));
}

/// Keeps an item waiting for a second one, unless it must stand alone.
fn place(item: String, length: usize, lines: &mut Vec<String>) -> Option<String> {
    if length <= LONGEST_FIRST {
        return Some(item);
    }
    lines.push(format!("{INDENT}{item}"));
    None
}

#[cfg(test)]
mod tests {
    use super::rows;

    fn check(items: &[&str], expected: &[&str]) {
        let mut lines = Vec::new();
        rows(items.iter().map(|item| (*item).to_owned()), &mut lines);
        assert_eq!(lines, expected);
    }

    #[test]
    fn two_items_share_a_row_and_the_second_starts_in_column_44() {
        check(
            &["QUEUE(DEV.QUEUE.1)", "TYPE(QLOCAL)", "CURDEPTH(0)"],
            &["   QUEUE(DEV.QUEUE.1)                      TYPE(QLOCAL)", "   CURDEPTH(0)"],
        );
    }

    #[test]
    fn a_long_item_stands_alone_and_a_long_second_item_moves_down() {
        let long = "X".repeat(38);
        let fits = "Y".repeat(37);
        check(&[&long, "A(1)"], &[&format!("   {long}"), "   A(1)"]);
        check(&["A(1)", &long, "B(2)"], &["   A(1)", &format!("   {long}"), "   B(2)"]);
        check(&["A(1)", &fits], &[&format!("   A(1){}{fits}", " ".repeat(36))]);
    }
}
