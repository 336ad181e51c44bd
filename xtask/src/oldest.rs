//! Checks that no dependency requires a newer Rust version than `Cargo.toml` declares. Newer items
//! of the standard library are detected by clippy (`incompatible_msrv`).

use crate::project::{Outcome, Project, read_text};

/// Fails with a list of the packages that require a newer Rust version.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    let manifest = read_text(&project.root.join("Cargo.toml"))?;
    let own = own_version(&manifest).ok_or("Cargo.toml does not say which Rust is the oldest")?;
    let arguments = ["metadata", "--format-version", "1", "--locked"];
    let metadata = project.required_output(project.cargo().args(arguments))?;
    let newer: Vec<&str> = required_versions(&metadata)
        .filter(|(version, _)| *version > own)
        .map(|(_, manifest)| manifest)
        .collect();
    match newer.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "these ask for a newer Rust than Cargo.toml says:\n{}",
            newer.join("\n")
        )),
    }
}

fn own_version(manifest: &str) -> Option<Vec<u32>> {
    let line = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = \""))?;
    Some(parse_version(line.split('"').next()?))
}

/// Returns the Rust version that each package requires, and the path of its manifest.
fn required_versions(metadata: &str) -> impl Iterator<Item = (Vec<u32>, &str)> {
    const KEY: &str = "\"rust_version\":\"";
    const PLACE: &str = "\"manifest_path\":\"";
    metadata.match_indices(KEY).map(|(at, _)| {
        let (before, rest) = metadata.split_at(at);
        let asked = rest.get(KEY.len()..).unwrap_or_default();
        let asked = asked.split('"').next().unwrap_or_default();
        let place = before
            .rfind(PLACE)
            .and_then(|at| before.get(at + PLACE.len()..))
            .unwrap_or_default();
        (
            parse_version(asked),
            place.split('"').next().unwrap_or_default(),
        )
    })
}

/// Parses a version as a list of numbers, without trailing zeros.
fn parse_version(text: &str) -> Vec<u32> {
    let mut numbers: Vec<u32> = text
        .split('.')
        .map_while(|part| part.parse().ok())
        .collect();
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::{own_version, parse_version, required_versions};

    #[test]
    fn a_dependency_that_requires_a_newer_rust_is_reported() {
        let manifest = "[workspace.package]\nedition = \"2024\"\nrust-version = \"1.88\"\n";
        let own = own_version(manifest).unwrap();
        assert_eq!(own, parse_version("1.88.0"));
        let metadata = r#"{"packages":[
            {"name":"a","manifest_path":"/a","rust_version":"1.88.0"},
            {"name":"b","manifest_path":"/b","rust_version":null},
            {"name":"c","manifest_path":"/c","rust_version":"1.90"}]}"#;
        let newer = required_versions(metadata).filter(|(version, _)| *version > own);
        assert_eq!(newer.map(|(_, place)| place).collect::<Vec<_>>(), ["/c"]);
    }
}
