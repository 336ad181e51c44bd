//! Halves of surrogate pairs in JSON: what a producer in JavaScript writes when it cuts a text
//! within an emoji. JSON allows them, a Rust string does not.

/// The JSON with U+FFFD for each half that stands alone; nothing if there is none.
pub(super) fn replaced(json: &str) -> Option<String> {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    let mut found = false;
    while let Some((before, escaped)) = rest.split_once('\\') {
        out.push_str(before);
        out.push('\\');
        rest = escaped;
        let Some(unit) = unit(rest) else {
            // Another escape: what it escapes is no beginning of one.
            let mut chars = rest.chars();
            out.extend(chars.next());
            rest = chars.as_str();
            continue;
        };
        let (digits, after) = rest.split_at_checked(5).unwrap_or((rest, ""));
        let low = after.strip_prefix('\\').filter(|low| is_low(low));
        match (unit, low) {
            (0xD800..=0xDBFF, Some(low)) => {
                let (low, after) = low.split_at_checked(5).unwrap_or((low, ""));
                out.extend([digits, "\\", low]);
                rest = after;
            }
            (0xD800..=0xDFFF, _) => {
                out.push_str("ufffd");
                rest = after;
                found = true;
            }
            _ => {
                out.push_str(digits);
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

fn is_low(text: &str) -> bool {
    matches!(unit(text), Some(0xDC00..=0xDFFF))
}
