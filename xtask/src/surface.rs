//! Compares the public API of the published crates with the listings in `docs/api`, one for each
//! crate. Exhaustive structs and enums, and other crates that occur in signatures, must be listed
//! with a reason in the tables of that folder. Public fields, exhaustive structs and the methods of
//! `Assistant` have maximum numbers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::project::{Outcome, Project, read_text};

/// The folder of the listings.
const LISTINGS: &str = "docs/api";

/// The maximum number of differing lines that are printed.
const MAX_LINES: usize = 40;

/// The maximum number of public fields of structs, in all published crates together.
const MAX_FIELDS: usize = 120;
/// The maximum number of structs with public fields that an application may create by a literal.
const MAX_EXHAUSTIVE_STRUCTS: usize = 10;
/// The maximum number of public methods of [`HANDLE`].
const MAX_METHODS: usize = 60;
/// The type through which an application uses the library.
const HANDLE: &str = "leptos_assistant::Assistant";

/// Compares the public APIs with the listings, and the listings with the tables. With `BLESS=1`,
/// writes the listings instead of comparing them.
pub(crate) fn check(project: &Project, features: &str) -> Outcome<()> {
    let crates = published_libraries(project)?;
    project.run(project.cargo().args(["build", "--quiet", "-p", "surface"]))?;
    let program = project
        .target_folder()
        .join("debug")
        .join(format!("surface{}", std::env::consts::EXE_SUFFIX));
    let mut doc = project.cargo();
    doc.args(["doc", "--quiet", "--workspace", "--lib", "--no-deps"])
        .args(["--features", features])
        .env("RUSTDOC", &program)
        .env(
            "RUSTDOCFLAGS",
            "--cap-lints allow -Z unstable-options --output-format json",
        );
    project.run(&mut doc)?;
    let mut faults = Vec::new();
    for name in &crates {
        let file = format!("{}.json", name.replace('-', "_"));
        let json = project.target_folder().join("doc").join(file);
        let found = project.required_output(Command::new(&program).arg("list").arg(json))?;
        let listing = PathBuf::from(format!("{LISTINGS}/{name}.txt"));
        faults.extend(compare_or_write(project, &listing, &found)?);
    }
    let listings = read_listings(project, &crates)?;
    faults.extend(compare_tables(project, &crates, &listings)?);
    faults.extend(exceeded_caps(&listings));
    match faults.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{}\nIf the change is intended, accept it with `BLESS=1 cargo xtask test --only lint`, \
             and mention in CHANGELOG.md what applications have to change.",
            faults.join("\n")
        )),
    }
}

/// Returns the differences between the listings and the tables in their folder.
fn compare_tables(
    project: &Project,
    crates: &[String],
    listings: &[String],
) -> Outcome<Vec<String>> {
    let (mut structs, mut enums, mut foreign) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for listing in listings {
        structs.extend(exhaustive_structs(listing));
        enums.extend(exhaustive_enums(listing));
        foreign.extend(foreign_crates(listing));
    }
    for name in crates {
        foreign.remove(&name.replace('-', "_"));
    }
    let reasons = read_text(&project.root.join(LISTINGS).join("README.md"))?;
    let mut faults = compare_table(&reasons, "Exhaustive structs", &structs);
    faults.extend(compare_table(&reasons, "Exhaustive enums", &enums));
    faults.extend(compare_table(&reasons, "Crates in signatures", &foreign));
    Ok(faults)
}

fn read_listings(project: &Project, crates: &[String]) -> Outcome<Vec<String>> {
    let folder = project.root.join(LISTINGS);
    let read = |name: &String| read_text(&folder.join(format!("{name}.txt")));
    crates.iter().map(read).collect()
}

/// Returns a fault for each number of the listings that is above its maximum.
fn exceeded_caps(listings: &[String]) -> Vec<String> {
    let sum = |count: fn(&str) -> usize| listings.iter().map(|text| count(text)).sum::<usize>();
    let counts = [
        (
            "public fields of structs",
            MAX_FIELDS,
            sum(|text| public_fields(text).len()),
        ),
        (
            "exhaustive structs with public fields",
            MAX_EXHAUSTIVE_STRUCTS,
            sum(|text| exhaustive_structs(text).len()),
        ),
        (
            "public methods of `Assistant`",
            MAX_METHODS,
            sum(count_handle_methods),
        ),
    ];
    let exceeded = counts.into_iter().filter(|(_, max, count)| count > max);
    exceeded
        .map(|(what, max, count)| {
            format!("{LISTINGS}: the crates have {count} {what}; at most {max} are permitted")
        })
        .collect()
}

