//! Pages against a model that sorts and filters everything in the plainest way.

use std::cmp::Ordering;

use model::timestamp::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::lists::column::Column;
use crate::lists::query::Wrong;

const COLUMNS: &[Column] = &[
    Column::new("name", Kind::Text, "").searched(),
    Column::new("note", Kind::Text, "").searched(),
    Column::new("kind", Kind::Word(&["red", "green"]), ""),
    Column::new("depth", Kind::Number, "").percent_of("full"),
    Column::new("full", Kind::Tenths, ""),
    Column::new("since", Kind::Moment, ""),
    Column::new("good", Kind::Truth, "").on_request(),
];
/// 1000 s after 1970.
const NOW: Timestamp = Timestamp(1_000_000_000);

#[derive(Debug, Clone)]
enum Cell {
    Null,
    Number(u64),
    Tenths(u64),
    Moment(u64),
    Truth(bool),
    Text(String),
}

#[derive(Debug, Clone)]
struct Table(Vec<(bool, Vec<Cell>)>);

struct TableRow<'a>(&'a [Cell]);

impl Rows for Table {
    type Row<'a> = TableRow<'a>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn row(&self, place: usize) -> Option<TableRow<'_>> {
        let (is_visible, cells) = &self.0[place];
        is_visible.then_some(TableRow(cells))
    }

    fn natural_order(&self) -> Option<usize> {
        Some(0)
    }
}

impl<'a> Row<'a> for TableRow<'a> {
    fn value(&self, column: usize) -> Value<'a> {
        match &self.0[column] {
            Cell::Null => Value::Null,
            Cell::Number(number) => Value::Number(*number),
            Cell::Tenths(tenths) => Value::Tenths(*tenths),
            Cell::Moment(moment) => Value::Moment(*moment),
            Cell::Truth(truth) => Value::Truth(*truth),
            Cell::Text(text) => Value::Text(text),
        }
    }
}

fn query(parameters: &[(&str, &str)]) -> Query {
    let mut query = Query::of(COLUMNS, NOW);
    for (name, value) in parameters {
        query.take(name, value).unwrap_or_else(|wrong| panic!("{name}={value}: {wrong:?}"));
    }
    query
}

/// Values of a row as the model sees them: a number where there is one.
#[derive(Debug, Clone, PartialEq, PartialOrd)]
enum Plain {
    Number(f64),
    Text(String),
}

fn plain(cell: &Cell) -> Option<Plain> {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let number = |number: &u64, unit: f64| Some(Plain::Number(*number as f64 / unit));
    match cell {
        Cell::Null => None,
        Cell::Number(it) | Cell::Moment(it) => number(it, 1.0),
        Cell::Tenths(it) => number(it, 10.0),
        Cell::Truth(truth) => Some(Plain::Text(truth.to_string())),
        Cell::Text(text) => Some(Plain::Text(text.clone())),
    }
}

