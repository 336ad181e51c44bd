//! `cargo xtask dist`: builds the optimized demo in `dist/demo` and the npm package in
//! `dist/embed`, and prints their sizes.

use std::fs;
use std::io::ErrorKind;
use std::process::{Command, Stdio};

use crate::budget;
use crate::demo;
use crate::languages;
use crate::layout;
use crate::module::Sections;
use crate::names::ShortNames;
use crate::parts::{self, SplitModule};
use crate::project::{Outcome, Project, files_with_extension, read_text, remap_local_paths};
use crate::style;

/// The minimum version of Node.js, for npm's binaryen and the scripts that print sizes.
const NODE: (u32, u32) = (18, 17);
/// The folder with the handwritten files of the npm package.
const NPM: &str = "crates/assistant-embed/npm";
/// The folder of the intermediate modules of the npm package. One of them keeps function names, for
/// the table of sizes by function.
const WORK: &str = "target/xtask/embed";
/// Parts of the names of exports that a dependency adds for streams implemented in Rust, and that
/// are not used.
const UNUSED: [&str; 3] = [
    "intounderlyingbytesource",
    "intounderlyingsink",
    "intounderlyingsource",
];

/// Builds the demo and the npm package, and prints their sizes.
pub(crate) fn run(project: &Project) -> Outcome<()> {
    project.need_node(NODE)?;
    demo::build(project, "dist/demo", true)?;
    build_package(project, Effort::Shipped)?;
    print_sizes(project)?;
    budget::check(project)
}

/// A WebAssembly module of the package, which has its own glue.
struct PackageModule {
    /// The name of the module's files.
    name: &'static str,
    /// The folder of the module's intermediate files.
    work: &'static str,
    features: &'static [&'static str],
}

/// The effort for optimizing the modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Optimizes all modules as for publishing.
    Shipped,
    /// Optimizes the first module as for publishing, the others in a quarter of the time, which
    /// suffices for functional tests.
    Tests,
}

impl Effort {
    /// Returns the steps of wasm-opt that run before the functions of a module are ordered.
    fn first_passes(self, module: &PackageModule) -> &'static [&'static str] {
        match self {
            Self::Tests if module.work != WORK => &QUICK,
            Self::Shipped | Self::Tests => &FIRST,
        }
    }
}

/// The module for most pages, whose size is limited by the budget, and the module with all
/// protocols.
const MODULES: [PackageModule; 2] = [
    PackageModule {
        name: "assistant_embed",
        work: WORK,
        features: &[],
    },
    PackageModule {
        name: "assistant_embed_full",
        work: "target/xtask/embed-full",
        features: &["--features", "full"],
    },
];

/// Builds the npm package in `dist/embed`: the modules, their glue, and the handwritten files.
pub(crate) fn build_package(project: &Project, effort: Effort) -> Outcome<()> {
    project.need_wasm_target()?;
    project.need_page_builders()?;
    project.need_node_modules()?;
    eprintln!("xtask: building the npm package into dist/embed");
    project.remove_folder("dist/embed")?;
    project.copy_folder(NPM, "dist/embed")?;
    project.copy_file(parts::FETCH, "dist/embed/fetch.js")?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        project.copy_file(licence, &format!("dist/embed/{licence}"))?;
    }
    for module in &MODULES {
        build_module(project, module, effort)?;
    }
    languages::write_labels(project)?;
    style::write_joined_sheet(project)?;
    let sheets = [
        ("style.css", read_text(&project.root.join(style::ALL))?),
        ("launcher.css", style::launcher_sheet(project)?),
    ];
    for (name, sheet) in sheets {
        minify(project, WORK, name, &shorten_custom_properties(&sheet))?;
    }
    bundle_scripts(project)
}

/// The scripts of the package that pages load, each with the files that the script imports
/// dynamically. All other files that a script imports are bundled with the script, because each
/// step in a chain of imports costs a round trip.
///
/// A script is listed after the scripts whose hashes it contains.
const JOINED: [(&str, &[&str]); 6] = [
    ("composer.js", &[]),
    ("shadow.js", &[]),
    ("index.js", &["./labels/*", "./shadow.js"]),
    ("full.js", &["./labels/*", "./shadow.js"]),
    ("integrity.js", &[]),
    (
        "element.js",
        &["./composer.js", "./index.js", "./full.js", "./shadow.js"],
    ),
];

