//! A fault that a lint finds at a line of a file.

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
