//! The compiler's messages for mistakes in the definition of an action.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::SystemTime,
};

/// The note of each message that names the fix.
const FIX: &str = "`.handler(…)` and `.args::<T>()` set the type of the arguments: call one of them before this method";

/// Returns the folder with the compiled dependencies of this test.
fn compiled() -> PathBuf {
    let program = env::current_exe().unwrap();
    program.parent().unwrap().to_owned()
}

/// Returns the library that was compiled last, which is that of this test.
fn library(folder: &Path) -> PathBuf {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libleptos_assistant-") && name.ends_with(".rlib")
    };
    let changed = |path: &PathBuf| match fs::metadata(path).and_then(|file| file.modified()) {
        Ok(time) => time,
        Err(_) => SystemTime::UNIX_EPOCH,
    };
    let files = fs::read_dir(folder).unwrap();
    let paths = files.map(|entry| entry.unwrap().path()).filter(is_library);
    paths.max_by_key(changed).unwrap()
}

/// Compiles the definition of an action, and returns the compiler's messages; empty if it compiles.
fn compile(name: &str, action: &str) -> String {
    let folder = compiled();
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.rs"));
    let code = format!(
        "use leptos_assistant::{{Approval, ToolAction}};\n\
         pub fn action() {{\n    drop(ToolAction::new(\"a\", \"An action\").approval(Approval::Always){action});\n}}\n"
    );
    fs::write(&source, code).unwrap();
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc
        .args(["--edition", "2024", "--crate-type", "lib"])
        .args(["--emit", "metadata", "--out-dir"])
        .arg(env!("CARGO_TARGET_TMPDIR"))
        .arg("-L")
        .arg(format!("dependency={}", folder.display()))
        .arg("--extern")
        .arg(format!("leptos_assistant={}", library(&folder).display()))
        .arg(source)
        .stdin(Stdio::null());
    let output = rustc.output().unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.success(), messages.is_empty(), "{messages}");
    messages
}

#[test]
fn a_description_before_the_handler_names_the_order_that_compiles() {
    let handler = ".handler(|text: String| text)";
    let describe = ".describe(|text: &String| text.clone())";
    assert_eq!(compile("described", &format!("{handler}{describe}")), "");
    let messages = compile("description_first", &format!("{describe}{handler}"));
    let refused = "error[E0277]: this function does not take `&";
    assert!(messages.contains(refused), "{messages}");
    let args = "Value`, which are the arguments of the action here";
    assert!(messages.contains(args), "{messages}");
    assert!(messages.contains(FIX), "{messages}");
}

#[test]
fn other_rules_before_the_handler_name_the_order_that_compiles() {
    let handler = ".handler(|text: String| text)";
    let rules = [
        (
            "denial",
            ".denial(|text: &String, _: Option<&str>| text.clone())",
        ),
        ("permission", ".permission(|_: String| async { Ok(()) })"),
        (
            "preview",
            ".preview(|text: String| async move { Ok::<_, String>(text) })",
        ),
    ];
    for (name, rule) in rules {
        assert_eq!(compile(name, &format!("{handler}{rule}")), "", "{name}");
        let messages = compile(&format!("{name}_first"), &format!("{rule}{handler}"));
        assert!(messages.contains(FIX), "{name}: {messages}");
    }
}

#[test]
fn functions_of_json_compile_before_a_handler() {
    let rules = ".describe(|args| args.to_string()).denial(|args, _| args.clone())\
                 .permission(|args| async move { match args.is_null() { true => Err(String::new()), false => Ok(()) } })\
                 .preview(|args| async move { Ok::<_, String>(args) })";
    assert_eq!(compile("untyped", rules), "");
}
