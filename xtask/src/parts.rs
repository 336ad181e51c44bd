//! The npm package's modules in two parts: what every page with a chat loads, and what shows a conversation, which is
//! fetched when somebody turns to the chat (`src/chat/deferred.rs`).

use std::path::Path;
use std::process::Command;

use crate::project::{Outcome, Project, read};

/// The split point's name in Rust.
const PART: &str = "conversation";
/// What `wasm-split` writes for the page; `npm/part.js` does that here.
const LINK: &str = "__wasm_split.js";
/// Prints what browsers check a file against: a part of another build would call functions that are not there.
const DIGEST: &str = "const { createHash } = require('crypto'); \
    const bytes = require('fs').readFileSync(process.argv[1]); \
    console.log('sha256-' + createHash('sha256').update(bytes).digest('base64'))";

/// What the package fetches it with; what applications have, too.
pub(crate) const FETCH: &str = "crates/assistant-split/src/fetch.js";

/// What takes modules apart.
pub(crate) fn splitter(project: &Project) -> Command {
    let mut cargo = project.cargo();
    cargo.args(["run", "--quiet", "-p", "leptos-assistant-split", "--"]);
    cargo
}

/// What the part that is fetched later is called in the package.
pub(crate) fn file(module: &str) -> String {
    format!("{module}_{PART}.wasm")
}

/// A module that was taken apart.
pub(crate) struct Part {
    /// The module without it; both paths lie in the project.
    pub(crate) rest: String,
    pub(crate) cut: String,
    /// What both share, by the names of the rest's exports.
    shared: Vec<String>,
    file: String,
}

impl Part {
    /// Takes a module apart at its split point.
    pub(crate) fn cut(project: &Project, module: &Path, work: &str, name: &str) -> Outcome<Self> {
        let out = format!("{work}/parts");
        let mut split = splitter(project);
        split.arg(module).args(["--parts", &out, "--name", name]);
        project.run(&mut split)?;
        let link = read(&project.root.join(format!("{out}/{LINK}")))?;
        Ok(Self {
            rest: format!("{out}/{name}.wasm"),
            cut: format!("{out}/split_{PART}.wasm"),
            shared: shared(&link)?,
            file: file(name),
        })
    }

    /// Lets the glue fetch the part as it is in the package now, by `npm/part.js`, instead of the script that the splitter
    /// has written.
    pub(crate) fn join(&self, project: &Project, glue: &str) -> Outcome<String> {
        let mut node = project.command("node");
        node.args(["-e", DIGEST, &format!("dist/embed/{}", self.file)]);
        self.link(glue, project.printed(&mut node)?.trim())
    }

    fn link(&self, glue: &str, digest: &str) -> Outcome<String> {
        let shared: Vec<String> = self
            .shared
            .iter()
            .map(|name| format!("{name}: wasm.{name}"))
            .collect();
        let fetch = format!(
            "__proto__: null,\n__wasm_split_load_{PART}: function(done, data) {{\n    loadPart(new URL(\"{}\", \
             import.meta.url), \"{digest}\", {{ {} }}, done, data);\n}},",
            self.file,
            shared.join(", "),
        );
        let glue = once(
            glue,
            &format!("import * as import1 from \"./{LINK}\""),
            "import { loadPart } from \"./part.js\";",
        )?;
        let glue = once(&glue, &format!("\"./{LINK}\": import1,"), "")?;
        // The first is what the module's own glue gives; the second, all that is given.
        match glue.match_indices("__proto__: null,").next() {
            Some(_) => Ok(glue.replacen("__proto__: null,", &fetch, 1)),
            None => Err("the glue gives nothing to the module".to_owned()),
        }
    }
}

fn once(text: &str, from: &str, to: &str) -> Outcome<String> {
    match text.matches(from).count() {
        1 => Ok(text.replace(from, to)),
        found => Err(format!(
            "the glue has {found} places like `{from}`, not one"
        )),
    }
}

/// The names in `const { a, b, } = initSync(undefined, undefined);`.
fn shared(link: &str) -> Outcome<Vec<String>> {
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
    fn the_glue_fetches_the_part_with_what_both_share() {
        let link = "const { memory, __wasm_split_shared0,  } = initSync(undefined, undefined);";
        let part = Part {
            rest: String::new(),
            cut: String::new(),
            shared: shared(link).unwrap(),
            file: file("chat"),
        };
        let glue = "import * as import1 from \"./__wasm_split.js\"\n{ __proto__: null, f: 1 }\n\
                    { __proto__: null, \"./chat_bg.js\": import0, \"./__wasm_split.js\": import1, }";
        let joined = part.link(glue, "sha256-x=").unwrap();
        assert!(joined.starts_with("import { loadPart } from \"./part.js\";"));
        assert!(joined.contains(
            "loadPart(new URL(\"chat_conversation.wasm\", import.meta.url), \"sha256-x=\", { memory: wasm.memory, \
             __wasm_split_shared0: wasm.__wasm_split_shared0 }, done, data);"
        ));
        assert!(joined.ends_with("f: 1 }\n{ __proto__: null, \"./chat_bg.js\": import0,  }"));
        assert!(part.link("", "").is_err());
        assert!(shared("").is_err());
    }
}