/// Bundles each script with the files that it imports, and removes the scripts that `package.json`
/// does not list.
fn bundle_scripts(project: &Project) -> Outcome<()> {
    for (script, later) in JOINED {
        let file = format!("dist/embed/{script}");
        let mut esbuild = project.command("esbuild");
        esbuild.args([&file, "--bundle", "--minify", "--format=esm"]);
        esbuild.args(later.iter().map(|file| format!("--external:{file}")));
        esbuild.args(["--log-level=warning", "--allow-overwrite"]);
        esbuild.args(hash_definition(project, script)?);
        esbuild.arg(format!("--outfile={file}"));
        project.run(&mut esbuild)?;
    }
    let package = read_text(&project.root.join(NPM).join("package.json"))?;
    for file in files_with_extension(project, "dist/embed", "js") {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if !package.contains(&format!("\"{name}\"")) {
            fs::remove_file(project.root.join(&file))
                .map_err(|error| format!("{}: {error}", file.display()))?;
        }
    }
    Ok(())
}

/// The files whose hashes are in `integrity.js`, apart from the labels.
const CHECKED: [&str; 8] = [
    "composer.js",
    "index.js",
    "full.js",
    "shadow.js",
    "style.css",
    "launcher.css",
    "assistant_embed_bg.wasm",
    "assistant_embed_full_bg.wasm",
];

/// Returns the esbuild flag that defines the hashes in a script: `integrity.js` contains the hashes
/// of all files, `element.js` the hash of `integrity.js`. `None` for other scripts.
fn hash_definition(project: &Project, script: &str) -> Outcome<Option<String>> {
    let hash = |file: &str| -> Outcome<String> {
        let hash = parts::file_digest(project, &format!("dist/embed/{file}"))?;
        Ok(format!("\"{hash}\""))
    };
    match script {
        "element.js" => Ok(Some(format!(
            "--define:LEPTOS_ASSISTANT_HASH={}",
            hash("integrity.js")?
        ))),
        "integrity.js" => {
            let labels = files_with_extension(project, "dist/embed/labels", "js");
            let labels = labels.iter().filter_map(|file| file.file_name());
            let labels = labels.map(|name| format!("labels/{}", name.to_string_lossy()));
            let files = CHECKED.map(str::to_owned).into_iter().chain(labels);
            let entries: Outcome<Vec<_>> = files
                .map(|file| Ok(format!("\"{file}\":{}", hash(&file)?)))
                .collect();
            Ok(Some(format!(
                "--define:LEPTOS_ASSISTANT_HASHES={{{}}}",
                entries?.join(",")
            )))
        }
        _ => Ok(None),
    }
}

/// Builds a module, its part and its glue.
fn build_module(project: &Project, of: &PackageModule, effort: Effort) -> Outcome<()> {
    let target = project.target_folder();
    let mut cargo = project.cargo();
    // The crate type is set here, since a permanent library target would conflict with the demo's
    // binary.
    cargo
        .args([
            "rustc",
            "-p",
            "assistant-embed",
            "--lib",
            "--profile",
            "wasm",
        ])
        .args([
            "--target",
            "wasm32-unknown-unknown",
            "--crate-type",
            "cdylib",
        ])
        .args(of.features)
        // Relocations, which splitting requires.
        .args(["--", "-Clink-args=--emit-relocs"]);
    remap_local_paths(&mut cargo);
    project.run(&mut cargo)?;
    let module = target.join("wasm32-unknown-unknown/wasm/assistant_embed.wasm");
    let part = SplitModule::split(project, &module, of.work, of.name)?;
    let mut bindgen = project.command("wasm-bindgen");
    bindgen
        .args(["--target", "web", "--no-typescript", "--out-dir", of.work])
        .args(["--out-name", of.name, "--keep-lld-exports", "--no-demangle"])
        .arg(&part.rest);
    project.run(&mut bindgen)?;
    let names = optimize_module(project, of, effort)?;
    optimize_part(project, of, &part, effort)?;
    let glue = format!("{}.js", of.name);
    let written = read_text(&project.root.join(of.work).join(&glue))?;
    let joined = part.link_to_package(project, &guard_exports(&written)?)?;
    let short = ShortNames::parse(&names).shorten_glue(&joined)?;
    minify(project, of.work, &glue, &short)
}