fn compare_or_write(project: &Project, listing: &Path, found: &str) -> Outcome<Option<String>> {
    let path = project.root.join(listing);
    let expected = read_text(&path).unwrap_or_default();
    if expected == found {
        return Ok(None);
    }
    if std::env::var_os("BLESS").is_some() {
        let written =
            fs::create_dir_all(project.root.join(LISTINGS)).and_then(|()| fs::write(&path, found));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
        return Ok(None);
    }
    let difference = difference(&expected, found);
    Ok(Some(format!(
        "{} differs:\n{difference}",
        listing.display()
    )))
}

/// Returns the lines that only one of two texts contains, marked with `-` or `+`.
fn difference(expected: &str, found: &str) -> String {
    let only = |sign: char, of: &str, other: &str| {
        let other: std::collections::HashSet<_> = other.lines().collect();
        let lines = of.lines().filter(|line| !other.contains(line));
        lines
            .map(|line| format!("{sign} {line}"))
            .collect::<Vec<_>>()
    };
    let mut lines = only('-', expected, found);
    lines.extend(only('+', found, expected));
    let rest = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    match (lines.is_empty(), rest) {
        (true, _) => "the same lines in another order, or repeated".to_owned(),
        (false, 0) => lines.join("\n"),
        (false, rest) => format!("{}\n… and {rest} more", lines.join("\n")),
    }
}

/// Returns the names of the structs that an application may create by a literal. Structs of
/// component properties are excluded, because applications write them in `view!`.
fn exhaustive_structs(listing: &str) -> BTreeSet<String> {
    let fields: BTreeSet<&str> = listing
        .lines()
        .filter_map(|line| line.strip_prefix("pub ")?.split_once(": "))
        .filter_map(|(path, _)| Some(path.rsplit_once("::")?.0))
        .collect();
    let structs = listing.lines().filter_map(|line| {
        let path = line.strip_prefix("pub struct ")?;
        let (path, rest) = path.split_at(path.find(['<', '(', ' ']).unwrap_or(path.len()));
        let is_open = fields.contains(path) || rest.contains("(pub ");
        (is_open && !path.ends_with("Props")).then_some(path)
    });
    structs.filter_map(last_segment).collect()
}

/// Returns the public fields of structs, as `Type::field`, with or without `#[non_exhaustive]`. A
/// type that is listed under several paths counts once. Structs of component properties are
/// excluded, because the component macro makes their fields public.
fn public_fields(listing: &str) -> BTreeSet<String> {
    let (mut structs, mut fields) = (BTreeSet::new(), BTreeSet::new());
    for line in listing.lines() {
        let line = line.strip_prefix("#[non_exhaustive] ").unwrap_or(line);
        let Some(path) = line.strip_prefix("pub struct ") else {
            continue;
        };
        let (path, rest) = path.split_at(path.find(['<', '(', ' ']).unwrap_or(path.len()));
        let Some(name) = last_segment(path).filter(|name| !name.ends_with("Props")) else {
            continue;
        };
        structs.insert(path);
        let places = rest.split_once('(').map_or("", |(_, places)| places);
        let is_public = |(_, place): &(usize, &str)| place.trim_start().starts_with("pub ");
        let public = places.split(',').enumerate().filter(is_public);
        fields.extend(public.map(|(at, _)| format!("{name}::{at}")));
    }
    let named = listing.lines().filter_map(|line| {
        let (path, _) = line.strip_prefix("pub ")?.split_once(": ")?;
        let (owner, field) = path.rsplit_once("::")?;
        let owner = structs.get(owner).and_then(|owner| last_segment(owner))?;
        Some(format!("{owner}::{field}"))
    });
    fields.extend(named);
    fields
}

/// Counts the public methods and functions of the handle, without those of traits.
fn count_handle_methods(listing: &str) -> usize {
    let method = format!("fn {HANDLE}::");
    let mut is_inside = false;
    let methods = listing.lines().filter(|line| {
        let is_method = line.contains(&method);
        is_inside = match line.strip_prefix("impl ") {
            Some(block) => block == HANDLE,
            None => is_inside && is_method,
        };
        is_inside && is_method
    });
    methods.count()
}

/// Returns the names of enums that an application may match without a wildcard.
fn exhaustive_enums(listing: &str) -> BTreeSet<String> {
    let enums = listing.lines().filter_map(|line| {
        let path = line.strip_prefix("pub enum ")?;
        path.get(..path.find(['<', ' ']).unwrap_or(path.len()))
    });
    enums.filter_map(last_segment).collect()
}

fn last_segment(path: &str) -> Option<String> {
    path.rsplit("::").next().map(str::to_owned)
}

