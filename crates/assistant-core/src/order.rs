//! Sorting, once for all kinds of items: every type that is sorted by itself is compiled into three
//! kilobytes of its own.

/// Items in the order of a number. Those of the same number stay as they stood.
pub(crate) fn in_order<T>(items: Vec<T>, number: impl Fn(&T) -> i64) -> Vec<T> {
    let numbered = items.iter().enumerate();
    let mut order: Vec<(i64, usize)> = numbered.map(|(at, item)| (number(item), at)).collect();
    order.sort_unstable();
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    let take = |(_, at): (i64, usize)| items.get_mut(at).and_then(Option::take);
    order.into_iter().filter_map(take).collect()
}
