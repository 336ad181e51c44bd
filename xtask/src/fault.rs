//! Faults that lints find in files, with their lines.

use std::{fmt, path::PathBuf};

/// A fault, displayed as `file:line: what`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    pub(crate) what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, what } = self;
        write!(f, "{}:{line}: {what}", file.display())
    }
}

/// Formats faults as `line: what`, for the tests of lints.
#[cfg(test)]
pub(crate) fn format_by_line(faults: &[Fault]) -> Vec<String> {
    let faults = faults.iter();
    faults
        .map(|fault| format!("{}: {}", fault.line, fault.what))
        .collect()
}
