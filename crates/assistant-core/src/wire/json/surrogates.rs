//! Halves of surrogate pairs in JSON: what a producer in JavaScript writes when it cuts a text
//! within an emoji. JSON allows them, a Rust string does not.

/// What a half stands as in a text.
pub(crate) const REPLACED: char = char::REPLACEMENT_CHARACTER;
/// One character for each of the 2048 surrogates, in a plane of private use.
const MARKS: u32 = 0xF_0000;

/// The half that a mark stands for.
pub(crate) fn marked(mark: char) -> Option<u16> {
    let place = u32::from(mark).checked_sub(MARKS)?;
    let half = u16::try_from(place).ok()?.checked_add(0xD800)?;
    (half < 0xE000).then_some(half)
}

/// A text in which every mark is the character that stands for a half.
#[cfg(feature = "ui-stream")]
pub(crate) fn without_marks(text: &str) -> String {
    let plain = |c: char| marked(c).map_or(c, |_| REPLACED);
    text.chars().map(plain).collect()
}

/// The character that stands for a half.
pub(crate) fn mark(half: u16) -> char {
    let place = u32::from(half).saturating_sub(0xD800);
    char::from_u32(MARKS + place).unwrap_or(REPLACED)
}

/// The JSON with a character for each half that stands alone; nothing if there is none.
pub(crate) fn replaced(json: &str, character: fn(u16) -> char) -> Option<String> {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    let mut found = false;
    while let Some((before, escaped)) = rest.split_once('\\') {
        out.push_str(before);
        rest = escaped;
        let Some(unit) = unit(rest) else {
            // Another escape: what it escapes is no beginning of one.
            let mut chars = rest.chars();
            out.push('\\');
            out.extend(chars.next());
            rest = chars.as_str();
            continue;
        };
        let (digits, after) = rest.split_at_checked(5).unwrap_or((rest, ""));
        let second = after.strip_prefix('\\');
        let second = second.filter(|second| self::unit(second).is_some_and(is_low));
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

/// The number in `u` and four hexadecimal digits, if that is what stands here.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain
        .then(|| u16::from_str_radix(digits, 16).ok())
        .flatten()
}

/// Whether a half is the second of a pair.
pub(crate) const fn is_low(unit: u16) -> bool {
    matches!(unit, 0xDC00..=0xDFFF)
}
