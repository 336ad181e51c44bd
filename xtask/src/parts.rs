//! Splits the modules of the npm package. Every page with a chat loads the first part. The second
//! part, with the engine, the conversation and the methods of a chat, is fetched as soon as the
//! first part is compiled.

use std::path::Path;
use std::process::Command;

use crate::project::{Outcome, Project, read_text};

/// The name of the split point in Rust.
const PART: &str = "conversation";
/// The script with which `wasm-split` fetches parts. `npm/part.js` replaces it.
const LINK: &str = "__wasm_split.js";
/// A script that prints the SHA-256 digest of a file. Browsers check the digest, because a part of
/// another build would call missing functions.
const DIGEST: &str = "const { createHash } = require('crypto'); \
    const bytes = require('fs').readFileSync(process.argv[1]); \
    console.log('sha256-' + createHash('sha256').update(bytes).digest('base64'))";

/// The statement in the glue that runs after the first part is compiled, with its exports wrapped.
pub(crate) const COMPILED: &str = "wasm = guard(instance.exports);";

/// The file with the JavaScript function that fetches a part. `assistant-split` uses the same file.
pub(crate) const FETCH: &str = "crates/assistant-split/src/fetch.js";

/// Returns a command that runs the splitter.
pub(crate) fn splitter_command(project: &Project) -> Command {
    let mut cargo = project.cargo();
    cargo.args(["run", "--quiet", "-p", "leptos-assistant-split", "--"]);
    cargo
}

/// Returns the file name of the second part of a module.
pub(crate) fn part_file_name(module: &str) -> String {
    format!("{module}_{PART}.wasm")
}

/// Returns the digest of a file, in the form of the attribute `integrity`.
pub(crate) fn file_digest(project: &Project, file: &str) -> Outcome<String> {
    let mut node = project.command("node");
    node.args(["-e", DIGEST, file]);
    Ok(project.required_output(&mut node)?.trim().to_owned())
}

/// A module that was split.
pub(crate) struct SplitModule {
    /// The path of the module's first part, relative to the project.
    pub(crate) rest: String,
    pub(crate) cut: String,
    /// The names of the exports of the first part that the second part imports.
    shared: Vec<String>,
    file: String,
}

impl SplitModule {
    /// Splits a module at its split point.
    pub(crate) fn split(project: &Project, module: &Path, work: &str, name: &str) -> Outcome<Self> {
        let out = format!("{work}/parts");
        let mut split = splitter_command(project);
        split.arg(module).args(["--parts", &out, "--name", name]);
        project.run(&mut split)?;
        let link = read_text(&project.root.join(format!("{out}/{LINK}")))?;
        Ok(Self {
            rest: format!("{out}/{name}.wasm"),
            cut: format!("{out}/split_{PART}.wasm"),
            shared: shared_names(&link)?,
            file: part_file_name(name),
        })
    }

    /// Returns the glue with a change: `npm/part.js` fetches the second part, instead of the
    /// splitter's script.
    pub(crate) fn link_to_package(&self, project: &Project, glue: &str) -> Outcome<String> {
        let digest = file_digest(project, &format!("dist/embed/{}", self.file))?;
        self.link_glue(glue, &digest)
    }

    fn link_glue(&self, glue: &str, digest: &str) -> Outcome<String> {
        let shared: Vec<String> = self
            .shared
            .iter()
            .map(|name| format!("{name}: wasm.{name}"))
            .collect();
        let place = format!("new URL(\"{}\", import.meta.url), \"{digest}\"", self.file);
        let fetch = format!(
            "__proto__: null,\n__wasm_split_load_{PART}: function(done, data) {{\n    loadPart({place}, {{ {} }}, \
             done, data);\n}},",
            shared.join(", "),
        );
        let glue = replace_once(
            glue,
            &format!("import * as import1 from \"./{LINK}\""),
            "import { fetchAhead, loadPart } from \"./part.js\";",
        )?;
        // The first part has been compiled there.
        let glue = replace_once(
            &glue,
            COMPILED,
            &format!("{COMPILED}\n    fetchAhead({place});"),
        )?;
        let glue = replace_once(&glue, &format!("\"./{LINK}\": import1,"), "")?;
        // The first occurrence is the module's own imports; the second, all imports.
        match glue.match_indices("__proto__: null,").next() {
            Some(_) => Ok(glue.replacen("__proto__: null,", &fetch, 1)),
            None => Err("the glue gives nothing to the module".to_owned()),
        }
    }
}

fn replace_once(text: &str, from: &str, to: &str) -> Outcome<String> {
    match text.matches(from).count() {
        1 => Ok(text.replace(from, to)),
        found => Err(format!(
            "the glue has {found} places like `{from}`, not one"
        )),
    }
}

/// Returns the names between the braces in `const { a, b, } = initSync(undefined, undefined);`.
fn shared_names(link: &str) -> Outcome<Vec<String>> {
    let names = link
        .split_once("const {")
        .and_then(|(_, rest)| rest.split_once("} = initSync("));
    let Some((names, _)) = names else {
        return Err(format!("{LINK} does not say what the parts share"));
    };
    let names = names.split(',').map(str::trim);
    Ok(names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_glue_fetches_the_part_with_the_shared_imports() {
        let link = "const { memory, __wasm_split_shared0,  } = initSync(undefined, undefined);";
        let part = SplitModule {
            rest: String::new(),
            cut: String::new(),
            shared: shared_names(link).unwrap(),
            file: part_file_name("chat"),
        };
        let glue = "import * as import1 from \"./__wasm_split.js\"\n{ __proto__: null, f: 1 }\n\
                    wasm = guard(instance.exports);\n{ __proto__: null, \"./chat_bg.js\": import0, \"./__wasm_split.js\": import1, }";
        let joined = part.link_glue(glue, "sha256-x=").unwrap();
        assert!(joined.starts_with("import { fetchAhead, loadPart } from \"./part.js\";"));
        assert!(joined.contains(
            "loadPart(new URL(\"chat_conversation.wasm\", import.meta.url), \"sha256-x=\", { memory: wasm.memory, \
             __wasm_split_shared0: wasm.__wasm_split_shared0 }, done, data);"
        ));
        assert!(joined.contains(
            "wasm = guard(instance.exports);\n    fetchAhead(new URL(\"chat_conversation.wasm\", import.meta.url), \"sha256-x=\");"
        ));
        assert!(joined.ends_with("\n{ __proto__: null, \"./chat_bg.js\": import0,  }"));
        assert!(part.link_glue("", "").is_err());
        assert!(shared_names("").is_err());
    }
}