/// Returns the names of the crates that occur in a listing, except the standard library.
fn foreign_crates(listing: &str) -> BTreeSet<String> {
    const STANDARD: [&str; 3] = ["alloc", "core", "std"];
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let heads = listing.match_indices("::").filter_map(|(at, _)| {
        let before = listing.get(..at)?;
        let start = before.rfind(|c| !is_name(c)).map_or(0, |at| at + 1);
        let (outer, head) = before.split_at(start);
        let is_crate = head.starts_with(|c: char| c.is_ascii_lowercase());
        (is_crate && !outer.ends_with(':')).then_some(head)
    });
    heads
        .filter(|head| !STANDARD.contains(head) && !PRIMITIVES.contains(head))
        .map(str::to_owned)
        .collect()
}

/// The primitive types, which can be the first part of a method's path.
const PRIMITIVES: [&str; 16] = [
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16",
    "u32", "u64", "usize",
];

/// Returns the differences between names and the first column of the table below a heading. Rows
/// without a reason are ignored.
fn compare_table(text: &str, heading: &str, names: &BTreeSet<String>) -> Vec<String> {
    let section = text.split_once(&format!("## {heading}\n"));
    let section = section.map_or("", |(_, rest)| rest.split("\n## ").next().unwrap_or(rest));
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let has_reason = |row: &&str| {
        let reason = row.split('|').nth(2).unwrap_or_default();
        !reason.trim().is_empty()
    };
    let listed: BTreeSet<String> = rows
        .filter(has_reason)
        .flat_map(|row| {
            let cell = row.split('|').nth(1).unwrap_or_default();
            cell.split('`').skip(1).step_by(2).map(str::to_owned)
        })
        .collect();
    let fault = |name: &String, problem: &str| {
        format!("{LISTINGS}/README.md, “{heading}”: {name} {problem}")
    };
    let missing = names.difference(&listed);
    let missing = missing.map(|name| fault(name, "is missing: give a reason, or change the type"));
    let stale = listed.difference(names);
    missing
        .chain(stale.map(|name| fault(name, "is not needed any more")))
        .collect()
}

/// Returns the names of the published libraries of the workspace, sorted. Fails if there are none.
fn published_libraries(project: &Project) -> Outcome<Vec<String>> {
    let folders = fs::read_dir(project.root.join("crates")).map_err(|error| error.to_string())?;
    let folders = folders.flatten().map(|folder| folder.path());
    let mut names = Vec::new();
    for folder in folders.chain([project.root.clone()]) {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        let is_library = folder.join("src/lib.rs").is_file();
        if is_library && let Some(name) = published_name(&manifest) {
            names.push(name.to_owned());
        }
    }
    names.sort_unstable();
    match names.is_empty() {
        true => Err("no crate is published".to_owned()),
        false => Ok(names),
    }
}

