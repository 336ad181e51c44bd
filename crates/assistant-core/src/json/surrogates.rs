//! Handles lone surrogates in JSON. A JavaScript producer writes a lone surrogate if it splits a
//! text within an emoji; JSON permits lone surrogates, but a Rust string does not.

/// The replacement for a lone surrogate in text.
pub const REPLACED: char = char::REPLACEMENT_CHARACTER;
/// The first of the 2048 private use characters, called marks, that represent surrogates.
const FIRST_MARK: u32 = 0xF_0000;

/// Returns the surrogate that a mark represents; `None` for other characters.
pub fn surrogate_of_mark(mark: char) -> Option<u16> {
    let offset = u32::from(mark).checked_sub(FIRST_MARK)?;
    let surrogate = u16::try_from(offset).ok()?.checked_add(0xD800)?;
    (surrogate < 0xE000).then_some(surrogate)
}

/// Returns the text with all marks replaced by the replacement character.
#[cfg(feature = "ui-stream")]
pub fn without_marks(text: &str) -> String {
    let replace_mark = |c: char| surrogate_of_mark(c).map_or(c, |_| REPLACED);
    text.chars().map(replace_mark).collect()
}

/// Returns the mark that represents a surrogate.
pub fn mark(surrogate: u16) -> char {
    let offset = u32::from(surrogate).saturating_sub(0xD800);
    char::from_u32(FIRST_MARK + offset).unwrap_or(REPLACED)
}

/// Returns a JSON text in which each escaped lone surrogate is replaced by the result of
/// `character`; `None` if the text contains no lone surrogates.
pub fn replace_lone_surrogates(json: &str, character: fn(u16) -> char) -> Option<String> {
    let mut output = String::with_capacity(json.len());
    let mut rest = json;
    let mut has_lone_surrogate = false;
    while let Some((before, escaped)) = rest.split_once('\\') {
        output.push_str(before);
        rest = escaped;
        let Some(code_unit) = parse_code_unit(rest) else {
            // The character after the backslash is copied, since it may itself be a backslash,
            // which does not begin another escape.
            let mut chars = rest.chars();
            output.push('\\');
            output.extend(chars.next());
            rest = chars.as_str();
            continue;
        };
        let (digits, after) = rest.split_at_checked(5).unwrap_or((rest, ""));
        let low_escape = after.strip_prefix('\\');
        let low_escape =
            low_escape.filter(|low_escape| parse_code_unit(low_escape).is_some_and(is_low));
        match (code_unit, low_escape) {
            (0xD800..=0xDBFF, Some(low_escape)) => {
                let (low_escape, after) =
                    low_escape.split_at_checked(5).unwrap_or((low_escape, ""));
                output.extend(["\\", digits, "\\", low_escape]);
                rest = after;
            }
            (0xD800..=0xDFFF, _) => {
                output.push(character(code_unit));
                rest = after;
                has_lone_surrogate = true;
            }
            _ => {
                output.extend(["\\", digits]);
                rest = after;
            }
        }
    }
    output.push_str(rest);
    has_lone_surrogate.then_some(output)
}

/// Parses the code unit of an escape. The text begins after the backslash of the escape, with `u`
/// and four hexadecimal digits. Returns `None` for other escapes.
fn parse_code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hexadecimal
        .then(|| u16::from_str_radix(digits, 16).ok())
        .flatten()
}

/// Returns true if a UTF-16 code unit is a low surrogate.
pub const fn is_low(unit: u16) -> bool {
    matches!(unit, 0xDC00..=0xDFFF)
}
