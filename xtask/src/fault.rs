//! Faults that lints find in files, with their lines.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use crate::project::{Outcome, Project, read_text};
use crate::source::collect_files;

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

/// Searches the files with these endings in these folders for faults, in the order of their names.
/// `find` gets the name of a file, relative to the root, and its text. Fails with the title and a
/// list of the faults.
pub(crate) fn check_files(
    project: &Project,
    title: &str,
    (folders, endings): (&[&str], &[&str]),
    find: impl Fn(&Path, &str) -> Vec<Fault>,
) -> Outcome<()> {
    let mut files = Vec::new();
    for folder in folders {
        collect_files(&project.root.join(folder), endings, &mut files)?;
    }
    files.sort();
    let mut faults = Vec::new();
    for file in files {
        let name = file.strip_prefix(&project.root).unwrap_or(&file);
        faults.extend(find(name, &read_text(&file)?));
    }
    match faults.is_empty() {
        true => Ok(()),
        false => {
            let lines: Vec<String> = faults.iter().map(Fault::to_string).collect();
            Err(format!("{title}:\n{}", lines.join("\n")))
        }
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