/// Returns the package name in a manifest; `None` if the package is not published.
fn published_name(manifest: &str) -> Option<&str> {
    let (_, package) = manifest.split_once("[package]\n")?;
    let package = package.split("\n[").next()?;
    let mut lines = package.lines();
    let is_private = package.lines().any(|line| line == "publish = false");
    let name = lines.find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))?;
    (!is_private).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_and_removed_items_are_reported() {
        let report = difference("pub fn a()\npub fn b()\n", "pub fn b()\npub fn c()\n");
        assert_eq!(report, "- pub fn a()\n+ pub fn c()");
        assert!(difference("a\na\n", "a\n").contains("repeated"));
    }

    #[test]
    fn structs_with_public_fields_are_exhaustive_unless_marked() {
        let listing = "pub struct a::Open\npub a::Open::x: u32\n\
            #[non_exhaustive] pub struct a::Marked\npub a::Marked::x: u32\n\
            pub struct a::Closed\npub struct a::Key(pub u64)\npub struct a::Sealed(_)\n\
            pub struct a::Pair<T>(pub T)\npub struct a::ButtonProps\npub a::ButtonProps::x: u32\n";
        let names: Vec<_> = exhaustive_structs(listing).into_iter().collect();
        assert_eq!(names, ["Key", "Open", "Pair"]);
    }

    const FIELDS: &str = "pub struct a::Open\npub a::Open::x: u32\npub a::Open::y: u32\n\
        pub struct b::Open\npub b::Open::x: u32\npub b::Open::y: u32\n\
        #[non_exhaustive] pub struct a::Marked<T>\npub a::Marked::x: T\npub fn a::Marked::new() -> Self\n\
        pub struct a::Key(pub u64)\npub struct a::Pair<T>(pub T, pub u8)\npub struct a::Half(_, pub u8)\n\
        pub struct a::Sealed(_)\npub struct a::ButtonProps\npub a::ButtonProps::x: u32\n\
        pub enum a::Kind\npub a::Kind::Full\npub a::Kind::Full::x: u32\npub const a::MAX: usize\n";

    #[test]
    fn fields_of_a_struct_count_once_without_properties_and_variants() {
        let fields: Vec<_> = public_fields(FIELDS).into_iter().collect();
        assert_eq!(
            fields,
            [
                "Half::1",
                "Key::0",
                "Marked::x",
                "Open::x",
                "Open::y",
                "Pair::0",
                "Pair::1"
            ]
        );
    }

    #[test]
    fn methods_of_the_handle_count_without_those_of_traits() {
        let listing = "pub struct leptos_assistant::Assistant\nimpl leptos_assistant::Assistant\n\
            pub fn leptos_assistant::Assistant::a(&self)\n\
            pub async fn leptos_assistant::Assistant::b(&self)\nimpl leptos_assistant::Assistant\n\
            pub fn leptos_assistant::Assistant::c() -> Self\n\
            impl core::fmt::Debug for leptos_assistant::Assistant\n\
            pub fn leptos_assistant::Assistant::fmt(&self)\npub struct leptos_assistant::AssistantProps\n\
            impl leptos_assistant::AssistantProps\npub fn leptos_assistant::AssistantProps::d()\n";
        assert_eq!(count_handle_methods(listing), 3);
    }

    #[test]
    fn a_number_above_its_maximum_is_reported_with_both() {
        let field = |at: usize| format!("pub a::Open::x{at}: u32\n");
        let structs = |at: usize| format!("pub struct a::S{at}(pub u8)\n");
        let method = |at: usize| format!("pub fn {HANDLE}::m{at}()\n");
        let listing = |fields: usize, methods: usize| {
            let opens: String = (0..9).map(structs).collect();
            let fields: String = (9..fields).map(field).collect();
            let methods: String = (0..methods).map(method).collect();
            format!("{opens}pub struct a::Open\n{fields}impl {HANDLE}\n{methods}")
        };
        assert_eq!(exceeded_caps(&[listing(120, 60)]), [""; 0]);
        let other = "pub struct b::Other\npub b::Other::x: u32\n".to_owned();
        assert_eq!(
            exceeded_caps(&[listing(120, 61), other]),
            [
                "docs/api: the crates have 121 public fields of structs; at most 120 are permitted",
                "docs/api: the crates have 11 exhaustive structs with public fields; at most 10 are permitted",
                "docs/api: the crates have 61 public methods of `Assistant`; at most 60 are permitted",
            ]
        );
    }

    #[test]
    fn enums_are_exhaustive_unless_marked() {
        let listing = "pub enum a::Open\npub a::Open::X\n#[non_exhaustive] pub enum a::Marked\n\
            pub enum a::Generic<T>\npub struct a::Open2\n";
        let names: Vec<_> = exhaustive_enums(listing).into_iter().collect();
        assert_eq!(names, ["Generic", "Open"]);
    }

    #[test]
    fn crates_in_signatures_are_found_by_the_heads_of_paths() {
        let listing = "pub fn a::b::c(x: &serde_json::Value, y: core::Option<web_sys::Node>)\n\
            impl a::T for u8\npub fn u8::t()\n";
        let names: Vec<_> = foreign_crates(listing).into_iter().collect();
        assert_eq!(names, ["a", "serde_json", "web_sys"]);
    }

    #[test]
    fn tables_name_exactly_what_is_found_with_a_reason() {
        let text = "## Other\n| `Stale` | |\n## Exhaustive structs\n\n| types | reason |\n| --- | --- |\n\
            | `Key`, `Gone` | ids |\n| `Open` | |\n";
        let names = ["Key", "Open"].map(str::to_owned).into_iter().collect();
        let faults = compare_table(text, "Exhaustive structs", &names);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].contains("Open is missing"), "{faults:?}");
        assert!(faults[1].contains("Gone is not needed"), "{faults:?}");
    }

    #[test]
    fn the_tables_of_the_listings_are_complete() {
        let project = Project::find().unwrap();
        let crates = published_libraries(&project).unwrap();
        let listings = read_listings(&project, &crates).unwrap();
        let faults = compare_tables(&project, &crates, &listings).unwrap();
        assert_eq!(faults, [""; 0]);
    }

    #[test]
    fn the_listings_are_within_the_maximum_numbers() {
        let project = Project::find().unwrap();
        let crates = published_libraries(&project).unwrap();
        let listings = read_listings(&project, &crates).unwrap();
        assert_eq!(exceeded_caps(&listings), [""; 0]);
    }

    #[test]
    fn private_packages_have_no_listing() {
        let package = "[workspace]\n\n[package]\nname = \"a\"\npublish = false\n\n[lints]\n";
        assert_eq!(published_name(package), None);
        let package = package.replace("publish = false\n", "");
        assert_eq!(published_name(&package), Some("a"));
        let found = published_libraries(&Project::find().unwrap()).unwrap();
        assert!(found.contains(&"leptos-assistant".to_owned()), "{found:?}");
        assert!(!found.contains(&"conformance".to_owned()), "{found:?}");
    }
}
