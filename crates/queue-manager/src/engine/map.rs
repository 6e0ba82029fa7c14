//! The hash map of this crate's tables: keyed by values of our own, hashed with a seed of the process.

use std::collections::HashMap;

pub(crate) type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;
