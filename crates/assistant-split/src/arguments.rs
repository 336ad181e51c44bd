//! Parses the command line.

use std::path::PathBuf;

use crate::Outcome;

/// The help text of `--help`.
pub(crate) const HELP: &str = "\
leptos-assistant-split MODULE [--dist FOLDER] [--wasm-opt FLAGS]
    Cuts the page that trunk has built from MODULE, target/wasm32-unknown-unknown/PROFILE/NAME.wasm, in parts.
    FOLDER is where the page is; in a hook of trunk's that is known ($TRUNK_STAGING_DIR). A page without split points
    stays as it is. FLAGS are for wasm-opt, instead of those that make the smallest module.
leptos-assistant-split MODULE --parts FOLDER --name NAME
    Writes the parts alone, as the splitter gives them: NAME.wasm, for wasm-bindgen, and what is cut out of it.

The module must say where things lie in it, by the linker's --emit-relocs, and its profile must not strip names:
docs/guide/src/size.md has the lines for build.rs.
It needs wasm-bindgen in the version of the module, and wasm-opt if there is one: on PATH, or what trunk has downloaded.";

/// The default flags of wasm-opt. They optimize for size. They assume that no data is below address
/// 1024, where the stack ends, and do not inline functions that are called once, since similar
/// functions compress better.
const FLAGS: &str =
    "-Oz --low-memory-unused --generate-global-effects --one-caller-inline-max-function-size=0";

/// The task that the command line requests.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Help,
    /// Splits the module of a built page, and replaces the module in the page's folder.
    Page {
        module: PathBuf,
        folder: PathBuf,
        optimise: Vec<String>,
    },
    /// Writes the parts of a module into a folder, without a page.
    Parts {
        module: PathBuf,
        out: PathBuf,
        name: String,
    },
}

/// Parses the command line. Fails with a message for the user.
pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Outcome<Task> {
    let (mut module, mut folder, mut optimise) = (None, None, None);
    let (mut parts, mut name) = (None, None);
    let mut rest = arguments;
    while let Some(argument) = rest.next() {
        let place = match argument.as_str() {
            "--help" | "-h" => return Ok(Task::Help),
            "--dist" => &mut folder,
            "--wasm-opt" => &mut optimise,
            "--parts" => &mut parts,
            "--name" => &mut name,
            unknown if unknown.starts_with('-') => {
                return Err(format!("there is no option {unknown}\n{HELP}"));
            }
            _ => {
                if let Some(other) = module.replace(argument) {
                    return Err(format!("one module at a time, not {other} too"));
                }
                continue;
            }
        };
        let value = rest
            .next()
            .ok_or_else(|| format!("{argument} wants a value"))?;
        *place = Some(value);
    }
    let module = module.ok_or_else(|| format!("which module?\n{HELP}"))?;
    let module = PathBuf::from(module);
    if let Some(out) = parts {
        let out = PathBuf::from(out);
        let name = name.ok_or("--parts wants --name, too")?;
        return Ok(Task::Parts { module, out, name });
    }
    let staged = || std::env::var("TRUNK_STAGING_DIR").ok();
    let folder = folder.or_else(staged).ok_or_else(|| {
        format!("where is the page? --dist says so where this is no hook of trunk's\n{HELP}")
    })?;
    let flags = optimise.as_deref().unwrap_or(FLAGS);
    Ok(Task::Page {
        module,
        folder: folder.into(),
        optimise: flags.split_whitespace().map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_line(line: &str) -> Outcome<Task> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments_select_a_page_or_only_the_parts() {
        let page = Task::Page {
            module: "a.wasm".into(),
            folder: "dist".into(),
            optimise: vec!["-O2".to_owned(), "-g".to_owned()],
        };
        let line = ["a.wasm", "--dist", "dist", "--wasm-opt", "-O2 -g"];
        assert_eq!(parse(line.map(str::to_owned).into_iter()), Ok(page));
        let parts = Task::Parts {
            module: "a.wasm".into(),
            out: "out".into(),
            name: "a".to_owned(),
        };
        assert_eq!(parse_line("--parts out --name a a.wasm"), Ok(parts));
        assert_eq!(parse_line("a.wasm --help"), Ok(Task::Help));
    }

    #[test]
    fn missing_or_unknown_arguments_are_reported() {
        for (line, message) in [
            ("", "which module?"),
            ("a.wasm", "where is the page?"),
            ("a.wasm --dist", "--dist wants a value"),
            ("a.wasm b.wasm", "one module"),
            ("a.wasm --fast", "no option --fast"),
            ("a.wasm --parts out", "--name"),
        ] {
            let error = parse_line(line).expect_err(line);
            assert!(error.contains(message), "{line}: {error}");
        }
    }
}