type Asked = (usize, &'static str, String);

fn naive_condition(cells: &[Cell], (column, operator, operand): &Asked) -> bool {
    let value = plain(&cells[*column]);
    let operand = match operand.parse() {
        Ok(number) if !matches!(COLUMNS[*column].kind, Kind::Text) => Plain::Number(number),
        _ => Plain::Text(operand.clone()),
    };
    match (value, *operator) {
        (None, operator) => operator == "!=",
        (Some(value), "=") => value == operand,
        (Some(value), "!=") => value != operand,
        (Some(value), "<") => value < operand,
        (Some(value), "<=") => value <= operand,
        (Some(value), ">") => value > operand,
        (Some(value), _) => value >= operand,
    }
}

fn naive_order(one: &Cell, other: &Cell, is_descending: bool) -> Ordering {
    match (plain(one), plain(other)) {
        (None, None) => Ordering::Equal,
        (None, _) => Ordering::Greater,
        (_, None) => Ordering::Less,
        (one, other) => {
            let order = one.partial_cmp(&other).expect("of one kind");
            if is_descending { order.reverse() } else { order }
        }
    }
}

struct Wanted {
    words: Vec<String>,
    conditions: Vec<Vec<Asked>>,
    sort: Vec<(usize, bool)>,
    offset: usize,
    limit: usize,
}

fn naive(table: &Table, wanted: &Wanted) -> Selected {
    let visible: Vec<_> = table.0.iter().enumerate().filter(|(_, (is_visible, _))| *is_visible).collect();
    let has = |cell: &Cell, word: &str| matches!(cell, Cell::Text(text) if text.to_lowercase().contains(word));
    let mut left: Vec<_> = visible
        .iter()
        .filter(|(_, (_, cells))| {
            wanted.words.iter().all(|word| cells[..2].iter().any(|cell| has(cell, &word.to_lowercase())))
                && wanted.conditions.iter().all(|parts| parts.iter().any(|part| naive_condition(cells, part)))
        })
        .collect();
    // A stable sort by each key, the last key first.
    for (column, is_descending) in wanted.sort.iter().rev() {
        left.sort_by(|(_, (_, one)), (_, (_, other))| naive_order(&one[*column], &other[*column], *is_descending));
    }
    Selected {
        known: visible.len(),
        total: left.len(),
        places: left.iter().skip(wanted.offset).take(wanted.limit).map(|(place, _)| *place).collect(),
    }
}

fn cell(column: usize) -> BoxedStrategy<Cell> {
    let present = match COLUMNS[column].kind {
        // Long common beginnings, and letters beyond ASCII.
        Kind::Text => "(PAY\\.REQUESTS\\.)?[a-cA-CÄä]{0,3}".prop_map(Cell::Text).boxed(),
        Kind::Word(words) => proptest::sample::select(words).prop_map(|word| Cell::Text(word.to_owned())).boxed(),
        Kind::Number => prop_oneof![0..4u64, Just(u64::from(u32::MAX))].prop_map(Cell::Number).boxed(),
        Kind::Tenths => (0..40u64).prop_map(Cell::Tenths).boxed(),
        Kind::Moment => (990..1000u64).prop_map(Cell::Moment).boxed(),
        Kind::Truth => any::<bool>().prop_map(Cell::Truth).boxed(),
    };
    prop_oneof![1 => Just(Cell::Null), 5 => present].boxed()
}

fn table() -> impl Strategy<Value = Table> {
    let row = (prop::bool::weighted(0.9), (1..COLUMNS.len()).map(cell).collect::<Vec<_>>());
    proptest::collection::vec(row, 0..60).prop_map(|rows| {
        let named = rows.into_iter().enumerate().map(|(index, (is_visible, mut cells))| {
            cells.insert(0, Cell::Text(format!("QUEUE.{index:04}")));
            (is_visible, cells)
        });
        Table(named.collect())
    })
}

fn asked() -> impl Strategy<Value = Asked> {
    let comparison = (0..COLUMNS.len()).prop_flat_map(|column| {
        let operand = match COLUMNS[column].kind {
            Kind::Text => "(PAY\\.REQUESTS\\.)?[a-cÄä]{1,2}|QUEUE\\.00[0-5]0".boxed(),
            Kind::Word(words) => proptest::sample::select(words).prop_map(str::to_owned).boxed(),
            Kind::Number => (0..4u64).prop_map(|number| number.to_string()).boxed(),
            Kind::Tenths => "[0-3](\\.[0-9])?".boxed(),
            Kind::Moment => (990..1000u64).prop_map(|number| number.to_string()).boxed(),
            Kind::Truth => any::<bool>().prop_map(|truth| truth.to_string()).boxed(),
        };
        let operators: &[&'static str] = match COLUMNS[column].kind {
            Kind::Word(_) | Kind::Truth => &["=", "!="],
            _ => &["=", "!=", "<", "<=", ">", ">="],
        };
        (Just(column), proptest::sample::select(operators), operand)
    });
    comparison.boxed()
}

fn wanted() -> impl Strategy<Value = Wanted> {
    let words = proptest::collection::vec("[a-cA-CÄä]|pay|QUEUE|00", 0..3);
    let conditions = proptest::collection::vec(proptest::collection::vec(asked(), 1..3), 0..3);
    let sort = proptest::sample::subsequence((0..COLUMNS.len()).collect::<Vec<_>>(), 0..4).prop_shuffle();
    let sort = sort
        .prop_flat_map(|columns| columns.into_iter().map(|column| (Just(column), any::<bool>())).collect::<Vec<_>>());
    (words, conditions, sort, 0..20usize, 0..30usize).prop_map(|(words, conditions, sort, offset, limit)| Wanted {
        words,
        conditions,
        sort,
        offset,
        limit,
    })
}

impl std::fmt::Debug for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.parameters())
    }
}

impl Wanted {
    fn parameters(&self) -> Vec<(&'static str, String)> {
        let part = |(column, operator, operand): &Asked| format!("{}{operator}{operand}", COLUMNS[*column].name);
        let condition = |parts: &Vec<Asked>| parts.iter().map(part).collect::<Vec<_>>().join("|");
        let key = |(column, is_descending): &(usize, bool)| {
            format!("{}{}", if *is_descending { "-" } else { "" }, COLUMNS[*column].name)
        };
        let mut parameters: Vec<_> = self.conditions.iter().map(|parts| ("where", condition(parts))).collect();
        parameters.push(("search", self.words.join(" ")));
        if !self.sort.is_empty() {
            parameters.push(("sort", self.sort.iter().map(key).collect::<Vec<_>>().join(",")));
        }
        parameters.push(("offset", self.offset.to_string()));
        parameters.push(("limit", self.limit.to_string()));
        parameters
    }
}

proptest! {
    #[test]
    fn a_page_is_that_of_a_list_sorted_and_filtered_whole(table in table(), wanted in wanted()) {
        let parameters = wanted.parameters();
        let parameters: Vec<_> = parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
        prop_assert_eq!(select(&table, &query(&parameters)), naive(&table, &wanted));
    }
}

fn cells(name: &str, depth: Option<u64>) -> (bool, Vec<Cell>) {
    let depth = depth.map_or(Cell::Null, Cell::Number);
    let text = Cell::Text(name.to_owned());
    (
        true,
        vec![
            text,
            Cell::Text("a \"note\"\n".to_owned()),
            Cell::Null,
            depth,
            Cell::Tenths(998),
            Cell::Moment(7),
            Cell::Truth(true),
        ],
    )
}

