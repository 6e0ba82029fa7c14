//! Values inside the claims of a token, by paths such as `realm_access.roles`.

use serde_json::Value;

/// The value at a path. A name with dots of its own is found as well: the longest name that exists is tried first.
pub(super) fn find<'v>(claims: &'v Value, path: &str) -> Option<&'v Value> {
    if let Some(value) = claims.get(path) {
        return Some(value);
    }
    let dots: Vec<usize> = path.match_indices('.').map(|(at, _)| at).collect();
    dots.into_iter().rev().find_map(|dot| find(claims.get(&path[..dot])?, &path[dot + 1..]))
}

/// The texts of a list; a single text is a list of words, as `scope` is.
pub(super) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::String(text) => text.split_whitespace().map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// Seconds since 1970, which may have a fraction.
pub(super) fn seconds(value: &Value) -> Option<u64> {
    let whole = value.as_u64();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of a number in the range of u64")]
    whole.or_else(|| value.as_f64().filter(|seconds| (0.0..1e15).contains(seconds)).map(|seconds| seconds as u64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_lead_through_objects_and_names_with_dots() {
        let claims = json!({
            "groups": ["a"],
            "realm_access": { "roles": ["b"] },
            "resource_access": { "my.client": { "roles": ["c"] } },
            "https://example.com/roles": ["d"],
        });
        for (path, expected) in [
            ("groups", Some(json!(["a"]))),
            ("realm_access.roles", Some(json!(["b"]))),
            ("resource_access.my.client.roles", Some(json!(["c"]))),
            ("https://example.com/roles", Some(json!(["d"]))),
            ("realm_access.groups", None),
            ("groups.0", None),
            ("", None),
        ] {
            assert_eq!(find(&claims, path), expected.as_ref(), "{path}");
        }
    }

    #[test]
    fn lists_and_words_are_texts_and_times_are_numbers() {
        assert_eq!(texts(&json!(["a b", 1, "c"])), ["a b", "c"]);
        assert_eq!(texts(&json!("a b")), ["a", "b"]);
        assert_eq!(texts(&json!({ "a": "b" })), Vec::<String>::new());
        assert_eq!(
            [json!(5), json!(5.9), json!(-1), json!("5"), json!(1e300)].map(|value| seconds(&value)),
            [Some(5), Some(5), None, None, None]
        );
    }
}
