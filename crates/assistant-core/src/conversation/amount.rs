//! Represents amounts of money exactly, as integers in units of 10⁻¹⁵.

use std::{fmt, str::FromStr};

/// The maximum number of digits before the decimal point and the maximum number after it.
const DIGITS: usize = 15;
/// The amount 1, in units of 10⁻¹⁵.
const ONE: u128 = 1_000_000_000_000_000;
/// One millionth, in units of 10⁻¹⁵.
const MICRO: u128 = 1_000_000_000;

/// An amount of the host's currency, exact to fifteen digits after the decimal point.
///
/// ```
/// use assistant_core::conversation::Amount;
///
/// let price: Amount = "0.1".parse()?;
/// let sum = price.plus(price).plus(price);
/// assert_eq!(sum.to_string(), "0.3");
/// # Ok::<(), assistant_core::conversation::AmountError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(u128);

impl Amount {
    /// The amount zero.
    pub const ZERO: Self = Self(0);

    /// Creates an amount from millionths.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        // The multiplication cannot overflow, because `u64::MAX * MICRO` is less than `u128::MAX`.
        Self((micros as u128) * MICRO)
    }

    /// Returns the amount in millionths, rounded half up and limited to `u64::MAX`.
    #[must_use]
    pub fn micros(self) -> u64 {
        let rounded_micros = self.0.saturating_add(MICRO / 2) / MICRO;
        u64::try_from(rounded_micros).unwrap_or(u64::MAX)
    }

    /// Returns the sum of two amounts, or the greatest amount if the sum overflows.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Returns one millionth of the amount, multiplied by `count`. If the amount is the price of a
    /// million tokens, the product is the price of `count` tokens. Returns the greatest amount if
    /// the product overflows.
    pub(super) const fn price_of(self, count: u64) -> Self {
        // The division is exact, because prices have at most nine digits after the decimal point.
        Self((self.0 / 1_000_000).saturating_mul(count as u128))
    }

    /// Returns the product of the amount and a factor. Returns `None` if the product overflows or
    /// has more than fifteen digits after the decimal point.
    pub(super) const fn checked_mul(self, factor: Self) -> Option<Self> {
        match self.0.checked_mul(factor.0) {
            Some(product) if product.is_multiple_of(ONE) => Some(Self(product / ONE)),
            _ => None,
        }
    }

    /// Returns true if the amount has at most this many digits after the decimal point.
    const fn has_at_most_decimals(self, digits: u32) -> bool {
        self.0.is_multiple_of(10_u128.pow(15 - digits))
    }

    /// Returns true if the amount can be used as a price of tokens: it has at most nine digits
    /// after the decimal point.
    pub(super) const fn is_price(self) -> bool {
        self.has_at_most_decimals(9)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0 / ONE, self.0 % ONE);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let digits = format!("{fraction:0DIGITS$}");
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

/// The error for a text that is not an amount, because the text is not a decimal number, has a sign
/// or has too many digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AmountError;

impl fmt::Display for AmountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an amount: a decimal number without a sign is expected")
    }
}

impl std::error::Error for AmountError {}

impl FromStr for Amount {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, AmountError> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let has_only_digits = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_number =
            whole.len() + fraction.len() > 0 && has_only_digits(whole) && has_only_digits(fraction);
        if !is_number || whole.len() > DIGITS || fraction.len() > DIGITS {
            return Err(AmountError);
        }
        let parse_digits = |digits: &str| match digits {
            "" => Ok(0),
            digits => digits.parse::<u128>().map_err(|_| AmountError),
        };
        let fraction = format!("{fraction:0<DIGITS$}");
        Ok(Self(parse_digits(whole)? * ONE + parse_digits(&fraction)?))
    }
}