/// Returns the glue with a change: `npm/stopped.js` wraps the module's exports, because only a
/// wrapper can detect traps.
fn guard_exports(glue: &str) -> Outcome<String> {
    let (exports, guarded) = ("wasm = instance.exports;", parts::COMPILED);
    match glue.matches(exports).count() {
        1 => Ok(format!(
            "import {{ guard }} from \"./stopped.js\";\n{}",
            glue.replace(exports, guarded)
        )),
        found => Err(format!(
            "the glue has {found} places like `{exports}`, not one"
        )),
    }
}

/// Removes the white space in declarations of custom properties, which esbuild keeps.
fn shorten_custom_properties(sheet: &str) -> String {
    let shorten = |line: &str| {
        // A property without a value must keep a space.
        match line.trim_start().starts_with("--") && !line.ends_with(": ;") {
            true => line.replacen(": ", ":", 1).replace(", ", ","),
            false => line.to_owned(),
        }
    };
    sheet.lines().map(|line| shorten(line) + "\n").collect()
}

/// Minifies a style sheet or a script, and writes it to the package.
fn minify(project: &Project, work: &str, name: &str, text: &str) -> Outcome<()> {
    let from = format!("{work}/whole-{name}");
    fs::write(project.root.join(&from), text).map_err(|error| format!("{from}: {error}"))?;
    let mut esbuild = project.command("esbuild");
    let to = format!("--outfile=dist/embed/{name}");
    esbuild.args([from.as_str(), "--minify", "--log-level=warning", &to]);
    project.run(&mut esbuild)
}

/// Optimizes a module, and returns wasm-opt's output: the short names of imports and exports.
/// Feature flags are not needed, because the module declares its features.
fn optimize_module(project: &Project, of: &PackageModule, effort: Effort) -> Outcome<String> {
    let PackageModule { name, work, .. } = of;
    let (bound, used, named, laid) = (
        format!("{work}/{name}_bg.wasm"),
        format!("{work}/used.wasm"),
        format!("{work}/named.wasm"),
        format!("{work}/laid.wasm"),
    );
    let small_one = format!("dist/embed/{name}_bg.wasm");
    rewrite_module(project, &bound, &used, |module| {
        let mut sections = Sections::parse(module)?;
        sections.drop_exports(|name| UNUSED.iter().any(|unused| name.contains(unused)))?;
        Ok(sections.to_bytes())
    })?;
    // The module with names is also for the table of weights.
    project.run(wasm_opt_command(project, effort.first_passes(of)).args([
        used.as_str(),
        "-o",
        &named,
    ]))?;
    rewrite_module(project, &named, &laid, layout::order_functions)?;
    let mut last = wasm_opt_command(project, &LAST);
    last.arg("--minify-imports-and-exports-and-modules");
    project.required_output(last.args([laid.as_str(), "-o", &small_one]))
}

/// Optimizes the part that is fetched later. Items that the module shares with the part keep their
/// names.
fn optimize_part(
    project: &Project,
    of: &PackageModule,
    part: &SplitModule,
    effort: Effort,
) -> Outcome<()> {
    let (named, laid) = (
        format!("{}/part-named.wasm", of.work),
        format!("{}/part-laid.wasm", of.work),
    );
    let small_one = format!("dist/embed/{}", parts::part_file_name(of.name));
    project.run(wasm_opt_command(project, effort.first_passes(of)).args([
        part.cut.as_str(),
        "-o",
        &named,
    ]))?;
    rewrite_module(project, &named, &laid, layout::order_functions)?;
    project.run(wasm_opt_command(project, &LAST).args([laid.as_str(), "-o", &small_one]))
}

