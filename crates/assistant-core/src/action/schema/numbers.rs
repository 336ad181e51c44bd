//! Compares and divides JSON numbers by value, without intermediate rounding. `1` and `1.0` are
//! equal; decimals are used as written.

use core::cmp::Ordering;

use serde_json::{Number, Value};

/// Returns true if the number has no fractional part, regardless of its notation.
pub(super) fn is_integer(number: &Number) -> bool {
    to_integer(number).is_some() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// Compares two numbers by value.
pub(crate) fn compare(a: &Number, b: &Number) -> Ordering {
    match (to_integer(a), to_integer(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(a), None) => compare_integer_with_float(a, to_float(b)),
        (None, Some(b)) => compare_integer_with_float(b, to_float(a)).reverse(),
        (None, None) => to_float(a).total_cmp(&to_float(b)),
    }
}

/// Returns a hash key that equal numbers share.
pub(super) fn hash_key(number: &Number) -> u64 {
    let float = to_float(number);
    // Positive and negative zero are equal.
    if float == 0.0 { 0 } else { float.to_bits() }
}

/// Reads a count in a schema (`minLength` and similar keywords), which may be written as `2.0`.
/// `None` if the value is not a whole number of at least 0.
pub(super) fn parse_count(value: &Value) -> Option<u64> {
    let number = value.as_number()?;
    number
        .as_u64()
        .or_else(|| u64::try_from(to_integer(number)?).ok())
}

/// Returns true if `number` is an integer multiple of `of`. A divisor of zero always passes.
pub(super) fn is_multiple_of(number: &Number, of: &Number) -> bool {
    let (Some(number_), Some(of_)) = (Decimal::parse(number), Decimal::parse(of)) else {
        return (to_float(number) / to_float(of)).fract() == 0.0;
    };
    if of_.digits == 0 || number_.digits == 0 {
        return true;
    }
    // Without trailing zeros, `number` cannot have a coarser step than its own last digit.
    let Ok(shift) = u32::try_from(number_.exponent - of_.exponent) else {
        return false;
    };
    let mut rest = number_.digits % of_.digits;
    for _ in 0..shift {
        rest = times_ten_modulo(rest, of_.digits);
    }
    rest == 0
}

/// Returns the value as an integer; `None` if it has a fraction or is too large.
fn to_integer(number: &Number) -> Option<i128> {
    if let Some(signed) = number.as_i64() {
        return Some(signed.into());
    }
    if let Some(unsigned) = number.as_u64() {
        return Some(unsigned.into());
    }
    let float = number.as_f64()?;
    // Beyond this every float is whole, but not every one fits; floats are compared instead.
    (float.fract() == 0.0 && float.abs() < 1e30).then_some(float as i128)
}

fn to_float(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::MAX)
}

/// Compares `whole` with a float that has a fraction or exceeds the range of an integer.
fn compare_integer_with_float(whole: i128, float: f64) -> Ordering {
    // The cast saturates, which preserves the order; the floor is below the float.
    match whole.cmp(&(float.floor() as i128)) {
        Ordering::Equal => Ordering::Less,
        order => order,
    }
}

/// Computes `rest * 10 % modulus` by doubling, for moduli near `u64::MAX`. `rest` is below
/// `modulus`.
fn times_ten_modulo(rest: u64, modulus: u64) -> u64 {
    let add = |a: u64, b: u64| {
        if a >= modulus - b {
            a - (modulus - b)
        } else {
            a + b
        }
    };
    let twice = add(rest, rest);
    let four = add(twice, twice);
    add(add(four, four), twice)
}

/// A decimal `digits × 10^exponent`, without sign and without trailing zeros in `digits`.
struct Decimal {
    digits: u64,
    exponent: i32,
}

impl Decimal {
    /// Parses the shortest decimal notation of a number; `None` if it has too many digits.
    fn parse(number: &Number) -> Option<Self> {
        let text = number.to_string();
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse().ok()?),
            None => (text.as_str(), 0_i32),
        };
        let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = 0_u64;
        for digit in before
            .bytes()
            .chain(after.bytes())
            .filter(u8::is_ascii_digit)
        {
            digits = digits
                .checked_mul(10)?
                .checked_add(u64::from(digit - b'0'))?;
        }
        let mut exponent = exponent.checked_sub(i32::try_from(after.len()).ok()?)?;
        while digits != 0 && digits.is_multiple_of(10) {
            digits /= 10;
            exponent = exponent.checked_add(1)?;
        }
        Some(Self { digits, exponent })
    }
}
