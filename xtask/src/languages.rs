//! Checks the translated labels (rule "languages"), and writes them for the npm package. The tables
//! in `src/ui/labels/` are the only source.

use std::fs;

use crate::project::{Outcome, Project, read_text};

/// The folder of the tables with the labels of each language.
const TABLES: &str = "src/ui/labels";

/// The languages other than English: their codes, and the file names of their tables.
const LANGUAGES: [(&str, &str); 7] = [
    ("ar", "arabic"),
    ("de", "german"),
    ("es", "spanish"),
    ("fr", "french"),
    ("ja", "japanese"),
    ("pt", "portuguese"),
    ("zh", "chinese"),
];

/// The texts of the launcher: their names in `npm/launcher.js`, and in the tables.
const LAUNCHER: [(&str, &str); 5] = [
    ("title", "title"),
    ("unread", "unread"),
    ("loading", "loading"),
    ("failed", "not_loaded"),
    ("retry", "retry"),
];

/// The texts of the composer that the element draws before the program is loaded: their names in
/// `npm/composer.js`, and in the tables.
const COMPOSER: [(&str, &str); 10] = [
    ("title", "title"),
    ("conversation", "conversation"),
    ("message", "message"),
    ("placeholder", "placeholder"),
    ("hint", "hint"),
    ("send", "send"),
    ("you", "you"),
    ("thinking", "thinking"),
    ("failed", "not_loaded"),
    ("retry", "retry"),
];

/// The names of the texts in the notice that a chat has stopped, which `npm/stopped.js` shows
/// without the WebAssembly program.
const STOPPED: [&str; 3] = ["stopped", "stopped_text", "reload"];

/// The texts of one language.
struct LanguageTable {
    /// The language tag.
    tag: String,
    /// The labels, as pairs of name and text.
    texts: Vec<(String, String)>,
    reasons: Vec<String>,
}

impl LanguageTable {
    fn read(project: &Project, file: &str) -> Outcome<Self> {
        Ok(Self::parse(&read_text(
            &project.root.join(format!("{TABLES}/{file}.rs")),
        )?))
    }

    /// Parses a table: `Translation { name: "text", … }`, the list `REASONS` after it, and the tag of
    /// the language in `from_translation("de", …)`.
    fn parse(source: &str) -> Self {
        let part_after = |mark| source.split_once(mark).map_or("", |(_, part)| part);
        let table = part_after(" = Translation {");
        let (texts, reasons) = table.split_once("const REASONS").unwrap_or((table, ""));
        let (reasons, _) = reasons.split_once("];").unwrap_or((reasons, ""));
        let tag = part_after("from_translation(\"").split_once('"');
        let texts = string_literals(texts).into_iter();
        Self {
            tag: tag.map_or_else(String::new, |(tag, _)| tag.to_owned()),
            texts: texts
                .filter_map(|(before, text)| {
                    let name = before.trim_end().strip_suffix(':')?;
                    let name = name
                        .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
                        .next()?;
                    Some((name.to_owned(), text))
                })
                .collect(),
            reasons: string_literals(reasons)
                .into_iter()
                .map(|(_, text)| text)
                .collect(),
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        let found = self.texts.iter().find(|(of, _)| of == name);
        found.map(|(_, text)| text.as_str())
    }
}

/// Returns the string literals of a source, each with the code since the previous literal. Escapes
/// are resolved.
fn string_literals(source: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let (mut code, mut text) = (String::new(), String::new());
    let mut is_text = false;
    let mut characters = source.chars().peekable();
    while let Some(character) = characters.next() {
        match (is_text, character) {
            (true, '\\') => match characters.next() {
                // The next line continues the text, without its indentation.
                Some('\n') => while characters.next_if(|c| c.is_whitespace()).is_some() {},
                Some(escaped) => text.push(escaped),
                None => {}
            },
            (true, '"') => {
                is_text = false;
                found.push((std::mem::take(&mut code), std::mem::take(&mut text)));
            }
            (true, _) => text.push(character),
            (false, '"') => is_text = true,
            (false, _) => code.push(character),
        }
    }
    found
}

/// The plural categories of Unicode.
const PLURAL_CATEGORIES: [&str; 6] = ["zero", "one", "two", "few", "many", "other"];

/// Returns the names of the placeholders in a text, sorted. Plural forms count as one placeholder,
/// `count`; invalid forms are part of its name.
fn placeholders(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((_, tail)) = rest.split_once('{') {
        let end = match tail.starts_with("count, plural,") {
            true => tail.find("}}").map(|end| end + 1),
            false => tail.find('}'),
        };
        let Some((name, after)) = end.map(|end| tail.split_at(end)) else {
            break;
        };
        names.push(match has_valid_forms(name) {
            true => "count",
            false => name,
        });
        rest = after;
    }
    names.sort_unstable();
    names
}

/// Returns true for plural forms with distinct categories, of which `other` is the last.
fn has_valid_forms(placeholder: &str) -> bool {
    let Some(forms) = placeholder.strip_prefix("count, plural,") else {
        return false;
    };
    let forms = forms.trim_end().trim_end_matches('}').split('}');
    let categories = forms.map(|form| form.split_once('{').map_or("", |(name, _)| name.trim()));
    let indices: Vec<_> = categories
        .map(|category| {
            PLURAL_CATEGORIES
                .iter()
                .position(|known| *known == category)
        })
        .collect();
    let is_ordered = indices.is_sorted_by(|a, b| a < b);
    is_ordered && !indices.contains(&None) && indices.last() == Some(&Some(5))
}

/// Checks that the table of each language has the labels and placeholders of the English table, and
/// all reasons.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    let (names, keys) = label_names(project)?;
    let english = LanguageTable::read(project, "english")?;
    let mut faults = Vec::new();
    for (code, file) in LANGUAGES {
        let table = LanguageTable::read(project, file)?;
        if table.tag != code {
            faults.push(format!("{TABLES}/{file}.rs: the language is not `{code}`"));
        }
        faults.extend(
            compare_tables(&names, keys, &english, &table)
                .into_iter()
                .map(|fault| format!("{TABLES}/{file}.rs: {fault}")),
        );
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(faults.join("\n")),
    }
}

