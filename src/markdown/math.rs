//! Renders formulas as `MathML`: `math-core` converts TeX, and its output is parsed into nodes,
//! never through HTML.
//!
//! A formula that is invalid, too long or too deeply nested is shown as TeX source.

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};

/// The maximum length of a formula that is converted, in bytes.
const MAX_FORMULA_BYTES: usize = 4 * 1024;
/// The maximum nesting depth of a formula, which is limited because the TeX parser is recursive.
const MAX_NESTING: usize = 40;
const MATHML_NAMESPACE: &str = "http://www.w3.org/1998/Math/MathML";

/// The `MathML` Core elements that are allowed.
const ALLOWED_ELEMENTS: [&str; 28] = [
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
const ALLOWED_ATTRIBUTES: [&str; 28] = [
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

/// Converts a formula to an element. Returns `None` if the formula must be shown as TeX source.
pub(super) fn render_formula(tex: &str, display: bool) -> Option<web_sys::Element> {
    build_elements(&to_mathml(tex, display)?)
}

/// Converts a formula to `MathML`. Returns `None` if the formula is invalid, too long or too deeply
/// nested.
fn to_mathml(tex: &str, display: bool) -> Option<String> {
    if tex.len() > MAX_FORMULA_BYTES || nesting_bound(tex) > MAX_NESTING {
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
    let result = LatexToMathML::new(config)
        .ok()?
        .convert_with_local_state(tex, display);
    Some(result.ok()?.mathml)
}

/// Returns an upper bound for the nesting depth of a formula: the depth of its braces, brackets and
/// environments, or the length of its longest series of commands, because each command of a series
/// may be an argument of the command before it.
fn nesting_bound(tex: &str) -> usize {
    let (mut braces, mut max_depth, mut adjacent_commands) = (0_usize, 0, 0);
    let mut command_indices = tex.match_indices("\\").map(|(index, _)| index).peekable();
    let mut environments = 0_usize;
    for (index, c) in tex.char_indices() {
        match c {
            '{' | '[' => braces += 1,
            '}' | ']' => braces = braces.saturating_sub(1),
            _ => {}
        }
        if command_indices.next_if_eq(&index).is_some() {
            let rest = tex.get(index + 1..).unwrap_or_default();
            adjacent_commands += 1;
            if rest.starts_with("left") || rest.starts_with("begin") {
                environments += 1;
            } else if rest.starts_with("right") || rest.starts_with("end") {
                environments = environments.saturating_sub(1);
            }
        } else if !c.is_ascii_alphabetic() && !c.is_whitespace() {
            adjacent_commands = 0;
        }
        max_depth = max_depth.max(braces + environments).max(adjacent_commands);
    }
    max_depth
}

/// Builds the elements of a `MathML` string. Returns `None` if there are no elements. Replaces an
/// element that is not allowed with an `mrow`, and drops an attribute that is not allowed.
fn build_elements(xml: &str) -> Option<web_sys::Element> {
    let document = leptos::prelude::document();
    let mut open_elements: Vec<web_sys::Element> = Vec::new();
    let mut root = None;
    for piece in xml_tokens(xml) {
        match piece {
            XmlToken::Text(text) => {
                if let Some(parent) = open_elements.last() {
                    super::dom::append(parent, &super::dom::create_text_node(&text));
                }
            }
            XmlToken::Open {
                name,
                attributes,
                empty,
            } => {
                let name = find_known(&ALLOWED_ELEMENTS, name).unwrap_or("mrow");
                let element = document
                    .create_element_ns(Some(MATHML_NAMESPACE), name)
                    .ok()?;
                for (name, value) in attributes {
                    if let Some(name) = find_known(&ALLOWED_ATTRIBUTES, name) {
                        super::dom::set_attribute(&element, name, &value);
                    }
                }
                match open_elements.last() {
                    Some(parent) => super::dom::append(parent, &element),
                    None => root = root.or_else(|| Some(element.clone())),
                }
                if !empty {
                    open_elements.push(element);
                }
            }
            XmlToken::Close => drop(open_elements.pop()),
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

/// Splits XML in the form that `math-core` writes into tags and texts.
fn xml_tokens(mut xml: &str) -> impl Iterator<Item = XmlToken<'_>> {
    std::iter::from_fn(move || {
        let Some(tag) = xml.strip_prefix('<') else {
            let text = xml.split('<').next().filter(|text| !text.is_empty())?;
            xml = xml.strip_prefix(text)?;
            return Some(XmlToken::Text(unescape(text)));
        };
        let (tag_content, rest) = tag.split_once('>')?;
        xml = rest;
        if tag_content.starts_with('/') {
            return Some(XmlToken::Close);
        }
        let (tag_content, empty) = match tag_content.strip_suffix('/') {
            Some(tag_content) => (tag_content, true),
            None => (tag_content, false),
        };
        let (name, rest) = tag_content.split_once(' ').unwrap_or((tag_content, ""));
        Some(XmlToken::Open {
            name,
            attributes: parse_attributes(rest),
            empty,
        })
    })
}

fn parse_attributes(mut text: &str) -> Vec<(&str, String)> {
    let mut attributes = Vec::new();
    while let Some((name, rest)) = text.split_once("=\"") {
        let Some((value, rest)) = rest.split_once('"') else {
            break;
        };
        attributes.push((name.trim(), unescape(value)));
        text = rest;
    }
    attributes
}

/// Resolves the entities that occur in `MathML`. Unknown entities are not changed.
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
