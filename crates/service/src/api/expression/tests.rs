//! Expressions by what they give for one scope.

use super::*;

const ORDER: &str = r#"{"name":" Ada  Byron ","kind":"A","amount":12345678901234567890.10,"rate":1e2,"huge":1e300,
    "lines":[{"price":1.50,"quantity":2,"tags":["x","y"]},{"price":2.25,"quantity":0},{"price":10,"quantity":1,"tags":["z"]}],
    "X-ID":7,"none":null,"open":false}"#;

fn given(text: &str) -> String {
    let order = Value::parse(ORDER).expect("JSON");
    let request = Value::parse(r#"{"queryParameters":{"page":"3"}}"#).expect("JSON");
    let scope = Scope { context: &order, variables: vec![("apiRequest", &request)] };
    match Expression::parse(text) {
        Err(error) => error.to_string(),
        Ok(expression) => match expression.evaluate(&scope) {
            Ok(value) if matches!(*value, Value::Missing) => "(nothing)".to_owned(),
            Ok(value) => value.to_json(),
            Err(error) => format!("error: {error}"),
        },
    }
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(given(text), *expected, "{text}");
    }
}

#[test]
fn names_paths_and_filters_reach_values() {
    check(&[
        ("kind", r#""A""#),
        ("$.kind", r#""A""#),
        ("{{ kind }}", r#""A""#),
        ("`X-ID`", "7"),
        ("lines.price", "[1.50,2.25,10]"),
        ("lines.tags", r#"["x","y","z"]"#),
        ("lines[0].price", "1.50"),
        ("lines[-1].price", "10"),
        ("lines[9]", "(nothing)"),
        ("lines[quantity > 0].price", "[1.50,10]"),
        ("lines[quantity > 5]", "(nothing)"),
        ("nowhere.at.all", "(nothing)"),
        ("$apiRequest.queryParameters.page", r#""3""#),
        ("[kind, nowhere, 1]", r#"["A",1]"#),
        ("[lines.tags, ['p', 'q']]", r#"["x","y","z",["p","q"]]"#),
        ("{ 'a': kind, 'b': nowhere }", r#"{"a":"A"}"#),
        ("$other", "(nothing)"),
    ]);
}

#[test]
fn a_value_of_the_scope_is_not_copied() {
    let order = Value::parse(ORDER).expect("JSON");
    let request = Value::Object(vec![("body".to_owned(), Value::parse(ORDER).expect("JSON"))]);
    let scope = Scope { context: &order, variables: vec![("apiRequest", &request)] };
    let (lines, body) = (order.member("lines"), request.member("body"));
    let element = &lines.elements()[2];
    for (text, expected) in [
        ("$", &order),
        ("lines", &*lines),
        ("lines[-1]", element),
        ("$.lines[0 + 2]", element),
        ("open ? 1 : lines[2]", element),
        ("lines[2].price", &*element.member("price")),
        ("$apiRequest.body", &*body),
        ("$apiRequest.body.kind", &*body.member("kind")),
    ] {
        let expression = Expression::parse(text).expect("an expression");
        let value = expression.evaluate(&scope).expect("a value");
        assert!(std::ptr::eq(&*value, expected), "{text} is a copy");
    }
}

#[test]
fn numbers_are_exact_and_keep_their_digits() {
    check(&[
        ("amount", "12345678901234567890.10"),
        ("amount + 0.90", "12345678901234567891.00"),
        ("0.1 + 0.2", "0.3"),
        ("1 / 3", "0.333333333333333333"),
        ("2 / 3", "0.666666666666666667"),
        ("-2 / 3", "-0.666666666666666667"),
        ("10 / 4", "2.5"),
        ("7 % 4", "3"),
        ("2 * 3 + 4 * -5", "-14"),
        ("rate", "100"),
        ("huge", "1e300"),
        ("huge + 1", "error: a number has more than 38 digits"),
        ("1 / 0", "error: a number is divided by zero"),
        ("kind + 1", "error: expected a number, found a text; $number makes one of a text"),
        ("nowhere + 1", "(nothing)"),
        ("$sum(lines.price)", "13.75"),
        ("$sum(nowhere)", "0"),
        ("$average(lines.quantity)", "1"),
        ("$max(lines.price)", "10"),
        ("$min(lines.price)", "1.50"),
        ("$round(2.5)", "2"),
        ("$round(3.5)", "4"),
        ("$round(-1.25, 1)", "-1.2"),
        ("$round(1.255, 2)", "1.26"),
        ("$floor(-1.5)", "-2"),
        ("$ceil(-1.5)", "-1"),
        ("$ceil(1.2)", "2"),
        ("$abs(-1.5)", "1.5"),
        ("$number('12.50')", "12.50"),
    ]);
}

#[test]
fn conditions_compare_and_choose() {
    check(&[
        ("kind = 'A' ? 'one' : 'other'", r#""one""#),
        ("kind = 'B' ? 'one'", "(nothing)"),
        ("1.0 = 1 and 1 < 2 and 'a' < 'b'", "true"),
        ("open or kind in ['A', 'B']", "true"),
        // With all decimals of the other, these have more digits than are counted with.
        ("1.9 > 1.00000000000000000000000000000000000001", "true"),
        ("1.9 = 1.00000000000000000000000000000000000001", "false"),
        ("-1.9 < -1.00000000000000000000000000000000000001", "true"),
        ("12345678901234567890 < 12345678901234567890.000000000000000001", "true"),
        ("0.5 < 12345678901234567890", "true"),
        ("none = null", "true"),
        ("nowhere = null or nowhere != 1", "false"),
        ("nowhere < 1", "false"),
        ("kind < 1", "error: a text and a number cannot be compared; expected two numbers or two texts"),
        ("open and 1 / 0 = 1", "false"),
        ("$not(open)", "true"),
        ("$exists(nowhere)", "false"),
        ("$boolean('')", "false"),
    ]);
}

#[test]
fn functions_work_on_texts_and_lists() {
    check(&[
        ("$trim(name) & '!' & nowhere & 1.50", r#""Ada Byron!1.50""#),
        ("$uppercase('aé')", r#""AÉ""#),
        ("$lowercase('AÉ')", r#""aé""#),
        ("$length('aé')", "2"),
        ("$substring('abcdef', 2)", r#""cdef""#),
        ("$substring('abcdef', -3, 2)", r#""de""#),
        ("$substringBefore('a-b-c', '-')", r#""a""#),
        ("$substringAfter('a-b-c', '-')", r#""b-c""#),
        ("$pad('7', -3, '0')", r#""007""#),
        ("$pad('7', 3) & '.'", r#""7  .""#),
        ("$contains(name, 'Ada')", "true"),
        ("$split('a,b', ',')", r#"["a","b"]"#),
        ("$split('aé', '')", r#"["a","é"]"#),
        ("$split('', '')", "[]"),
        ("$join(lines.tags, '+')", r#""x+y+z""#),
        ("$replace('a.b.c', '.', '/')", r#""a/b/c""#),
        ("$count(lines)", "3"),
        ("$count(nowhere)", "0"),
        ("$distinct([1, 1.0, 2])", "[1,2]"),
        ("$reverse([1, 2])", "[2,1]"),
        ("$append([1], 2)", "[1,2]"),
        ("$lookup(lines[0], 'price')", "1.50"),
        ("$string(lines[0].tags)", r#""[\"x\",\"y\"]""#),
        ("$uppercase(nowhere)", "(nothing)"),
        ("$uppercase(1)", "error: $uppercase: expected a text, found a number; $string makes one"),
    ]);
}

#[test]
fn functions_of_an_expression_are_called_for_elements_and_members() {
    check(&[
        ("$filter(lines, function($v) { $v.quantity > 0 }).price", "[1.50,10]"),
        ("$filter(lines, function($v, $i) { $i = 1 }).price", "[2.25]"),
        ("$filter(lines, function() { open })", "(nothing)"),
        ("$map(lines, function($v, $i) { $i & ': ' & $v.price })", r#"["0: 1.50","1: 2.25","2: 10"]"#),
        ("$join($each($apiRequest.queryParameters, function($value, $key) {$key & '=' & $value}), '&')", r#""page=3""#),
        ("$each(kind, function($v) { $v })", "(nothing)"),
        ("$map(lines, function($v) { $w })", "(nothing)"),
        ("$map(lines)", "at character 11 of the expression: expected ','"),
        ("$map(lines, $sum)", "at character 13 of the expression: expected 'function'"),
    ]);
}

#[test]
fn a_block_names_values() {
    check(&[
        ("($a := lines; $a != null ? $a.price : [])", "[1.50,2.25,10]"),
        ("($a := nowhere; $a != null ? $a : [])", "[]"),
        ("($a := 2; $b := $a * 3; $a + $b)", "8"),
        ("($a := $sum(lines.price); $a)", "13.75"),
        ("(a := 1; 2)", "at character 2 of the expression: only a variable gets a value by :="),
        ("($a := 1)", "at character 9 of the expression: expected ';'"),
    ]);
    let order = Value::parse(ORDER).expect("JSON");
    let expression = Expression::parse("($a := lines; $a)").expect("an expression");
    let scope = Scope { context: &order, variables: Vec::new() };
    let value = expression.evaluate(&scope).expect("a value");
    assert!(std::ptr::eq(&*value, &*order.member("lines")), "the lines are copied");
}

#[test]
fn patterns_are_those_of_javascript_with_ascii() {
    check(&[
        (r"$match('2026-11-27', /^[0-9]{4}-(\d{2})-\d{2}$/)", r#"[{"match":"2026-11-27","index":0,"groups":["11"]}]"#),
        (r"$match('é1 b22', /\d+/).match", r#"["1","22"]"#),
        (r"$match('é1', /\d/).index", "[1]"),
        (r"$match('x', /\d/)", "(nothing)"),
        (r"$contains('a/b', /a\/b/)", "true"),
        (r"$contains('٣', /\d/)", "false"),
        (r"$split('a, b;c', /[,;]\s*/)", r#"["a","b","c"]"#),
        (r"$replace('2026-11', /(\w+)-(\w+)/, '$2.$1')", r#""11.2026""#),
        ("$match(nowhere, /a/)", "(nothing)"),
        ("$match(1, /a/)", "error: a pattern is looked for in a text, found a number; $string makes one"),
        ("$match('a', 'a')", "at character 13 of the expression: expected a pattern, as in /^[0-9]+$/"),
        ("$match('a', /a/i)", "at character 16 of the expression: flags of a pattern are not supported"),
        ("$match('a', /a", "at character 15 of the expression: the closing / is missing"),
    ]);
    assert!(given("$match('a', /(/)").contains("/(/ is no pattern"), "{}", given("$match('a', /(/)"));
    assert!(given("$match('a', /((a{999}){999}){999}/)").contains("is no pattern"));
}

#[test]
fn pictures_show_digits_of_numbers() {
    check(&[
        ("$formatNumber(42, '0000000000')", r#""0000000042""#),
        ("$formatNumber(1234567.891, '#,##0.00')", r#""1,234,567.89""#),
        ("$formatNumber(0.5, '#.0#')", r#"".5""#),
        ("$formatNumber(-3, '000')", r#""-003""#),
        ("$formatNumber(12, '£0.00 net')", r#""£12.00 net""#),
        ("$formatNumber(nowhere, '0')", "(nothing)"),
        ("$formatNumber(1, '0%')", r#"error: $formatNumber: "0%" is no picture of a number, such as #,##0.00"#),
        ("$formatNumber(1, '0#')", r##"error: $formatNumber: "0#" is no picture of a number, such as #,##0.00"##),
    ]);
}

#[test]
fn what_is_no_expression_is_refused_with_its_place() {
    for (text, expected) in [
        ("", "at character 1 of the expression: a value is missing"),
        ("a b", "at character 3 of the expression: 'b' is not expected here"),
        ("(a", "at character 3 of the expression: expected ')'"),
        ("'a", "at character 3 of the expression: the closing ' is missing"),
        (
            "$lookup($apiRequest.headers, 'X')",
            "at character 28 of the expression: expected the name of a header, as in $apiRequest.headers.`X-ID`",
        ),
        ("a.", "at character 3 of the expression: expected a name; one with other characters stands between backticks"),
        ("$length()", "at character 2 of the expression: $length takes 1 arguments, found 0"),
        ("$substring(a)", "at character 2 of the expression: $substring takes 2 to 3 arguments, found 1"),
        ("1.2.3", "at character 1 of the expression: it is no number of up to 38 digits"),
    ] {
        assert_eq!(given(text), expected, "{text}");
    }
    assert!(given("$nap(a)").contains("there is no function $nap; expected one of abs, append"));
    let deep = "(".repeat(100) + "1" + &")".repeat(100);
    assert!(given(&deep).contains("nested deeper than 60 levels"));
    for (first, link) in [("1", "+1"), ("a", ".b"), ("a", "[0]"), ("a", " & 'b'"), ("a", "[a.b]")] {
        let links = parse::MOST_LINKS / link.matches(['+', '.', '[', '&']).count();
        let chain = first.to_owned() + &link.repeat(links);
        let expression = Expression::parse(&chain).expect("as long as a chain may be");
        let nothing = Value::Missing;
        let value = expression.evaluate(&Scope { context: &nothing, variables: Vec::new() });
        assert!(value.is_ok(), "{link}: {value:?}");
        let told = given(&(chain + link));
        assert!(told.contains("more than 500 operators, members and filters"), "{link}: {told}");
    }
    let nested = "[".repeat(200) + &"]".repeat(200);
    assert!(Value::parse(&nested).is_err());
}

#[test]
fn variables_that_an_expression_does_not_name_itself_are_known() {
    for (text, expected) in [
        ("$a + $map($b, function($c) { $c & $d })", &["a", "b", "d"][..]),
        ("($a := $b; $c := $a; $c) & $c", &["b", "c"]),
        ("lines[$ > 1]", &[]),
    ] {
        assert_eq!(Expression::parse(text).expect("an expression").free_variables(), expected, "{text}");
    }
}

#[test]
fn what_an_expression_reads_of_the_request_is_known() {
    let expression =
        Expression::parse("$apiRequest.headers.`X-A` & $apiRequest.body.lines[n = $apiRequest.queryParameters.q].x");
    let expression = expression.expect("an expression");
    let members: Vec<String> = expression.request_members().iter().map(|path| path.join("/")).collect();
    assert_eq!(members, ["headers/X-A", "body/lines/x", "queryParameters/q"]);
    let reads = |text: &str| {
        let expression = Expression::parse(text).expect("an expression");
        (expression.reads_context(), expression.reads_request_body(), expression.reads_answer())
    };
    for (text, expected) in [
        ("name", (true, false, false)),
        ("$lookup($, 'name')", (true, false, false)),
        ("$apiRequest.body.name", (false, true, false)),
        ("$apiRequest", (false, true, false)),
        ("$apiRequest.headers.name & 'x'", (false, false, false)),
        ("$apiRequest.queryParameters.page[$ > name]", (false, false, false)),
        ("lines[$ > 1]", (true, false, false)),
        ("$item[$apiRequest.body.n]", (false, true, false)),
        ("$zosAssetResponse.rate > 1", (false, false, true)),
        ("$map($apiRequest.body, function($v) { $v.name })", (false, true, false)),
        ("($a := lines; $a)", (true, false, false)),
        ("$replace($apiRequest.body.a, /b/, name)", (true, true, false)),
        ("$now()", (false, false, false)),
    ] {
        assert_eq!(reads(text), expected, "{text}");
    }
}