/// The wasm-opt steps before functions are ordered.
const FIRST: [&str; 6] = ["-Oz", "--flatten", "--rereloop", "-Oz", "--converge", "-g"];
/// The steps of wasm-opt before functions are ordered, for modules whose size is not measured.
const QUICK: [&str; 2] = ["-O1", "-g"];
const LAST: [&str; 3] = ["-Oz", "--dealign", "--reorder-functions-by-name"];

fn wasm_opt_command(project: &Project, steps: &[&str]) -> Command {
    let mut optimise = project.command("wasm-opt");
    optimise
        .args([
            // No data is below 1024: the stack, which ends there, would have overflowed. So offsets
            // are folded into loads and stores.
            "--low-memory-unused",
            "--generate-global-effects",
            // Functions that are called once are not inlined, since similar ones compress better.
            "--one-caller-inline-max-function-size=0",
        ])
        .args(steps);
    optimise
}

/// Reads a module from a file, changes the module, and writes it to another file.
fn rewrite_module(
    project: &Project,
    from: &str,
    to: &str,
    change: impl Fn(&[u8]) -> Outcome<Vec<u8>>,
) -> Outcome<()> {
    let module = fs::read(project.root.join(from)).map_err(|error| format!("{from}: {error}"))?;
    let changed = change(&module).map_err(|error| format!("{from}: {error}"))?;
    fs::write(project.root.join(to), changed).map_err(|error| format!("{to}: {error}"))
}

/// Prints the sizes of the built files, and the sizes by function of the npm package's module.
pub(crate) fn print_sizes(project: &Project) -> Outcome<()> {
    let named = ["named", "part-named"].map(|name| format!("{WORK}/{name}.wasm"));
    for args in [
        &["xtask/sizes.mjs", "dist/demo", "dist/embed"][..],
        &["xtask/weights.mjs", &named[0], &named[1]],
    ] {
        let mut node = project.command("node");
        node.args(args).stdout(Stdio::inherit());
        project.run(&mut node)?;
    }
    Ok(())
}

impl Project {
    /// Copies the files of a folder to another folder. Both paths are relative to the project.
    pub(crate) fn copy_folder(&self, from: &str, to: &str) -> Outcome<()> {
        let folder = self.root.join(to);
        fs::create_dir_all(&folder).map_err(|error| format!("{to}: {error}"))?;
        for file in fs::read_dir(self.root.join(from))
            .map_err(|error| format!("{from}: {error}"))?
            .flatten()
            .filter(|entry| entry.path().is_file())
        {
            let name = file.file_name();
            let name = name.to_string_lossy();
            self.copy_file(&format!("{from}/{name}"), &format!("{to}/{name}"))?;
        }
        Ok(())
    }

    /// Removes a folder of the project, if it exists.
    pub(crate) fn remove_folder(&self, folder: &str) -> Outcome<()> {
        match fs::remove_dir_all(self.root.join(folder)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(format!("{folder}: {error}")),
            _ => Ok(()),
        }
    }

    pub(crate) fn copy_file(&self, from: &str, to: &str) -> Outcome<()> {
        fs::copy(self.root.join(from), self.root.join(to))
            .map(drop)
            .map_err(|error| format!("{from}: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_is_inserted_at_the_single_place_in_the_glue() {
        let glue = "let wasm;\n    wasm = instance.exports;\n";
        let watched = guard_exports(glue).unwrap();
        assert!(watched.starts_with("import { guard } from \"./stopped.js\";\n"));
        assert!(watched.contains("wasm = guard(instance.exports);"));
        for other in ["", &glue.repeat(2)] {
            assert!(guard_exports(other).is_err());
        }
    }

    #[test]
    fn custom_properties_are_shortened_and_empty_ones_keep_their_space() {
        let sheet = "a {\n  --b: f(#111, #222);\n  --c: ;\n  color: g(1, 2);\n}\n";
        let expected = "a {\n  --b:f(#111,#222);\n  --c: ;\n  color: g(1, 2);\n}\n";
        assert_eq!(shorten_custom_properties(sheet), expected);
    }
}
