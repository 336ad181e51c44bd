//! Parses plain scalars of YAML, according to the core schema of YAML 1.2.

use serde_json::{Number, Value};

/// Parses an unquoted scalar as null, a Boolean or a number; other text becomes a string.
pub(super) fn parse_plain(text: &str) -> Value {
    if let Some(value) = parse_null(text).or_else(|| parse_bool(text)) {
        return value;
    }
    parse_int(text)
        .or_else(|| parse_float(text))
        .unwrap_or_else(|| text.into())
}

/// Parses a scalar with a tag of the core schema. Returns `None` if the type is unknown, or the
/// text is not a value of the type.
pub(super) fn parse_tagged(kind: &str, text: &str) -> Option<Value> {
    match kind {
        "str" => Some(text.into()),
        "null" => parse_null(text),
        "bool" => parse_bool(text),
        "int" => parse_int(text),
        "float" => parse_float(text).or_else(|| parse_int(text)),
        _ => None,
    }
}

fn parse_null(text: &str) -> Option<Value> {
    matches!(text, "" | "~" | "null" | "Null" | "NULL").then_some(Value::Null)
}

fn parse_bool(text: &str) -> Option<Value> {
    match text {
        "true" | "True" | "TRUE" => Some(true.into()),
        "false" | "False" | "FALSE" => Some(false.into()),
        _ => None,
    }
}

fn parse_int(text: &str) -> Option<Value> {
    let parse_digits = |digits: &str, base: u32| {
        // `from_str_radix` accepts a sign, which YAML does not permit here, so all characters must
        // be digits.
        let has_only_digits = digits.chars().all(|c| c.is_digit(base)) && !digits.is_empty();
        let value = u64::from_str_radix(digits, base).ok();
        value.filter(|_| has_only_digits).map(Value::from)
    };
    if let Some(digits) = text.strip_prefix("0o") {
        return parse_digits(digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return parse_digits(digits, 16);
    }
    if !is_decimal(text.strip_prefix(['+', '-']).unwrap_or(text)) {
        return None;
    }
    let signed_value = text.parse::<i64>().map(Value::from);
    signed_value
        .or_else(|_| text.parse::<u64>().map(Value::from))
        .ok()
}

/// Parses a decimal number as a 64-bit float. Returns `None` for other text. Infinities and NaN
/// become null.
fn parse_float(text: &str) -> Option<Value> {
    let magnitude = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(magnitude, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        // JSON has no infinities and no NaN, so they become null, as in the JSON output of
        // JavaScript.
        return Some(Value::Null);
    }
    let (mantissa, exponent) = match magnitude.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (magnitude, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_optional_number = |text: &str| text.is_empty() || is_decimal(text);
    let is_valid_exponent =
        exponent.is_none_or(|text| is_decimal(text.strip_prefix(['+', '-']).unwrap_or(text)));
    let has_digits = !(whole.is_empty() && fraction.is_empty());
    if !(has_digits
        && is_optional_number(whole)
        && is_optional_number(fraction)
        && is_valid_exponent)
    {
        return None;
    }
    let number = text.parse::<f64>().ok()?;
    Some(Number::from_f64(number).map_or(Value::Null, Value::Number))
}

fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
