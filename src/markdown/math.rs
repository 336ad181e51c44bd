//! Renders formulas as `MathML`: `math-core` converts TeX, and its output is parsed into nodes,
//! never through HTML.
//!
//! A formula that is invalid, too long or too deeply nested is shown as TeX source.

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};

/// The maximum length of a formula that is converted, in bytes.
const MAX_LEN: usize = 4 * 1024;
/// The maximum nesting depth of braces and environments, because the TeX parser is recursive.
const MAX_DEPTH: usize = 40;
const NAMESPACE: &str = "http://www.w3.org/1998/Math/MathML";

/// The `MathML` Core elements that are allowed.
const ELEMENTS: [&str; 28] = [
    "math",
    "mrow",
    "mi",
    "mn",
    "mo",
    "mtext",
    "mspace",
    "ms",
    "msub",
    "msup",
    "msubsup",
    "munder",
    "mover",
    "munderover",
    "mmultiscripts",
    "mprescripts",
    "mfrac",
    "msqrt",
    "mroot",
    "mtable",
    "mtr",
    "mtd",
    "mstyle",
    "mpadded",
    "mphantom",
    "menclose",
    "merror",
    "semantics",
];

/// The attributes that are allowed. None of them accepts an address or a style.
const ATTRIBUTES: [&str; 28] = [
    "display",
    "displaystyle",
    "scriptlevel",
    "mathvariant",
    "stretchy",
    "symmetric",
    "fence",
    "separator",
    "form",
    "lspace",
    "rspace",
    "minsize",
    "maxsize",
    "movablelimits",
    "largeop",
    "accent",
    "accentunder",
    "linethickness",
    "width",
    "height",
    "depth",
    "voffset",
    "columnalign",
    "rowspacing",
    "columnspacing",
    "columnspan",
    "rowspan",
    "mathsize",
];

/// Converts a formula to an element; `None` if the formula must be shown as TeX source.
pub(super) fn render_formula(tex: &str, display: bool) -> Option<web_sys::Element> {
    build_elements(&to_mathml(tex, display)?)
}

/// Converts a formula to `MathML`; `None` if the formula is invalid, too long or too deeply nested.
fn to_mathml(tex: &str, display: bool) -> Option<String> {
    if tex.len() > MAX_LEN || nesting_bound(tex) > MAX_DEPTH {
        return None;
    }
    let config = MathCoreConfig {
        ignore_unknown_commands: true,
        ..MathCoreConfig::default()
    };
    let display = if display {
        MathDisplay::Block
    } else {
        MathDisplay::Inline
    };
    let converted = LatexToMathML::new(config)
        .ok()?
        .convert_with_local_state(tex, display);
    Some(converted.ok()?.mathml)
}

/// Returns an upper bound for the nesting of a formula: by braces and environments, or by commands
/// that take each other as arguments.
fn nesting_bound(tex: &str) -> usize {
    let (mut braces, mut deepest, mut row) = (0_usize, 0, 0);
    let mut commands = tex.match_indices("\\").map(|(at, _)| at).peekable();
    let mut nested = 0_usize;
    for (at, c) in tex.char_indices() {
        match c {
            '{' | '[' => braces += 1,
            '}' | ']' => braces = braces.saturating_sub(1),
            _ => {}
        }
        if commands.next_if_eq(&at).is_some() {
            let rest = tex.get(at + 1..).unwrap_or_default();
            row += 1;
            if rest.starts_with("left") || rest.starts_with("begin") {
                nested += 1;
            } else if rest.starts_with("right") || rest.starts_with("end") {
                nested = nested.saturating_sub(1);
            }
        } else if !c.is_ascii_alphabetic() && !c.is_whitespace() {
            row = 0;
        }
        deepest = deepest.max(braces + nested).max(row);
    }
    deepest
}

/// Builds the elements of a `MathML` string; `None` if there are no elements. An element that is
/// not allowed becomes an `mrow`, and an attribute that is not allowed is dropped.
fn build_elements(xml: &str) -> Option<web_sys::Element> {
    let document = leptos::prelude::document();
    let mut open: Vec<web_sys::Element> = Vec::new();
    let mut root = None;
    for piece in xml_tokens(xml) {
        match piece {
            XmlToken::Text(text) => {
                if let Some(parent) = open.last() {
                    super::make::append(parent, &super::make::create_text_node(&text));
                }
            }
            XmlToken::Open {
                name,
                attributes,
                empty,
            } => {
                let name = find_known(&ELEMENTS, name).unwrap_or("mrow");
                let element = document.create_element_ns(Some(NAMESPACE), name).ok()?;
                for (name, value) in attributes {
                    if let Some(name) = find_known(&ATTRIBUTES, name) {
                        super::make::set_attribute(&element, name, &value);
                    }
                }
                match open.last() {
                    Some(parent) => super::make::append(parent, &element),
                    None => root = root.or_else(|| Some(element.clone())),
                }
                if !empty {
                    open.push(element);
                }
            }
            XmlToken::Close => drop(open.pop()),
        }
    }
    root
}

fn find_known(names: &[&'static str], name: &str) -> Option<&'static str> {
    names.iter().copied().find(|known| *known == name)
}

enum XmlToken<'a> {
    Text(String),
    Open {
        name: &'a str,
        attributes: Vec<(&'a str, String)>,
        empty: bool,
    },
    Close,
}

/// Splits XML, as `math-core` writes it, into tags and texts.
fn xml_tokens(mut xml: &str) -> impl Iterator<Item = XmlToken<'_>> {
    std::iter::from_fn(move || {
        let Some(tag) = xml.strip_prefix('<') else {
            let text = xml.split('<').next().filter(|text| !text.is_empty())?;
            xml = xml.strip_prefix(text)?;
            return Some(XmlToken::Text(unescape(text)));
        };
        let (inside, rest) = tag.split_once('>')?;
        xml = rest;
        if inside.starts_with('/') {
            return Some(XmlToken::Close);
        }
        let (inside, empty) = match inside.strip_suffix('/') {
            Some(inside) => (inside, true),
            None => (inside, false),
        };
        let (name, rest) = inside.split_once(' ').unwrap_or((inside, ""));
        Some(XmlToken::Open {
            name,
            attributes: parse_attributes(rest),
            empty,
        })
    })
}

fn parse_attributes(mut text: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    while let Some((name, rest)) = text.split_once("=\"") {
        let Some((value, rest)) = rest.split_once('"') else {
            break;
        };
        found.push((name.trim(), unescape(value)));
        text = rest;
    }
    found
}

/// Resolves the entities that occur in `MathML`; an unknown entity stays as it is.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let entity = after.split_once(';');
        match entity.and_then(|(name, after)| Some((entity_character(name)?, after))) {
            Some((character, after)) => {
                plain.push(character);
                rest = after;
            }
            None => {
                plain.push('&');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn entity_character(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "nbsp" => Some('\u{a0}'),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}