fn compare_tables(
    names: &[String],
    keys: usize,
    english: &LanguageTable,
    table: &LanguageTable,
) -> Vec<String> {
    let mut faults = Vec::new();
    for name in names {
        match (english.get(name), table.get(name)) {
            (Some(_), None) => faults.push(format!("{name} is missing")),
            (Some(english), Some(text)) if placeholders(english) != placeholders(text) => {
                faults.push(format!("{name} must have the placeholders of `{english}`"));
            }
            (Some(_), Some("")) => faults.push(format!("{name} is empty")),
            _ => {}
        }
    }
    if table.reasons.len() != keys {
        faults.push(format!("{} reasons, not {keys}", table.reasons.len()));
    }
    let wrong = |text: &&String| placeholders(text).iter().any(|name| *name != "limit");
    faults.extend(
        table
            .reasons
            .iter()
            .filter(wrong)
            .map(|text| format!("a reason has no placeholder but {{limit}}: `{text}`")),
    );
    faults
}

/// Returns the names of the labels in order, and the number of translated reasons.
fn label_names(project: &Project) -> Outcome<(Vec<String>, usize)> {
    let source = read_text(&project.root.join("src/ui/labels.rs"))?;
    let (_, declared) = source
        .split_once("\nlabels! {\n")
        .ok_or("src/ui/labels.rs declares no labels")?;
    let (declared, _) = declared.split_once("\n}\n").unwrap_or((declared, ""));
    let field = |line: &str| {
        let (label, field) = line.trim().strip_suffix(',')?.split_once(' ')?;
        (!label.starts_with('/')).then(|| field.to_owned())
    };
    let reasons = read_text(&project.root.join(TABLES).join("reasons.rs"))?;
    let keys = reasons.split_once("REASONS: [").and_then(|(_, rest)| {
        let (list, _) = rest.split_once("];")?;
        Some(string_literals(list).len())
    });
    let keys = keys.ok_or_else(|| format!("{TABLES}/reasons.rs lists no reasons"))?;
    Ok((declared.lines().filter_map(field).collect(), keys))
}

