//! Prints the lengths of the source files. They have no limit, because many short files are as hard
//! to read as a few long ones.

use std::fs;

use crate::project::{Outcome, Project, read_text};
use crate::source::collect_rust_files;

/// Files with fewer lines are counted separately.
const SHORT_LINES: usize = 45;

/// Prints one line: the number of Rust files in `src` and `crates/*/src`, the median and the 90th
/// percentile of their lines, and the number of short files.
pub(crate) fn print(project: &Project) {
    match line_counts(project) {
        Ok(counts) => println!("{}", describe(counts)),
        Err(message) => println!("lengths of source files: {message}"),
    }
}

/// Returns the number of lines of each file.
fn line_counts(project: &Project) -> Outcome<Vec<usize>> {
    let crates = project.root.join("crates");
    let entries =
        fs::read_dir(&crates).map_err(|error| format!("{}: {error}", crates.display()))?;
    let folders = entries.flatten().map(|entry| entry.path().join("src"));
    let mut files = Vec::new();
    for folder in folders.chain([project.root.join("src")]) {
        if folder.is_dir() {
            collect_rust_files(&folder, &mut files)?;
        }
    }
    let lines = files
        .iter()
        .map(|file| Ok(read_text(file)?.lines().count()));
    lines.collect()
}

fn describe(mut counts: Vec<usize>) -> String {
    counts.sort_unstable();
    let short = counts.partition_point(|lines| *lines < SHORT_LINES);
    format!(
        "{} source files: median {} lines, 90th percentile {}, {short} below {SHORT_LINES}",
        counts.len(),
        percentile(&counts, 50),
        percentile(&counts, 90),
    )
}

/// Returns the smallest value that at least `percent` of the sorted values do not exceed, by the
/// nearest rank; 0 without values.
fn percentile(sorted: &[usize], percent: usize) -> usize {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_value_of_the_nearest_rank() {
        let ten: Vec<usize> = (1..=10).collect();
        assert_eq!(percentile(&ten, 50), 5);
        assert_eq!(percentile(&ten, 90), 9);
        assert_eq!(percentile(&ten, 91), 10);
        assert_eq!(percentile(&ten, 100), 10);
        assert_eq!(percentile(&[3, 7, 8], 50), 7);
        assert_eq!(percentile(&[3], 90), 3);
        assert_eq!(percentile(&[], 90), 0);
    }

    #[test]
    fn the_line_counts_the_files_and_the_short_ones() {
        assert_eq!(
            describe(vec![45, 10, 44, 200]),
            "4 source files: median 44 lines, 90th percentile 200, 2 below 45"
        );
    }
}
