//! Sorts items and stores sorted maps with little code. Each instantiation of the standard
//! library's sort or tree map adds three kilobytes to the WebAssembly module, so all item types
//! share a single sort.

use std::cmp::Ordering;

/// Sorts items by a number, with a stable sort.
pub fn in_order<T>(items: Vec<T>, number: impl Fn(&T) -> i64) -> Vec<T> {
    let numbers: Vec<i64> = items.iter().map(number).collect();
    let order = sorted_indices(numbers.len(), &|a, b| numbers.get(a).cmp(&numbers.get(b)));
    arrange(items, &order)
}

/// Sorts items by a name, with a stable sort.
pub(crate) fn sort_by_name<T>(items: Vec<T>, name: impl Fn(&T) -> &str) -> Vec<T> {
    let name_at = |at| items.get(at).map(&name);
    let order = sorted_indices(items.len(), &|a, b| name_at(a).cmp(&name_at(b)));
    arrange(items, &order)
}

/// Returns the indices of `count` items in the order of `compare`; equal items keep their order.
/// This is the only instantiation of the standard library's sort.
fn sorted_indices(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..count).collect();
    indices.sort_unstable_by(|a, b| compare(*a, *b).then(a.cmp(b)));
    indices
}

fn arrange<T>(items: Vec<T>, order: &[usize]) -> Vec<T> {
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    let take = |index: &usize| items.get_mut(*index).and_then(Option::take);
    order.iter().filter_map(take).collect()
}

/// A map in a sorted vector, for few or small entries: inserting an entry moves all later entries.
/// Increasing keys, which are the usual case in this crate, are appended.
#[derive(Debug, Clone)]
pub(crate) struct SortedMap<K, V>(Vec<(K, V)>);

impl<K: Copy + Ord, V> SortedMap<K, V> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    fn find(&self, key: &K) -> Result<usize, usize> {
        self.0.binary_search_by_key(key, |(key, _)| *key)
    }

    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        let index = self.find(key).ok()?;
        self.0.get(index).map(|(_, value)| value)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        match self.find(&key) {
            Ok(index) => {
                if let Some(entry) = self.0.get_mut(index) {
                    entry.1 = value;
                }
            }
            Err(index) => self.0.insert(index, (key, value)),
        }
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let index = self.find(key).ok()?;
        Some(self.0.remove(index).1)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.0.iter().map(|(key, value)| (*key, value))
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::SortedMap;

    #[test]
    fn a_sorted_map_keeps_key_order_and_one_value_per_key() {
        let mut map = SortedMap::new();
        for (key, value) in [(3, "c"), (1, "a"), (2, "?"), (2, "b")] {
            map.insert(key, value);
        }
        assert_eq!(
            map.iter().collect::<Vec<_>>(),
            [(1, &"a"), (2, &"b"), (3, &"c")]
        );
        assert_eq!((map.remove(&1), map.remove(&1)), (Some("a"), None));
        assert_eq!((map.get(&2), map.get(&1)), (Some(&"b"), None));
    }
}
