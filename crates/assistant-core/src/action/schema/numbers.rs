//! Compares and divides JSON numbers by value, without intermediate rounding. `1` and `1.0` are
//! equal.

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
    // Positive and negative zero are equal, so both have the key 0.
    if float == 0.0 { 0 } else { float.to_bits() }
}

/// Reads a count in a schema (`minLength` and similar keywords), which may be written as `2.0`.
/// Returns `None` if the value is not a whole number of at least 0.
pub(super) fn parse_count(value: &Value) -> Option<u64> {
    let number = value.as_number()?;
    number
        .as_u64()
        .or_else(|| u64::try_from(to_integer(number)?).ok())
}

/// Returns true if `number` is an integer multiple of `divisor`, or if `divisor` is zero.
pub(super) fn is_multiple_of(number: &Number, divisor: &Number) -> bool {
    let (Some(number_decimal), Some(divisor_decimal)) =
        (Decimal::parse(number), Decimal::parse(divisor))
    else {
        return (to_float(number) / to_float(divisor)).fract() == 0.0;
    };
    if divisor_decimal.digits == 0 || number_decimal.digits == 0 {
        return true;
    }
    // A number with a lower exponent than the divisor is not a multiple, because its digits have no
    // trailing zeros.
    let Ok(shift) = u32::try_from(number_decimal.exponent - divisor_decimal.exponent) else {
        return false;
    };
    let mut remainder = number_decimal.digits % divisor_decimal.digits;
    for _ in 0..shift {
        remainder = times_ten_modulo(remainder, divisor_decimal.digits);
    }
    remainder == 0
}

/// Returns the value of the number as an integer, or `None` if the number has a fraction or is too
/// large.
fn to_integer(number: &Number) -> Option<i128> {
    if let Some(integer) = number.as_i64() {
        return Some(integer.into());
    }
    if let Some(integer) = number.as_u64() {
        return Some(integer.into());
    }
    let float = number.as_f64()?;
    // Larger floats are not converted, because they might exceed the range of `i128`.
    (float.fract() == 0.0 && float.abs() < 1e30).then_some(float as i128)
}

fn to_float(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::MAX)
}

/// Compares an integer with a float that has a fraction or is not below 1e30.
fn compare_integer_with_float(integer: i128, float: f64) -> Ordering {
    // The saturating cast preserves the order. An integer that equals the floor of the float is
    // less than the float.
    match integer.cmp(&(float.floor() as i128)) {
        Ordering::Equal => Ordering::Less,
        order => order,
    }
}

/// Computes `rest * 10 % modulus` by doubling, for moduli near `u64::MAX`. `rest` is below
/// `modulus`.
fn times_ten_modulo(rest: u64, modulus: u64) -> u64 {
    let add_modulo = |a: u64, b: u64| {
        if a >= modulus - b {
            a - (modulus - b)
        } else {
            a + b
        }
    };
    let double = add_modulo(rest, rest);
    let quadruple = add_modulo(double, double);
    add_modulo(add_modulo(quadruple, quadruple), double)
}

/// The absolute value of a decimal number, `digits × 10^exponent`, without trailing zeros in
/// `digits`.
struct Decimal {
    digits: u64,
    exponent: i32,
}

impl Decimal {
    /// Parses the shortest decimal notation of a number. Returns `None` if the number has too many
    /// digits.
    fn parse(number: &Number) -> Option<Self> {
        let text = number.to_string();
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse().ok()?),
            None => (text.as_str(), 0_i32),
        };
        let (whole_digits, fraction_digits) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = 0_u64;
        for digit in whole_digits
            .bytes()
            .chain(fraction_digits.bytes())
            .filter(u8::is_ascii_digit)
        {
            digits = digits
                .checked_mul(10)?
                .checked_add(u64::from(digit - b'0'))?;
        }
        let mut exponent = exponent.checked_sub(i32::try_from(fraction_digits.len()).ok()?)?;
        while digits != 0 && digits.is_multiple_of(10) {
            digits /= 10;
            exponent = exponent.checked_add(1)?;
        }
        Some(Self { digits, exponent })
    }
}