/// Writes the labels of the npm package: a file for each language other than English, the names of
/// the labels, and the texts of the launcher and of the early composer in all languages.
pub(crate) fn write_labels(project: &Project) -> Outcome<()> {
    let (names, _) = label_names(project)?;
    let folder = project.root.join("dist/embed/labels");
    fs::create_dir_all(&folder).map_err(|error| format!("dist/embed/labels: {error}"))?;
    let put = |file: &str, text: &str| {
        let path = project.root.join("dist/embed").join(file);
        fs::write(path, text).map_err(|error| format!("dist/embed/{file}: {error}"))
    };
    let english = LanguageTable::read(project, "english")?;
    let mut words = language_entry("en", &english, &LAUNCHER)?;
    let mut early_words = language_entry("en", &english, &COMPOSER)?;
    for (code, file) in LANGUAGES {
        let table = LanguageTable::read(project, file)?;
        let texts = names.iter().map(|name| table.get(name));
        let texts: Vec<_> = texts
            .chain(table.reasons.iter().map(|text| Some(text.as_str())))
            .map(|text| text.map_or_else(|| "undefined".to_owned(), js_string))
            .collect();
        let stopped = STOPPED.map(|name| {
            let text = table.get(name).unwrap_or_default();
            format!("{}: {}", to_camel_case(name), js_string(text))
        });
        let text = format!(
            "export const texts = [{}];\nexport const stopped = {{ {} }};\n",
            texts.join(","),
            stopped.join(", ")
        );
        put(&format!("labels/{code}.js"), &text)?;
        words.push_str(&language_entry(code, &table, &LAUNCHER)?);
        early_words.push_str(&language_entry(code, &table, &COMPOSER)?);
    }
    let quoted_names: Vec<_> = names
        .iter()
        .map(|name| js_string(&to_camel_case(name)))
        .collect();
    put(
        "labels/names.js",
        &format!("export const NAMES = [{}];\n", quoted_names.join(",")),
    )?;
    put(
        "labels/names.d.ts",
        &format!(
            "/** The names of the labels. */\nexport type LabelName = {};\n",
            quoted_names.join(" | ")
        ),
    )?;
    put(
        "launcher-words.js",
        &format!("export const WORDS = {{ {words} }};\n"),
    )?;
    put(
        "composer-words.js",
        &format!("export const WORDS = {{ {early_words} }};\n"),
    )
}

/// Formats texts of a language as an entry of a JavaScript object. `names` has their names there and
/// in the table.
fn language_entry(code: &str, table: &LanguageTable, names: &[(&str, &str)]) -> Outcome<String> {
    let words: Outcome<Vec<_>> = names
        .iter()
        .map(|(key, name)| {
            let text = table
                .get(name)
                .ok_or_else(|| format!("{code}: no {name}"))?;
            Ok(format!("{key}: {}", js_string(text)))
        })
        .collect();
    Ok(format!("{code}: {{ {} }}, ", words?.join(", ")))
}

/// Formats a text as a JavaScript string literal.
fn js_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Converts a name to camel case, for JavaScript.
fn to_camel_case(name: &str) -> String {
    let mut words = name.trim_end_matches('_').split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (head, tail) = word.split_at(1);
        name + &head.to_uppercase() + tail
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "const TEXTS: [&str; 2] = Translation {\n    send: \"Senden\",\n    \
        new_messages: \"{count} neue \\\n                    Nachrichten\",\n    ..ENGLISH\n}\n.into_list();\n\
        const REASONS: [&str; 1] = [\n    \"mindestens {limit}\",\n];\n\
        Self::from_translation(\"de\", &TEXTS, translate_reasons(REASONS))";

    #[test]
    fn a_table_is_parsed_with_continued_lines() {
        let table = LanguageTable::parse(TABLE);
        assert_eq!(table.get("send"), Some("Senden"));
        assert_eq!(table.get("new_messages"), Some("{count} neue Nachrichten"));
        assert_eq!(table.reasons, ["mindestens {limit}"]);
        assert_eq!(table.tag, "de");
    }

    #[test]
    fn missing_labels_and_wrong_placeholders_are_reported() {
        let english = LanguageTable::parse(
            "const ENGLISH: Translation = Translation { send: \"Send {name}\", stop: \"Stop\" };",
        );
        let names = ["send", "stop"].map(str::to_owned);
        let faults = compare_tables(&names, 2, &english, &LanguageTable::parse(TABLE));
        assert_eq!(faults.len(), 3, "{faults:?}");
        assert!(faults[0].starts_with("send must have the placeholders"));
        assert_eq!(faults[1], "stop is missing");
        assert_eq!(faults[2], "1 reasons, not 2");
    }

    #[test]
    fn plural_forms_are_one_placeholder() {
        for (text, names) in [
            ("{number} of {count}", vec!["count", "number"]),
            (
                "After {count, plural, one {# step} other {# steps}} in {time}",
                vec!["count", "time"],
            ),
            (
                "{count, plural, one {# step}}",
                vec!["count, plural, one {# step}"],
            ),
            (
                "{count, plural, other {#} one {#}}",
                vec!["count, plural, other {#} one {#}"],
            ),
            (
                "{count, plural, several {#} other {#}}",
                vec!["count, plural, several {#} other {#}"],
            ),
        ] {
            assert_eq!(placeholders(text), names, "{text}");
        }
    }

    #[test]
    fn the_tables_of_the_library_are_complete() {
        check(&Project::find().unwrap()).unwrap();
    }

    #[test]
    fn label_names_become_camel_case() {
        assert_eq!(to_camel_case("stopped_text"), "stoppedText");
        assert_eq!(to_camel_case("continue_"), "continue");
    }
}
