//! Checks the size budget of the npm package: the compressed size of each file that pages wait for.

use crate::project::{Outcome, Project, read_text};

/// The path of the budget, a JSON object of file names and sizes in bytes, one per line.
const BUDGET: &str = "crates/assistant-embed/budget.json";
const PACKAGE: &str = "dist/embed";
/// The permitted growth above the budget, in percent, because compilers differ slightly.
const TOLERANCE: u64 = 2;
/// The script that prints the gzip size of each file in bytes.
const SIZES: &str = "const { gzipSync } = require('zlib'); const { readFileSync } = require('fs'); \
    for (const file of process.argv.slice(1)) console.log(gzipSync(readFileSync(file), { level: 9 }).length)";

/// Prints the compressed size of each file of the built package. Fails if a file is larger than its
/// budget plus the tolerance.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    let budget = parse_budget(&read_text(&project.root.join(BUDGET))?)?;
    let mut node = project.command("node");
    node.args(["-e", SIZES]);
    node.args(budget.iter().map(|(file, _)| format!("{PACKAGE}/{file}")));
    let sizes = project.required_output(&mut node)?;
    let sizes = sizes.lines().map(|size| size.parse::<u64>().ok());
    let mut faults = Vec::new();
    for ((file, limit), size) in budget.iter().zip(sizes) {
        let size = size.ok_or_else(|| format!("{file}: its size is unknown"))?;
        eprintln!("budget: {file} {size} of {limit} bytes gzip");
        faults.extend(budget_fault(file, *limit, size));
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(format!("{BUDGET}: {}", faults.join("; "))),
    }
}

/// Parses the entries of the budget: pairs of a file name and a size in bytes.
fn parse_budget(text: &str) -> Outcome<Vec<(String, u64)>> {
    let lines = text.lines().map(str::trim);
    let entries = lines.filter(|line| !matches!(*line, "{" | "}" | ""));
    let entry = |line: &str| {
        let (file, bytes) = line.trim_end_matches(',').split_once(':')?;
        let bytes = bytes.trim().parse().ok()?;
        Some((file.trim().trim_matches('"').to_owned(), bytes))
    };
    let entries = entries.map(|line| {
        entry(line).ok_or_else(|| format!("{BUDGET}: `{line}` is not a file with its bytes"))
    });
    let entries = entries.collect::<Outcome<Vec<_>>>()?;
    match entries.is_empty() {
        true => Err(format!("{BUDGET} has no entry")),
        false => Ok(entries),
    }
}

/// Returns an error message if a file is larger than its budget plus the tolerance.
fn budget_fault(file: &str, limit: u64, size: u64) -> Option<String> {
    let most = limit + limit * TOLERANCE / 100;
    (size > most).then(|| {
        format!(
            "{file} has {size} bytes, more than {limit} and {TOLERANCE} %: make it smaller, or give the reason in the \
             commit that raises the budget"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_outgrow_its_budget_by_two_percent() {
        assert_eq!(budget_fault("a.wasm", 1_000, 900), None);
        assert_eq!(budget_fault("a.wasm", 1_000, 1_020), None);
        let message = budget_fault("a.wasm", 1_000, 1_021).expect("it is too large");
        assert!(message.contains("a.wasm has 1021 bytes"), "{message}");
    }

    #[test]
    fn a_budget_has_a_file_and_its_bytes_on_each_line() {
        let text = "{\n  \"a.wasm\": 1000,\n  \"b.js\": 20\n}\n";
        let entries = [("a.wasm".to_owned(), 1_000), ("b.js".to_owned(), 20)];
        assert_eq!(parse_budget(text), Ok(entries.to_vec()));
        assert!(
            parse_budget("{\n  \"a.wasm\": \"large\"\n}")
                .is_err_and(|message| message.contains("large"))
        );
        assert!(parse_budget("{\n}\n").is_err());
    }
}
