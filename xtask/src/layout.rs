//! Orders the functions of a module. Similar functions are placed next to each other, where a
//! compressor finds their common sequences. This reduces the transfer size by three percent without
//! changing the code.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use crate::module::{Functions, Sections, write_leb128, write_string};
use crate::project::Outcome;

/// The length of the byte sequences that are compared.
const PIECE: usize = 8;
/// The maximum number of functions that may contain a sequence. A more frequent sequence does not
/// indicate similarity.
const COMMON: usize = 200;
/// The size of gzip's window, in bytes.
const WINDOW: usize = 31_000;

/// Returns the module with function names that encode the order: `wasm-opt
/// --reorder-functions-by-name` applies it.
pub(crate) fn order_functions(module: &[u8]) -> Outcome<Vec<u8>> {
    let mut sections = Sections::parse(module)?;
    let functions = Functions::parse(&sections)?;
    let order = order_by_similarity(&functions.bodies);
    let mut places: Vec<(usize, usize)> = order.into_iter().zip(0..).collect();
    places.sort_unstable();
    let mut names = Vec::new();
    write_leb128(&mut names, places.len());
    for (function, place) in places {
        write_leb128(&mut names, functions.imported + function);
        write_string(&mut names, &format!("{place:06}"));
    }
    sections.name_functions(&names);
    Ok(sections.to_bytes())
}

/// A function that has no position in the order yet, with its sequences.
struct UnplacedFunction {
    at: usize,
    size: usize,
    pieces: Vec<usize>,
}

/// Orders functions greedily: the next function is the one with the largest share of sequences that
/// the window of preceding functions contains.
fn order_by_similarity(bodies: &[&[u8]]) -> Vec<usize> {
    let (mut left, holders) = index_functions(bodies);
    let mut alike = vec![0_usize; bodies.len()];
    let mut counts = vec![0_usize; holders.len()];
    let mut window: VecDeque<UnplacedFunction> = VecDeque::new();
    let mut filled = 0;
    let mut order = Vec::with_capacity(bodies.len());
    // The largest first, since there is nothing to compare it with.
    let mut next = (0..left.len()).max_by_key(|at| left.get(*at).map(|function| function.size));
    while let Some(function) = next.map(|at| left.swap_remove(at)) {
        order.push(function.at);
        filled += function.size;
        for piece in &function.pieces {
            if change_count(&mut counts, *piece, 1) == Some(1) {
                change_counts(&mut alike, holders.get(*piece), 1);
            }
        }
        window.push_back(function);
        while filled > WINDOW && window.len() > 1 {
            let Some(first) = window.pop_front() else {
                break;
            };
            filled -= first.size;
            for piece in &first.pieces {
                if change_count(&mut counts, *piece, -1) == Some(0) {
                    change_counts(&mut alike, holders.get(*piece), -1);
                }
            }
        }
        let share = |function: &UnplacedFunction| {
            let alike = alike.get(function.at).copied().unwrap_or_default();
            // In millionths; ties are resolved by the original order.
            (alike * 1_000_000 / function.size, Reverse(function.at))
        };
        next = (0..left.len()).max_by_key(|at| left.get(*at).map(share));
    }
    order
}

/// Returns the functions with the sequences that they share, and for each such sequence the
/// functions that contain it.
fn index_functions(bodies: &[&[u8]]) -> (Vec<UnplacedFunction>, Vec<Vec<usize>>) {
    let mut held: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (at, body) in bodies.iter().enumerate() {
        for piece in body.windows(PIECE) {
            let holders = held.entry(piece).or_default();
            if holders.last() != Some(&at) {
                holders.push(at);
            }
        }
    }
    let sized = bodies
        .iter()
        .enumerate()
        .map(|(at, body)| UnplacedFunction {
            at,
            size: body.len() + PIECE,
            pieces: Vec::new(),
        });
    let mut functions: Vec<UnplacedFunction> = sized.collect();
    let shared = held.into_values();
    let holders: Vec<Vec<usize>> = shared
        .filter(|holders| (2..=COMMON).contains(&holders.len()))
        .collect();
    for (piece, holders) in holders.iter().enumerate() {
        for at in holders {
            if let Some(function) = functions.get_mut(*at) {
                function.pieces.push(piece);
            }
        }
    }
    (functions, holders)
}

/// Changes a counter by `by`, and returns its new value; `None` if the counter does not exist.
fn change_count(counts: &mut [usize], at: usize, by: isize) -> Option<usize> {
    let count = counts.get_mut(at)?;
    *count = count.saturating_add_signed(by);
    Some(*count)
}

fn change_counts(alike: &mut [usize], holders: Option<&Vec<usize>>, by: isize) {
    for at in holders.into_iter().flatten() {
        change_count(alike, *at, by);
    }
}

#[cfg(test)]
mod tests {
    use super::order_by_similarity;

    #[test]
    fn similar_functions_are_placed_next_to_each_other() {
        let (one, other) = ([1; 40].as_slice(), [2; 20].as_slice());
        let bodies = [
            [one, &[3; 9]].concat(),
            [other, &[4; 9]].concat(),
            [&[5; 9], one].concat(),
            [&[6; 9], other].concat(),
        ];
        let bodies: Vec<&[u8]> = bodies.iter().map(Vec::as_slice).collect();
        let mut order = order_by_similarity(&bodies);
        assert_eq!(order.first(), Some(&2), "the last of the largest");
        assert_eq!(order.get(1), Some(&0));
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3]);
    }
}