#[test]
fn an_answer_has_columns_and_rows_of_values() {
    let table = Table(vec![cells("A", Some(1)), cells("B", None)]);
    let text = |parameters: &[(&str, &str)]| String::from_utf8(page(&table, &query(parameters))).expect("UTF-8");
    assert_eq!(
        text(&[("offset", "1")]),
        "{\"at\":\"1970-01-01T00:16:40.000Z\",\"total\":2,\"known\":2,\"offset\":1,\
         \"columns\":[\"name\",\"note\",\"kind\",\"depth\",\"full\",\"since\"],\
         \"rows\":[[\"B\",\"a \\\"note\\\"\\n\",null,null,99.8,7]]}"
    );
    let chosen = text(&[("columns", "good,depth"), ("where", "depth>0")]);
    assert!(
        chosen.ends_with(",\"total\":1,\"known\":2,\"offset\":0,\"columns\":[\"good\",\"depth\"],\"rows\":[[true,1]]}"),
        "{chosen}"
    );
}

fn names_where(condition: &str) -> String {
    let row = |name: &str, depth: Option<u64>, full: u64, since: Option<u64>| {
        let mut row = cells(name, depth);
        row.1[4] = Cell::Tenths(full);
        row.1[5] = since.map_or(Cell::Null, Cell::Moment);
        row
    };
    let table = Table(vec![
        row("PAY.IN", Some(90), 900, Some(100)),
        row("PAY.OUT", Some(80), 800, Some(990)),
        row("LOAN.IN", None, 0, None),
    ]);
    let selected = select(&table, &query(&[("where", condition)]));
    let name = |place: &usize| match &table.0[*place].1[0] {
        Cell::Text(name) => name.clone(),
        other => panic!("{other:?}"),
    };
    selected.places.iter().map(name).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_condition_in_percent_is_about_the_share_of_the_maximum() {
    assert_eq!(names_where("depth>80%"), "PAY.IN");
    assert_eq!(names_where("depth >= 80.0 %"), "PAY.IN PAY.OUT");
}

#[test]
fn a_condition_with_an_age_is_about_how_long_ago_it_is() {
    assert_eq!(names_where("since>1m"), "PAY.IN", "older than a minute");
    assert_eq!(names_where("since<1m"), "PAY.OUT");
    assert_eq!(names_where("since>=1970-01-01T00:16:30Z"), "PAY.OUT");
}

#[test]
fn a_condition_without_a_value_asks_whether_there_is_one() {
    assert_eq!(names_where("depth="), "LOAN.IN");
    assert_eq!(names_where("depth!="), "PAY.IN PAY.OUT");
    assert_eq!(names_where("depth!=90"), "PAY.OUT LOAN.IN");
    assert_eq!(names_where("depth<100"), "PAY.IN PAY.OUT", "what is not there is not less");
}

#[test]
fn a_star_stands_for_anything_at_the_begin_and_the_end_of_a_text() {
    assert_eq!(names_where("name=PAY*"), "PAY.IN PAY.OUT");
    assert_eq!(names_where("name!=*.IN"), "PAY.OUT");
    assert_eq!(names_where("name=*O*"), "PAY.OUT LOAN.IN");
    assert_eq!(names_where("name=*"), "PAY.IN PAY.OUT LOAN.IN");
    assert_eq!(names_where("depth=90|name=LOAN*"), "PAY.IN LOAN.IN");
}

#[test]
fn what_no_column_can_be_compared_with_is_refused() {
    for wrong in [
        "",
        "depth",
        "depth~1",
        "colour=red",
        "depth>",
        "depth=many",
        "depth=-1",
        "full>1.25",
        "full>.5",
        "kind=blue",
        "kind>red",
        "good=yes",
        "good<true",
        "since>yesterday",
        "name>PAY*",
        "depth>0|",
        "kind=80%",
        "name",
    ] {
        let refused = Query::of(COLUMNS, NOW).take("where", wrong);
        assert!(matches!(refused, Err(Wrong::Value(_))), "{wrong}: {refused:?}");
    }
}

#[test]
fn a_parameter_that_is_not_one_of_a_list_is_refused() {
    let refusal = |name: &str, value: &str| Query::of(COLUMNS, NOW).take(name, value).err();
    assert_eq!(refusal("filter", "x"), Some(Wrong::Parameter));
    for (name, value) in [
        ("columns", ""),
        ("columns", "name,colour"),
        ("columns", "name,name"),
        ("sort", "-"),
        ("sort", "name,-name"),
        ("sort", "+name"),
        ("limit", "1001"),
        ("limit", "-1"),
        ("offset", "first"),
    ] {
        assert!(matches!(refusal(name, value), Some(Wrong::Value(_))), "{name}={value}");
    }
    let mut twice = Query::of(COLUMNS, NOW);
    assert_eq!(twice.take("limit", "1000"), Ok(()));
    assert_eq!(twice.take("limit", "10"), Err(Wrong::Parameter));
}
