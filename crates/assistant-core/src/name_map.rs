//! Defines the maps whose keys are names that an agent chooses and that most events look up.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// A map from names that an agent chooses, such as ids of messages and calls.
///
/// The hash is several times faster than that of the standard library. Both have a key against names
/// that are chosen to have the same hash, which would make lookups slow. In a browser, both keys
/// depend only on addresses in memory, so an agent could predict them: the number of names is
/// bounded by [`Limits`](crate::limits::Limits). Maps whose keys the engine chooses use `rustc-hash`.
///
/// ```
/// use assistant_core::name_map::NameMap;
///
/// let mut sizes: NameMap<String, usize> = NameMap::default();
/// *sizes.entry("message-1".to_owned()).or_default() += 5;
/// assert_eq!(sizes.get("message-1"), Some(&5));
/// ```
pub type NameMap<K, V> = HashMap<K, V, RandomState>;
