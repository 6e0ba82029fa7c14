use super::*;

#[test]
fn experiments_are_named_by_name_letter_and_all() {
    assert_eq!(named("resources").unwrap()[0].letter, 'a');
    assert_eq!(named("a").unwrap()[0].name, "resources");
    assert_eq!(named("all").unwrap().len(), EXPERIMENTS.len());
    assert!(matches!(named("sources"), Err(TablesError::Unknown { .. })));
}

#[test]
fn what_an_experiment_covers_is_published_under_its_letter() {
    for experiment in EXPERIMENTS {
        let letter = experiment.letter.to_string();
        for id in experiment.tables {
            assert_eq!(published().table(id).map(|table| &table.experiment), Some(&letter), "{id}");
        }
        for title in experiment.charts {
            let chart = published().charts_without_numbers.iter().find(|chart| chart.title == *title);
            assert_eq!(chart.map(|chart| &chart.experiment), Some(&letter), "{title}");
        }
    }
}

#[test]
fn every_published_table_and_chart_is_measured_or_listed_as_not_applicable() {
    let listed = not_applicable();
    for table in &published().tables {
        let is_measured = EXPERIMENTS.iter().any(|experiment| experiment.tables.contains(&table.id.as_str()));
        assert!(is_measured || listed.iter().any(|it| it.text.starts_with(&table.pointer)), "{}", table.id);
    }
    for chart in &published().charts_without_numbers {
        let is_drawn = EXPERIMENTS.iter().any(|experiment| experiment.charts.contains(&chart.title.as_str()));
        assert!(is_drawn || listed.iter().any(|it| it.text == chart.title), "{}", chart.title);
    }
}

#[test]
fn every_published_statement_is_of_an_experiment_or_listed_as_not_applicable() {
    let listed = not_applicable();
    for statement in &published().statements {
        let is_measured = named(&statement.experiment).is_ok_and(|found| found.len() == 1);
        assert!(is_measured || listed.iter().any(|it| it.text == statement.text), "{}", statement.text);
    }
}

#[test]
fn statements_that_are_not_comparable_are_listed_with_a_reason() {
    let listed = not_applicable();
    for statement in published().statements.iter().filter(|statement| !statement.comparable_here) {
        assert!(listed.iter().any(|it| it.text == statement.text && !it.reason.is_empty()), "{}", statement.text);
    }
}

#[test]
fn quick_runs_of_all_experiments_take_less_than_five_minutes() {
    assert!(EXPERIMENTS.iter().map(|experiment| experiment.quick_seconds).sum::<u64>() <= 290);
}
