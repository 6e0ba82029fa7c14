use super::*;

#[test]
fn every_printed_number_is_the_number_of_its_text() {
    for table in &published().tables {
        for row in &table.rows {
            assert_eq!(row.cells.len(), table.columns.len(), "{} {}", table.id, row.name);
            for cell in &row.cells {
                let text = cell.printed.clone().unwrap_or_default();
                match (text.parse::<f64>(), cell.value) {
                    (Ok(printed), Some(value)) => assert!((printed - value).abs() < 1e-9, "{text} is not {value}"),
                    (Err(_), Some(_)) => assert_eq!(row.name, "INTERVAL", "{text} is no number"),
                    (_, None) => assert!(text.is_empty() || text.ends_with('K'), "{text} has no value"),
                }
            }
        }
    }
}

#[test]
fn documents_of_figures_are_known() {
    let all = published();
    let documents = all.tables.iter().map(|table| &table.document);
    let documents = documents.chain(all.statements.iter().map(|it| &it.document));
    for document in documents.chain(all.charts_without_numbers.iter().map(|it| &it.document)) {
        assert!(all.documents.contains_key(document) && all.environments.contains_key(document), "{document}");
    }
}

#[test]
fn what_is_not_comparable_is_marked() {
    let table = published().table("messaging-configurations").unwrap();
    assert!(!table.row("Cost after offload").unwrap().comparable_here);
    assert!(table.row("Cost").unwrap().comparable_here);
    assert!(published().statements.iter().any(|statement| !statement.comparable_here));
}

#[test]
fn numbers_of_a_statement_are_those_of_its_text() {
    let statement = |experiment, part| published().statement(experiment, part).unwrap();
    assert_eq!(statement("f", "SMF 116 records").numbers(), [10_000.0, 20.0]);
    assert_eq!(statement("f", "reuse of the connection").microseconds(), Some(4000.0));
    assert_eq!(statement("f", "TLS reuse made").microseconds(), Some(11_000.0));
    assert_eq!(statement("e", "EXCLMSG").microseconds(), Some(130.0));
    assert_eq!(statement("e", "EXCLMSG").with_unit(), "130 CPU microseconds per transaction");
    assert_eq!(
        (statement("f", "cost just 4%").numbers(), statement("f", "cost just 4%").microseconds()),
        (vec![4.0], None)
    );
    assert_eq!(statement("f", "cost just 4%").with_unit(), "4%");
}
