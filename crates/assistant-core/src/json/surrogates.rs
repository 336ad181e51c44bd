//! Handles lone surrogates in JSON. A JavaScript producer writes a lone surrogate if it splits a
//! text within an emoji; JSON permits lone surrogates, a Rust string does not.

/// The replacement for a lone surrogate in text.
pub const REPLACED: char = char::REPLACEMENT_CHARACTER;
/// The first of 2048 private use characters that represent surrogates, called marks.
const MARKS: u32 = 0xF_0000;

/// Returns the surrogate that a mark represents; `None` for other characters.
pub fn surrogate_of_mark(mark: char) -> Option<u16> {
    let place = u32::from(mark).checked_sub(MARKS)?;
    let half = u16::try_from(place).ok()?.checked_add(0xD800)?;
    (half < 0xE000).then_some(half)
}

/// Returns the text with all marks replaced by the replacement character.
#[cfg(feature = "ui-stream")]
pub fn without_marks(text: &str) -> String {
    let plain = |c: char| surrogate_of_mark(c).map_or(c, |_| REPLACED);
    text.chars().map(plain).collect()
}

/// Returns the mark of a surrogate.
pub fn mark(half: u16) -> char {
    let place = u32::from(half).saturating_sub(0xD800);
    char::from_u32(MARKS + place).unwrap_or(REPLACED)
}

/// Returns a JSON text in which each escaped lone surrogate is replaced by the result of
/// `character`; `None` if the text contains no lone surrogates.
pub fn replace_lone_surrogates(json: &str, character: fn(u16) -> char) -> Option<String> {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    let mut found = false;
    while let Some((before, escaped)) = rest.split_once('\\') {
        out.push_str(before);
        rest = escaped;
        let Some(unit) = parse_code_unit(rest) else {
            // Another escape, whose character cannot begin one.
            let mut chars = rest.chars();
            out.push('\\');
            out.extend(chars.next());
            rest = chars.as_str();
            continue;
        };
        let (digits, after) = rest.split_at_checked(5).unwrap_or((rest, ""));
        let second = after.strip_prefix('\\');
        let second = second.filter(|second| parse_code_unit(second).is_some_and(is_low));
        match (unit, second) {
            (0xD800..=0xDBFF, Some(second)) => {
                let (second, after) = second.split_at_checked(5).unwrap_or((second, ""));
                out.extend(["\\", digits, "\\", second]);
                rest = after;
            }
            (0xD800..=0xDFFF, _) => {
                out.push(character(unit));
                rest = after;
                found = true;
            }
            _ => {
                out.extend(["\\", digits]);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    found.then_some(out)
}

/// Parses the code unit of an escape after the backslash: `u` and four hexadecimal digits. `None`
/// for other escapes.
fn parse_code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain
        .then(|| u16::from_str_radix(digits, 16).ok())
        .flatten()
}

/// Returns true for a low surrogate.
pub const fn is_low(unit: u16) -> bool {
    matches!(unit, 0xDC00..=0xDFFF)
}
