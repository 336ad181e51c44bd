//! Changes the splitter's script that fetches parts: inserts the file names that the parts have in
//! the page, and their digests.

use crate::{Outcome, digest};

/// The JavaScript function that fetches a part.
const FETCH: &str = include_str!("fetch.js");

/// A part of the module, to which the script refers by file name.
#[derive(Debug)]
pub(crate) struct LinkedPart {
    /// The name that the splitter gave the part.
    pub(crate) was: String,
    /// The name of the part in the page.
    pub(crate) is: String,
    pub(crate) bytes: Vec<u8>,
}

/// Returns the script with the function that fetches parts, and with the file names and digests of
/// these parts. Fails if the script is not in the expected form.
pub(crate) fn link_script(script: &str, parts: &[LinkedPart]) -> Outcome<String> {
    let mut linked = format!("{FETCH}\n{script}");
    for part in parts {
        let from = format!("fetch(new URL(\"./{}\", import.meta.url))", part.was);
        let integrity = digest::sha256_integrity(&part.bytes);
        let to = format!(
            "fetchPart(new URL(\"./{}\", import.meta.url), \"{integrity}\")",
            part.is
        );
        linked = replace_exactly(&linked, &from, &to, 1)?;
    }
    replace_exactly(
        &linked,
        "WebAssembly.instantiateStreaming(src, imports)",
        "src.then((module) => WebAssembly.instantiate(module, imports))",
        parts.len(),
    )
}

/// Replaces all occurrences of a text. Their number must be `times`, because another version of the
/// splitter may write a different script.
pub(crate) fn replace_exactly(text: &str, from: &str, to: &str, times: usize) -> Outcome<String> {
    match text.matches(from).count() {
        found if found == times => Ok(text.replace(from, to)),
        found => Err(format!(
            "the script that fetches parts has {found} places like `{from}`, not {times}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create_part(was: &str, is: &str) -> LinkedPart {
        let (was, is) = (was.to_owned(), is.to_owned());
        let bytes = Vec::new();
        LinkedPart { was, is, bytes }
    }

    const SCRIPT: &str = "load(() => {\n    const src = fetch(new URL(\"./a.wasm\", import.meta.url));\n    \
                          return async (imports) => (WebAssembly.instantiateStreaming(src, imports));\n});";

    #[test]
    fn each_part_is_fetched_by_its_name_and_digest() {
        let linked =
            link_script(SCRIPT, &[create_part("a.wasm", "a-1.wasm")]).expect("it has the place");
        assert!(linked.contains(
            "const src = fetchPart(new URL(\"./a-1.wasm\", import.meta.url), \"sha256-47DEQ"
        ));
        assert!(
            linked.contains("(src.then((module) => WebAssembly.instantiate(module, imports)))")
        );
    }

    #[test]
    fn an_unexpected_loader_script_is_refused() {
        let error =
            link_script(SCRIPT, &[create_part("b.wasm", "b-1.wasm")]).expect_err("no such part");
        assert!(error.contains("0 places like"), "{error}");
        let error = link_script(SCRIPT, &[]).expect_err("a part that is not checked");
        assert!(error.contains("1 places like"), "{error}");
    }
}
