//! Defines the maps whose keys are names that an agent chooses.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// A map from names that an agent chooses, such as ids of messages and calls.
///
/// The hash has a key, so that an agent cannot choose many names with the same hash, which would
/// make lookups slow. It is several times faster than the hash of the standard library, and most
/// events look up several names. Maps whose keys the engine chooses use `rustc-hash`.
///
/// ```
/// use assistant_core::name_map::NameMap;
///
/// let mut sizes: NameMap<String, usize> = NameMap::default();
/// *sizes.entry("message-1".to_owned()).or_default() += 5;
/// assert_eq!(sizes.get("message-1"), Some(&5));
/// ```
pub type NameMap<K, V> = HashMap<K, V, RandomState>;
