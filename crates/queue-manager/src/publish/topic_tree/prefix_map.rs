//! A map by topic string that finds what is filed under any beginning of a topic string, in one pass over it.
//!
//! Hashing each beginning anew takes time by the square of the number of levels. Here one hasher reads the string level by
//! level, and what it has seen so far is the key of the beginning that ends there. Strings are compared as well, so two
//! strings with one key do not meet; the hasher has a secret start, so nobody can look for such strings.
//!
//! Invariant: a string is read in the same pieces when it is filed and when it is looked up, whether as a whole or as a
//! beginning. What a hasher makes of a string may depend on the pieces.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

#[derive(Debug)]
pub(super) struct PrefixMap<V, S = RandomState> {
    hashing: S,
    entries: HashMap<u64, Vec<(Box<str>, V)>>,
}

impl<V, S: Default> Default for PrefixMap<V, S> {
    fn default() -> Self {
        Self { hashing: S::default(), entries: HashMap::new() }
    }
}

impl<V, S: BuildHasher> PrefixMap<V, S> {
    /// What is filed under `string`; `make` makes it where there is nothing yet.
    pub(super) fn get_or_insert_with(&mut self, string: &str, make: impl FnOnce() -> V) -> &mut V {
        let entries = self.entries.entry(self.key(string)).or_default();
        let index = entries.iter().position(|(known, _)| **known == *string).unwrap_or_else(|| {
            entries.push((string.into(), make()));
            entries.len() - 1
        });
        &mut entries[index].1
    }

    pub(super) fn get_mut(&mut self, string: &str) -> Option<&mut V> {
        let key = self.key(string);
        self.entries.get_mut(&key)?.iter_mut().find(|(known, _)| **known == *string).map(|(_, value)| value)
    }

    pub(super) fn remove(&mut self, string: &str) {
        let key = self.key(string);
        if let Some(entries) = self.entries.get_mut(&key) {
            entries.retain(|(known, _)| **known != *string);
            if entries.is_empty() {
                self.entries.remove(&key);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What is filed under the beginnings of `string`, the shortest first: nothing, `string` up to each `/`, without it and
    /// with it, and all of `string`.
    pub(super) fn of_beginnings(&self, string: &str) -> impl Iterator<Item = &V> {
        self.keys(string).filter_map(|(beginning, key)| {
            let entries = self.entries.get(&key)?;
            entries.iter().find(|(known, _)| **known == *beginning).map(|(_, value)| value)
        })
    }

    fn key(&self, string: &str) -> u64 {
        self.keys(string).last().map_or(0, |(_, key)| key)
    }

    /// Each beginning with its key; `string` is the last of them.
    fn keys<'t>(&self, string: &'t str) -> impl Iterator<Item = (&'t str, u64)> + use<'t, V, S> {
        let mut hasher = self.hashing.build_hasher();
        let mut read = 0;
        ends(string).map(move |end| {
            hasher.write(&string.as_bytes()[read..end]);
            read = end;
            (&string[..end], hasher.finish())
        })
    }
}

/// Where the beginnings of a topic string end, ascending.
fn ends(string: &str) -> impl Iterator<Item = usize> {
    let around = string.match_indices('/').flat_map(|(at, slash)| [at, at + slash.len()]);
    let mut last = None;
    std::iter::once(0).chain(around).chain([string.len()]).filter(move |&end| last.replace(end) != Some(end))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    thread_local! {
        static BYTES_READ: Cell<usize> = const { Cell::new(0) };
    }

    /// Counts the bytes that are hashed. All strings have one key, or else each its own as far as 64 bits go.
    #[derive(Default)]
    struct Counting {
        all_alike: bool,
    }

    struct CountingHasher {
        hash: u64,
        all_alike: bool,
    }

    impl BuildHasher for Counting {
        type Hasher = CountingHasher;

        fn build_hasher(&self) -> CountingHasher {
            CountingHasher { hash: 7, all_alike: self.all_alike }
        }
    }

    impl Hasher for CountingHasher {
        fn write(&mut self, bytes: &[u8]) {
            BYTES_READ.set(BYTES_READ.get() + bytes.len());
            // The number of pieces is part of it, as a hasher may have it.
            for byte in bytes.iter().chain(&[0xFF]) {
                self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
            }
        }

        fn finish(&self) -> u64 {
            if self.all_alike { 0 } else { self.hash }
        }
    }

    #[test]
    fn a_topic_string_of_many_levels_is_read_once() {
        let mut map = PrefixMap::<usize, Counting>::default();
        let topic = "a/".repeat(4_900) + "z";
        for string in ["", "a", "a/", "a/a/a", &topic] {
            map.get_or_insert_with(string, || string.len());
        }
        BYTES_READ.set(0);
        let found: Vec<usize> = map.of_beginnings(&topic).copied().collect();
        assert_eq!(found, [0, 1, 2, 5, topic.len()]);
        assert_eq!(BYTES_READ.get(), topic.len());
    }

    /// Every beginning by itself.
    fn expected(strings: &[String], topic: &str) -> Vec<String> {
        let is_end = |&end: &usize| {
            end == 0
                || end == topic.len()
                || topic.is_char_boundary(end) && (topic[..end].ends_with('/') || topic[end..].starts_with('/'))
        };
        let beginnings = (0..=topic.len()).filter(is_end).map(|end| topic[..end].to_owned());
        beginnings.filter(|beginning| strings.contains(beginning)).collect()
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_is_filed_under_each_beginning(
            strings in prop::collection::hash_set("[aé/]{0,6}", 0..12),
            removed in prop::collection::vec("[aé/]{0,2}", 0..3),
            topic in "[aé/]{0,8}",
            all_alike: bool,
        ) {
            let mut map = PrefixMap { hashing: Counting { all_alike }, entries: HashMap::new() };
            for string in &strings {
                map.get_or_insert_with(string, || string.clone());
            }
            for string in &removed {
                map.remove(string);
            }
            let strings: Vec<String> = strings.into_iter().filter(|string| !removed.contains(string)).collect();
            let found: Vec<String> = map.of_beginnings(&topic).cloned().collect();
            prop_assert_eq!(found, expected(&strings, &topic));
            for string in &strings {
                prop_assert_eq!(map.get_mut(string).cloned(), Some(string.clone()));
                map.remove(string);
            }
            prop_assert!(map.is_empty());
        }
    }
}
